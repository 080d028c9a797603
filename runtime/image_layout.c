/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of raw versions, and the check of an image against its row. A
 * new LLVM is a new row. Field orders and record layouts: InstrProfData.inc
 * of each LLVM release (INSTR_PROF_RAW_HEADER, INSTR_PROF_DATA); raw 9 and
 * 11 have been read there only, no compiler of theirs has run here.
 *
 * The check reads the records as the row describes them. Records of another
 * compiler do not survive that: their NumCounters is read from a field that
 * is zero or an address, or their NumBitmapBytes from padding.
 */
#include "image_layout.h"
#include "seams.h"

#define BIT(field) (UINT32_C(1) << (field))

/* Without the first two, which every version has. */
#define FIELDS_8                                                        \
  (BIT(BAREPROF_BINARY_IDS_SIZE) | BIT(BAREPROF_NUM_DATA) |             \
   BIT(BAREPROF_PADDING_BEFORE_COUNTERS) | BIT(BAREPROF_NUM_COUNTERS) | \
   BIT(BAREPROF_PADDING_AFTER_COUNTERS) | BIT(BAREPROF_NAMES_SIZE) |    \
   BIT(BAREPROF_COUNTERS_DELTA) | BIT(BAREPROF_NAMES_DELTA) |           \
   BIT(BAREPROF_VALUE_KIND_LAST))
#define FIELDS_9                               \
  (FIELDS_8 | BIT(BAREPROF_NUM_BITMAP_BYTES) | \
   BIT(BAREPROF_PADDING_AFTER_BITMAP) | BIT(BAREPROF_BITMAP_DELTA))
#define FIELDS_10 \
  (FIELDS_9 | BIT(BAREPROF_NUM_VTABLES) | BIT(BAREPROF_VTABLE_NAMES_SIZE))
#define FIELDS_11                                   \
  (FIELDS_10 | BIT(BAREPROF_NUM_UNIFORM_COUNTERS) | \
   BIT(BAREPROF_PADDING_AFTER_UNIFORM) | BIT(BAREPROF_UNIFORM_DELTA))

/* The rows for pointers of p bytes. Of a record's pointers, v7 and v8 have
 * CounterPtr, FunctionPointer, Values; v9 adds BitmapPtr, v11 another. */
#define ALIGN8(size) (((size) + 7) / 8 * 8)
/* clang-format off */
#define ROWS(p)                                                             \
  {FIELDS_8 | BAREPROF_ABSOLUTE, ALIGN8(24 + 3 * (p)), 16 + 3 * (p), 0, 2}, \
  {FIELDS_8, ALIGN8(24 + 3 * (p)), 16 + 3 * (p), 0, 2},                     \
  {FIELDS_9, ALIGN8(28 + 4 * (p)), 16 + 4 * (p), 24 + 4 * (p), 2},          \
  {FIELDS_10, ALIGN8(32 + 4 * (p)), 16 + 4 * (p), 28 + 4 * (p), 3},         \
  {FIELDS_11, ALIGN8(32 + 5 * (p)), 16 + 5 * (p), 28 + 5 * (p), 3},
/* clang-format on */

/*  7: LLVM 13. 8: 14 to 17. 9: 18. 10: 19 to 22. 11: 23. */
enum { VERSIONS = BAREPROF_RAW_VERSION_LAST - BAREPROF_RAW_VERSION_FIRST + 1 };
#ifdef BAREPROF_FOREIGN
static const struct bareprof_layout layouts[] = {ROWS(4) ROWS(8)};
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

