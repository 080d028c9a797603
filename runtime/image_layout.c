/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks an image: first the bounds of its sections, then each record, LLVM's
 * struct for one function. The table in image_layout.h has a row for each raw
 * version, a version of LLVM's profile format. The row says where the fields of
 * a record are. Records of another raw version do not pass: the check reads
 * NumCounters from a field that is zero or an address, or NumBitmapBytes from
 * padding. profraw_write.c uses the struct bareprof_profile that the check
 * fills.
 */
#include "image_layout.h"
#include "weak_hooks.h"

/* Asserts that a piece has the same struct bareprof_span under its name and
 * under its number. */
#define NUMBERED(name, number)                                    \
  _Static_assert(offsetof(struct bareprof_image, name) ==         \
                     offsetof(struct bareprof_image, pieces) +    \
                         (number) * sizeof(struct bareprof_span), \
                 #name)
NUMBERED(records, BAREPROF_PIECE_RECORDS);
NUMBERED(counters, BAREPROF_PIECE_COUNTERS);
NUMBERED(bitmap, BAREPROF_PIECE_BITMAP);
NUMBERED(names, BAREPROF_PIECE_NAMES);
NUMBERED(vtables, BAREPROF_PIECE_VTABLES);
NUMBERED(vtable_names, BAREPROF_PIECE_VTABLE_NAMES);

/* Checks the version and the bounds of sections, before a section is read. */
static inline int check_image_bounds(const struct bareprof_image *image) {
  if (!bareprof_layout_find(image))
    return bareprof_is_packed(image) ? BAREPROF_E_PACKED : BAREPROF_E_VERSION;
  bool counters = image->counters.begin != image->counters.end;
  if (image->records.begin == image->records.end)
    return counters              ? BAREPROF_E_NO_RECORDS
           : image->counters.end ? BAREPROF_E_EMPTY
                                 : BAREPROF_E_NO_BOUNDS;
  if (!counters)
    return BAREPROF_E_NO_COUNTERS;
  if (image->names.begin == image->names.end)
    return BAREPROF_E_NO_NAMES;
  bareprof_word low = bareprof_begin_address(&image->records);
  if (bareprof_counter_shift(image))
    low |= bareprof_begin_address(&image->counters) |
           bareprof_end_address(&image->counters);
  if (low & 7)
    return BAREPROF_E_ALIGN;
  if (image->guard &&
      (uint32_t)*image->guard != bareprof_expected_guard_half(image))
    return BAREPROF_E_NOT_INIT;
  return 0;
}

/* Returns a value other than 0 if a record has value sites, places in the code
 * whose values are profiled. */
static inline uint32_t has_sites(const struct bareprof_image *image,
                                 const struct bareprof_layout *layout,
                                 const unsigned char *record) {
  const unsigned char *sites = record + layout->counts_at + 4;
  uint32_t more = layout->kinds > 2 ? bareprof_load16(image, sites + 4) : 0;
  return bareprof_load32(image, sites) | more;
}

/* A record claims `size` bytes at the link address `at`. These bytes should be
 * in the piece with this number. Returns their offset in the piece, and sets
 * `astray` if some of them are outside the piece. */
static bareprof_word claim_offset_in_piece(struct bareprof_image_check *check,
                                           enum bareprof_piece number,
                                           bareprof_word at,
                                           bareprof_word size) {
  const struct bareprof_image *image = check->profile.image;
  const struct bareprof_span *piece = &image->pieces[number];
  bareprof_word offset =
      bareprof_truncate_address(image, at + bareprof_moved_distance(image) -
                                           bareprof_begin_address(piece));
  bareprof_word room = bareprof_span_size(piece);
  if (size > room || offset > room - size)
    check->astray = 1;
  return offset;
}

/* Checks the bitmap bytes that a record claims. Returns a value other than 0 if
 * the image has raw 9 and the record raw 10, or the other way round. Records
 * need not claim the whole section, because ThinLTO leaves bitmaps of functions
 * that the linker drops. The raw version shows in the two words after the
 * record's first two numbers of value sites. In raw 9, the first of these words
 * is NumBitmapBytes, the second is padding. In raw 10, the first word has the
 * third number of value sites, the second is NumBitmapBytes. So a record has
 * the other version if BitmapPtr is set, NumBitmapBytes is 0, and the other
 * word is set. */
static inline uint32_t check_bitmap_claim(struct bareprof_image_check *check,
                                          const unsigned char *record) {
  const struct bareprof_image *image = check->profile.image;
  const struct bareprof_layout *layout = bareprof_layout_of(&check->profile);
  const unsigned char *tail = record + layout->counts_at;
  /* BitmapPtr is the third pointer before NumCounters. */
  bareprof_word pointer =
      bareprof_load_pointer(image, tail - 3 * bareprof_pointer_size(image));
  uint32_t count = bareprof_load32(image, record + layout->bitmap_at);
  /* With cc --mcdc=bytes, byte counters replace the bitmap's bits, and
   * BitmapPtr equals CounterPtr. */
  if (count && !check->profile.shift &&
      pointer == bareprof_load_pointer(image, record + 16))
    return 0;
  if (count)
    claim_offset_in_piece(
        check, BAREPROF_PIECE_BITMAP,
        pointer + bareprof_address_of(&image->records, record), count);
  else if (pointer)
    return bareprof_load32(image, tail + 8) | bareprof_load32(image, tail + 12);
  return 0;
}

static inline bareprof_word
claimed_counters_address(const struct bareprof_image *image,
                         const struct bareprof_layout *layout,
                         const unsigned char *record) {
  bareprof_word at = bareprof_load_pointer(image, record + 16);
  if (!(layout->fields & BAREPROF_ABSOLUTE))
    at += bareprof_address_of(&image->records, record);
  return bareprof_truncate_address(image, at);
}

/* Raw 7 and 8 differ only in CounterPtr: an address in 7, an offset in 8. If a
 * record's counters are outside the section, but would be inside for a record
 * of the other version, the objects of the image are from two compilers. */
static inline void check_pointer_version(struct bareprof_image_check *check,
                                         const unsigned char *record,
                                         bareprof_word offset) {
  const struct bareprof_image *image = check->profile.image;
  bareprof_word at = bareprof_address_of(&image->records, record);
  bareprof_word room = bareprof_span_size(&image->counters);
  if (offset >= room && (bareprof_truncate_address(image, offset + at) < room ||
                         bareprof_truncate_address(image, offset - at) < room))
    check->mixed = 1;
}

/* Checks the counters and bitmap bytes that a record claims, and adds up the
 * sizes of the counters. Errors are collected, not returned, because this makes
 * the code smaller. The test (count - 1) >> 24 finds a count of 0, and counts
 * that no RAM can hold.
 *
 * Records are in any order, and several may claim the same counters: if several
 * objects define one function, the linker takes one definition and may keep all
 * records. So one pass checks each claim separately. The host can sort records;
 * tools/image/shared_counters.c finds functions that share counters. */
static void check_record(struct bareprof_image_check *check,
                         const unsigned char *record) {
  struct bareprof_profile *profile = &check->profile;
  const struct bareprof_image *image = profile->image;
  const struct bareprof_layout *layout = bareprof_layout_of(profile);
  uint32_t mixed = layout->bitmap_at ? check_bitmap_claim(check, record) : 0;
  uint32_t count = bareprof_load32(image, record + layout->counts_at);
  check->mixed |= mixed | (count - 1) >> 24;
  profile->sites |= has_sites(image, layout, record);
  profile->record_count++;
  bareprof_word size = (bareprof_word)count << profile->shift;
  bareprof_word offset = claim_offset_in_piece(
      check, BAREPROF_PIECE_COUNTERS,
      claimed_counters_address(image, layout, record), size);
  if (!layout->bitmap_at)
    check_pointer_version(check, record, offset);
  check->claimed += size;
  check->astray |= offset & (((bareprof_word)1 << profile->shift) - 1);
}

/* Returns 0 if every piece that the raw version lacks is empty, and the last
 * vtable record is complete. */
static size_t has_excess_bytes(const struct bareprof_image *image,
                               const struct bareprof_layout *layout) {
  size_t vtables = bareprof_span_size(&image->vtables);
  size_t bytes = BAREPROF_VTABLES_REST(image, vtables);
  if (layout->kinds < 3)
    bytes = vtables | bareprof_span_size(&image->vtable_names);
  if (!layout->bitmap_at)
    bytes |= bareprof_span_size(&image->bitmap);
  return bytes;
}

/* Checks the sections, each record, and the sums over all records. Returns 0 or
 * an error of enum bareprof_error. After 0, check->profile describes the image.
 */
static inline int find_image_error(const struct bareprof_image *image,
                                   struct bareprof_image_check *check) {
  int error = check_image_bounds(image);
  if (error)
    return error;
  const unsigned char *record = image->records.begin;
  *check = (struct bareprof_image_check){
      .profile = {.image = image, .shift = bareprof_counter_shift(image)}};
#ifdef BAREPROF_ALL_ROWS
  check->profile.layout = bareprof_layout_find(image);
#endif
  const struct bareprof_layout *layout = bareprof_layout_of(&check->profile);
  for (; image->records.end - record >= layout->record_size;
       record += layout->record_size) {
    check_record(check, record);
    BAREPROF_KEEP(record);
  }
  size_t rest = (size_t)(image->records.end - record);
  if (rest | check->mixed | has_excess_bytes(image, layout))
    return BAREPROF_E_MIXED;
  /* If records are lost, the other records claim fewer counters than the
   * section has. Alignment may add up to 7 bytes between the byte counters of
   * two functions. */
  bareprof_word claimed = check->claimed;
  if (!check->profile.shift)
    claimed += 7 * (bareprof_word)check->profile.record_count;
  if (check->astray || claimed < bareprof_span_size(&image->counters))
    return BAREPROF_E_RECORD;
  if (check->profile.sites && !hook_values_write)
    return BAREPROF_E_VALUES;
  return 0;
}

/* Errors are negated here, once, so that find_image_error loads positive
 * constants: Thumb loads a small positive constant in 2 bytes, a negative one
 * in 4. */
int bareprof_check_image(const struct bareprof_image *image,
                         struct bareprof_image_check *check) {
  int error = -find_image_error(image, check);
  BAREPROF_KEEP(error);
  return -error;
}

int bareprof_status_image(const struct bareprof_image *image) {
  struct bareprof_image_check check;
  return bareprof_check_image(image, &check);
}

#ifndef BAREPROF_FOREIGN
int bareprof_status(void) { return bareprof_status_image(&bareprof_running); }
#endif

/* ---- all raw versions, for the host tool and for archives of LLVM=any ---- */

#ifdef BAREPROF_ALL_ROWS

#define ROWS(p)                                                                \
  BAREPROF_ROW_7(p), BAREPROF_ROW_8(p), BAREPROF_ROW_9(p), BAREPROF_ROW_10(p), \
      BAREPROF_ROW_11(p)

enum { VERSIONS = BAREPROF_RAW_VERSION_LAST - BAREPROF_RAW_VERSION_FIRST + 1 };
#ifdef BAREPROF_FOREIGN
static const struct bareprof_layout layouts[] = {ROWS(4), ROWS(8)};
#else
static const struct bareprof_layout layouts[] = {ROWS(sizeof(void *))};
#endif

const struct bareprof_layout *
bareprof_layout_find(const struct bareprof_image *image) {
  uint32_t row = (uint32_t)*image->version - BAREPROF_RAW_VERSION_FIRST;
  if (row >= VERSIONS)
    return NULL;
#ifdef BAREPROF_FOREIGN
  row += image->pointer_size == 8 ? VERSIONS : 0;
#endif
  return &layouts[row];
}

#endif
