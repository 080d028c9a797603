/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compares a profile of another process of this build with this one, and adds
 * its counts. bareprof_merge, made for targets, requires everything to be equal
 * except the counts. This accepts the profiles that compiler-rt accepts, by the
 * header's numbers and each record's hashes and numbers of counters. Addresses
 * may differ, and so may build ids and names. It calls no function of the C
 * library and allocates no memory: programs without either have profiles in
 * buffers.
 */
#include "weak_hooks.h"
#include "values.h"
#include "profraw_write.h"
#include "hosted.h"

/* A piece of so many parts begins at *at; moves it to what is next, and tells
 * where the piece begins. As many zeros are behind it as its own size asks for:
 * behind counters of a byte, of versions 7 and 8, pieces begin anywhere. */
static size_t take(uint64_t *at, uint64_t count, size_t size) {
  size_t begin = (size_t)*at;
  /* So that no product or sum comes round. */
  if (count >> 40)
    count = UINT64_C(1) << 40;
  *at += count * size;
  *at += bareprof_padding((size_t)(count * size));
  return begin;
}

int bareprof_hosted_find_pieces(struct bareprof_hosted_pieces *pieces,
                                const unsigned char *profile, size_t size) {
  const struct bareprof_image *image = &bareprof_hosted_image;
  const struct bareprof_layout *layout = bareprof_layout_find(image);
  uint64_t at = bareprof_header_size(layout);
  if (size < at)
    return BAREPROF_E_TRUNCATED;
#define FIELD(name) bareprof_hosted_field(profile, BAREPROF_##name)
  take(&at, FIELD(BINARY_IDS_SIZE), 1);
  pieces->records = take(&at, FIELD(NUM_DATA), layout->record_size);
  pieces->counters = (size_t)at;
  at += (FIELD(NUM_COUNTERS) << bareprof_counter_shift(image)) +
        bareprof_counters_padding(image, layout);
  pieces->bitmap = (size_t)at;
  take(&at, FIELD(NUM_BITMAP_BYTES), 1);
  pieces->names = (size_t)at;
  if (size < at || size - at < FIELD(NAMES_SIZE))
    return BAREPROF_E_TRUNCATED;
  take(&at, FIELD(NAMES_SIZE), 1);
  pieces->vtables = take(&at, FIELD(NUM_VTABLES), bareprof_vtable_size(image));
  pieces->vtable_names = take(&at, FIELD(VTABLE_NAMES_SIZE), 1);
  pieces->values = (size_t)at;
#undef FIELD
  return 0;
}