/* The sections as wholes, before anything in them is read. */
static BAREPROF_NOINLINE_THUMB int
check_sections(const struct bareprof_image *image) {
  bool counters = image->counters.begin != image->counters.end;
  if (image->records.begin == image->records.end)
    return counters              ? BAREPROF_E_NO_RECORDS
           : image->counters.end ? BAREPROF_E_EMPTY
                                 : BAREPROF_E_NO_BOUNDS;
  if (!counters)
    return BAREPROF_E_NO_COUNTERS;
  if (image->names.begin == image->names.end)
    return BAREPROF_E_NO_NAMES;
  bareprof_word low = bareprof_address(&image->records);
  if (bareprof_counter_shift(image))
    low |= bareprof_address(&image->counters) |
           bareprof_end_address(&image->counters);
  if (low & 7)
    return BAREPROF_E_ALIGN;
  if (image->guard && (uint32_t)*image->guard != bareprof_guard_word(image))
    return BAREPROF_E_NOT_INIT;
  return 0;
}

/* Each piece's name is for its number. */
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

/* The offset in its piece of a claim of size bytes that begins at the link
 * address at. Notes an error if the claim is not all inside. */
static BAREPROF_NOINLINE bareprof_word locate(struct bareprof_check *check,
                                              const struct bareprof_span *piece,
                                              bareprof_word at,
                                              bareprof_word size) {
  const struct bareprof_image *image = check->profile.image;
  bareprof_word offset =
      bareprof_cut(image, at + bareprof_bias(image) - bareprof_address(piece));
  bareprof_word room = bareprof_span_size(piece);
  if (size > room || offset > room - size)
    check->astray = 1;
  return offset;
}

/* A record's claim on the bitmaps: inside, and no more than there are.
 * Unclaimed bitmaps may lie between: ThinLTO leaves those of functions that the
 * linker drops. So the bitmap sizes do not tell raw 9 from 10. These have
 * NumBitmapBytes in one or the other of the two words behind the first two
 * value sites; the other word is padding or a third site. A record with a
 * bitmap's pointer and no size, but with a value in the other word, is of the
 * other version. */
static inline void walk_bitmap(struct bareprof_check *check,
                               const unsigned char *record) {
  const struct bareprof_image *image = check->profile.image;
  const struct bareprof_layout *layout = check->profile.layout;
  const unsigned char *tail = record + layout->counts_at;
  /* BitmapPtr is the last but two before NumCounters. */
  bareprof_word pointer =
      bareprof_load_pointer(image, tail - 3 * bareprof_pointer_size(image));
  uint32_t count = bareprof_load32(image, record + layout->bitmap_at);
  if (count)
    locate(check, &image->bitmap,
           pointer + bareprof_address_of(&image->records, record), count);
  else if (pointer)
    check->mixed |=
        bareprof_load32(image, tail + 8) | bareprof_load32(image, tail + 12);
}

/* The link address of the counters that a record claims. */
static inline bareprof_word claim_of(const struct bareprof_image *image,
                                     const struct bareprof_layout *layout,
                                     const unsigned char *record) {
  bareprof_word at = bareprof_load_pointer(image, record + 16);
  if (!(layout->fields & BAREPROF_ABSOLUTE))
    at += bareprof_address_of(&image->records, record);
  return bareprof_cut(image, at);
}

/* Half of the hash of a function's shape. */
static inline uint32_t shape_of(const struct bareprof_image *image,
                                const unsigned char *record) {
  return bareprof_load32(image, record + (bareprof_is_big(image) ? 12 : 8));
}

const unsigned char *bareprof_first_twin(const struct bareprof_profile *profile,
                                         const unsigned char *from,
                                         const unsigned char *record) {
  const struct bareprof_image *image = profile->image;
  const struct bareprof_layout *layout = profile->layout;
  while (claim_of(image, layout, from) != claim_of(image, layout, record) ||
         shape_of(image, from) != shape_of(image, record))
    from += layout->record_size;
  return from;
}

/* Adds up a record's claims on counters and bitmaps. Nothing is judged here,
 * which is smaller: a count of 0 (less one) or one beyond any RAM stays in
 * mixed.
 *
 * In usual order counters follow each other as their records do: each record's
 * counters lie right behind those of the last record. Twins are the exception.
 * If several objects define a weak function, the linker takes one definition
 * and, without --gc-sections, keeps all records. All of them claim the counters
 * of the first; no record claims the others' counters.
 *
 * LTO, which leaves one definition, has an order of its own for each section.
 * Such claims are added up: how far each is from its usual place, times its
 * size. The sum is 0 if each counter is claimed once, and hardly ever in other
 * cases. The search for a twin begins at the last such record, so that all
 * searches without a result take one pass together. */
static BAREPROF_NOINLINE void walk_record(struct bareprof_check *check,
                                          const unsigned char *record) {
  struct bareprof_profile *profile = &check->profile;
  const struct bareprof_image *image = profile->image;
  const struct bareprof_layout *layout = profile->layout;
  const unsigned char *tail = record + layout->counts_at;
  uint32_t count = bareprof_load32(image, tail);
  check->mixed |= (count - 1) >> 24;
  profile->sites |= bareprof_load32(image, tail + 4);
  if (layout->kinds > 2)
    profile->sites |= bareprof_load16(image, tail + 8);
  profile->record_count++;
  if (layout->bitmap_at)
    walk_bitmap(check, record);
  bareprof_word size = (bareprof_word)count << profile->shift;
  bareprof_word offset =
      locate(check, &image->counters, claim_of(image, layout, record), size);
  /* Right for a record of LLVM 13, where it should be a later one's, or the
   * other way round: to be refused as two compilers. */
  bareprof_word at = bareprof_address_of(&image->records, record);
  bareprof_word room = bareprof_span_size(&image->counters);
  if (offset >= room && (bareprof_cut(image, offset + at) < room ||
                         bareprof_cut(image, offset - at) < room))
    check->mixed = 1;
  bareprof_word usual = check->claimed;
  check->claimed += size;
  if (offset != usual &&
      bareprof_first_twin(profile, check->from, record) == record) {
    check->from = record;
    /* Between counters of one byte, whose shift is 0, there may be gaps. */
    check->astray += (offset - usual) * size * profile->shift;
  }
}

/* Bytes of pieces that the version does not have, or of half a record. */
static size_t left_over(const struct bareprof_image *image,
                        const struct bareprof_layout *layout) {
  size_t vtables = bareprof_span_size(&image->vtables);
  size_t bytes = vtables % bareprof_vtable_size(image);
  if (layout->kinds < 3)
    bytes = vtables | bareprof_span_size(&image->vtable_names);
  if (!layout->bitmap_at)
    bytes |= bareprof_span_size(&image->bitmap);
  return bytes;
}

int bareprof_check(const struct bareprof_image *image,
                   struct bareprof_check *check) {
  const struct bareprof_layout *layout = bareprof_layout_find(image);
  if (!layout)
    return BAREPROF_E_VERSION;
  /* So that the compiler looks up the row's values, and does not compute them
   * from the version again. */
  __asm__("" : "+r"(layout), "+r"(image));
  int error = check_sections(image);
  if (error)
    return error;
  const unsigned char *record = image->records.begin;
  *check = (struct bareprof_check){
      .profile = {.image = image,
                  .layout = layout,
                  .shift = bareprof_counter_shift(image)},
      .from = record};
  for (; (size_t)(image->records.end - record) >= layout->record_size;
       record += layout->record_size)
    walk_record(check, record);
  size_t rest = (size_t)(image->records.end - record);
  if (rest | check->mixed | left_over(image, layout))
    return BAREPROF_E_MIXED;
  /* Alignment may lie between two functions' counters of one byte each. */
  bareprof_word unclaimed =
      bareprof_span_size(&image->counters) - check->claimed;
  bareprof_word allowed =
      check->profile.shift ? 0 : 7 * check->profile.record_count;
  if (check->astray || unclaimed > allowed)
    return BAREPROF_E_RECORD;
  return check->profile.sites && !seam_values_write ? BAREPROF_E_VALUES : 0;
}