/* The numbers in the header that compiler-rt looks at. */
static int check_header(const struct bareprof_profile *checked,
                        const unsigned char *profile, size_t size) {
  const struct bareprof_image *image = checked->image;
  uint64_t magic = BAREPROF_MAGIC_WORD(sizeof(void *) == 8);
  if (size < sizeof magic || __builtin_memcmp(profile, &magic, sizeof magic))
    return BAREPROF_E_NOT_PROFILE;
  if (size < bareprof_header_size(checked->layout))
    return BAREPROF_E_TRUNCATED;
#define DIFFERS(name, number) \
  (bareprof_hosted_field(profile, BAREPROF_##name) != (number))
  return DIFFERS(VERSION_WORD, *image->version) ||
                 DIFFERS(NUM_DATA, bareprof_span_size(&image->records) /
                                       checked->layout->record_size) ||
                 DIFFERS(NUM_COUNTERS, bareprof_span_size(&image->counters) >>
                                           checked->shift) ||
                 DIFFERS(NUM_BITMAP_BYTES,
                         bareprof_span_size(&image->bitmap)) ||
                 DIFFERS(NAMES_SIZE, bareprof_span_size(&image->names)) ||
                 DIFFERS(VALUE_KIND_LAST, checked->layout->kinds - 1u)
             ? BAREPROF_E_OTHER_LAYOUT
             : 0;
#undef DIFFERS
}

/* Which counters a record has: their place behind the first one. Version 7
 * has addresses, the others distances from the record; first is the address
 * of the counters, or their distance from the first record. */
static uint64_t place(const struct bareprof_layout *layout,
                      const unsigned char *record, size_t number,
                      uint64_t first) {
  uint64_t pointer;
  __builtin_memcpy(&pointer, record + 16, sizeof pointer);
  return pointer - first +
         (layout->fields & BAREPROF_ABSOLUTE ? 0
                                             : number * layout->record_size);
}

static bool is_same_number(const unsigned char *one, const unsigned char *other,
                           unsigned at, size_t size) {
  return __builtin_memcmp(one + at, other + at, size) == 0;
}

/* Whether each record is the same function's; behind the numbers of counters
 * are those of value sites. */
static int check_records(const struct bareprof_profile *checked,
                         const unsigned char *theirs, bool *moved,
                         uint64_t first) {
  const struct bareprof_image *image = checked->image;
  const struct bareprof_layout *layout = checked->layout;
  const unsigned char *ours = image->records.begin;
  uint64_t begin = bareprof_begin_address(&image->counters);
  if (!(layout->fields & BAREPROF_ABSOLUTE))
    begin -= bareprof_begin_address(&image->records);
  size_t counts = 4 + 2 * (size_t)layout->kinds;
  for (size_t i = 0; i < checked->record_count; i++) {
    if (!is_same_number(ours, theirs, 0, 16) ||
        !is_same_number(ours, theirs, layout->counts_at, counts) ||
        (layout->bitmap_at &&
         !is_same_number(ours, theirs, layout->bitmap_at, 4)))
      return BAREPROF_E_OTHER_BUILD;
    *moved |= place(layout, ours, i, begin) != place(layout, theirs, i, first);
    ours += layout->record_size;
    theirs += layout->record_size;
  }
  return 0;
}

/* Counts of 8 bytes add up, those of one byte are united: 0 is for code that
 * has run. */
static void add_counters(const struct bareprof_image *image,
                         const unsigned char *from) {
  unsigned char *to = (unsigned char *)(uintptr_t)image->counters.begin;
  unsigned char *end = (unsigned char *)(uintptr_t)image->counters.end;
  if (!bareprof_counter_shift(image))
    while (to != end)
      *to++ &= *from++;
  for (; to != end; to += 8, from += 8) {
    uint64_t count, sum;
    bareprof_any64 *counter = (bareprof_any64 *)(uintptr_t)to;
    __builtin_memcpy(&count, from, sizeof count);
    sum = *counter + count;
    *counter = sum < count ? UINT64_MAX : sum;
  }
}

static int add_values(const struct bareprof_profile *checked,
                      const unsigned char *profile, size_t values,
                      size_t size) {
  uint64_t slide = bareprof_begin_address(&checked->image->names) -
                   bareprof_hosted_field(profile, BAREPROF_NAMES_DELTA);
  struct bareprof_slide moved = bareprof_hosted_module;
  moved.slide = (uintptr_t)slide;
  if (!hook_values_merge)
    return BAREPROF_E_VALUES;
  if (hook_hosted_make_values)
    hook_hosted_make_values();
  if (size < values)
    size = values;
  return hook_values_merge(checked, profile + values, size - values, &moved)
             ? BAREPROF_HOSTED_DAMAGED
             : 0;
}

int bareprof_hosted_match(const void *profile, size_t size) {
  struct bareprof_image bare;
  struct bareprof_hosted_pieces pieces;
  struct bareprof_profile checked = {0};
  bool moved = false;
  int error = bareprof_hosted_check(&checked, &bare);
  if (!error)
    error = check_header(&checked, profile, size);
  if (!error)
    error = bareprof_hosted_find_pieces(&pieces, profile, size);
  return error ? error
               : check_records(&checked,
                               (const unsigned char *)profile + pieces.records,
                               &moved, 0);
}

int bareprof_hosted_merge(const void *profile, size_t size) {
  const unsigned char *bytes = profile;
  struct bareprof_image bare;
  struct bareprof_hosted_pieces pieces;
  struct bareprof_profile checked = {0};
  bool moved = false;
  int error = bareprof_hosted_match(profile, size);
  if (error || (error = bareprof_hosted_check(&checked, &bare)) != 0)
    return error;
  if (*checked.image->version & BAREPROF_TEMPORAL)
    return BAREPROF_HOSTED_TEMPORAL;
  bareprof_hosted_find_pieces(&pieces, profile, size);
  check_records(&checked, bytes + pieces.records, &moved,
                bareprof_hosted_field(profile, BAREPROF_COUNTERS_DELTA));
  if (moved)
    return BAREPROF_HOSTED_DAMAGED;
  if (checked.sites &&
      (error = add_values(&checked, bytes, pieces.values, size)))
    return error;
  add_counters(checked.image, bytes + pieces.counters);
  unsigned char *to = (unsigned char *)(uintptr_t)checked.image->bitmap.begin;
  const unsigned char *from = bytes + pieces.bitmap;
  while (to != checked.image->bitmap.end)
    *to++ |= *from++;
  return 0;
}
