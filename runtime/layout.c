/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of raw versions, and the check of an image against its row. A
 * new LLVM is a new row. Field orders and record layouts: InstrProfData.inc
 * of each LLVM release (INSTR_PROF_RAW_HEADER, INSTR_PROF_DATA); raw 9 and
 * 11 have been read there only, no compiler of theirs has run here.
 *
 * The check reads the records as the row describes them. Records of another
 * compiler do not survive that: their NumCounters is read from a field that
 * is zero or an address, or the bitmaps do not add up.
 */
#include "layout.h"

#define BIT(field) (UINT32_C(1) << (field))

#define FIELDS_7                                                           \
  (BIT(BAREPROF_MAGIC) | BIT(BAREPROF_VERSION_WORD) |                      \
   BIT(BAREPROF_BINARY_IDS_SIZE) | BIT(BAREPROF_NUM_DATA) |                \
   BIT(BAREPROF_PADDING_BEFORE_COUNTERS) | BIT(BAREPROF_NUM_COUNTERS) |    \
   BIT(BAREPROF_PADDING_AFTER_COUNTERS) | BIT(BAREPROF_NAMES_SIZE) |       \
   BIT(BAREPROF_COUNTERS_DELTA) | BIT(BAREPROF_NAMES_DELTA) |              \
   BIT(BAREPROF_VALUE_KIND_LAST))
#define FIELDS_9                                                           \
  (FIELDS_7 | BIT(BAREPROF_NUM_BITMAP_BYTES) |                             \
   BIT(BAREPROF_PADDING_AFTER_BITMAP) | BIT(BAREPROF_BITMAP_DELTA))
#define FIELDS_10                                                          \
  (FIELDS_9 | BIT(BAREPROF_NUM_VTABLES) | BIT(BAREPROF_VTABLE_NAMES_SIZE))
#define FIELDS_11                                                          \
  (FIELDS_10 | BIT(BAREPROF_NUM_UNIFORM_COUNTERS) |                        \
   BIT(BAREPROF_PADDING_AFTER_UNIFORM) | BIT(BAREPROF_UNIFORM_DELTA))

static const struct bareprof_layout layouts[] = {
    {FIELDS_7, 3, 8, 2, 1},    /*  7: LLVM 13 */
    {FIELDS_7, 3, 8, 2, 0},    /*  8: LLVM 14 to 17 */
    {FIELDS_9, 4, 12, 2, 0},   /*  9: LLVM 18 */
    {FIELDS_10, 4, 16, 3, 0},  /* 10: LLVM 19 to 22 */
    {FIELDS_11, 5, 16, 3, 0},  /* 11: LLVM 23 */
};

const struct bareprof_layout *bareprof_layout_find(uint64_t version) {
  uint32_t row = (uint32_t)version - BAREPROF_RAW_VERSION_FIRST;
  return row < sizeof layouts / sizeof *layouts ? &layouts[row] : NULL;
}

/* The sections as wholes, before anything in them is read. */
static int check_sections(const struct bareprof_image *image) {
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
    low |= bareprof_address(&image->counters);
  if (low & 7)
    return BAREPROF_E_ALIGN;
  if (image->guard && *image->guard != bareprof_guard_word(image))
    return BAREPROF_E_NOT_INIT;
  return 0;
}


/* A record of LLVM 13 read as a later one, or the other way round, points
 * to its counters all the same once its pointer is read the other way. */
static int claims_otherwise(const struct bareprof_image *image,
                            const struct bareprof_layout *layout,
                            bareprof_word pointer, bareprof_word record) {
  bareprof_word at = pointer + (layout->absolute ? record : 0) -
                     bareprof_address(&image->counters);
  return bareprof_cut(image, at) < bareprof_span_size(&image->counters)
             ? BAREPROF_E_MIXED
             : BAREPROF_E_RECORD;
}

static int walk_records(const struct bareprof_image *image,
                        struct bareprof_shape *shape) {
  const struct bareprof_layout *layout = shape->layout;
  size_t counts_at = bareprof_counts_at(image, layout);
  unsigned shift = bareprof_counter_shift(image);
  /* What the records have not claimed yet: how much, and from which address. */
  size_t counters = bareprof_span_size(&image->counters);
  size_t bitmap = bareprof_span_size(&image->bitmap);
  bareprof_word record = bareprof_address(&image->records);
  const unsigned char *at = image->records.begin;
  bareprof_word counters_at = bareprof_address(&image->counters);
  bareprof_word bitmap_at = bareprof_address(&image->bitmap);

  for (; at != image->records.end; at += shape->record_size) {
    if ((size_t)(image->records.end - at) < shape->record_size)
      return BAREPROF_E_MIXED;
    const unsigned char *counts = at + counts_at;
    bareprof_word pointer = bareprof_load_pointer(image, at + 16);
    bareprof_word gap = bareprof_cut(
        image, pointer - counters_at + (layout->absolute ? 0 : record));
    if (gap >= 8 || gap > counters)
      return claims_otherwise(image, layout, pointer, record);
    counters -= (size_t)gap;
    uint32_t count = bareprof_load32(image, counts);
    if (count - 1 >= counters >> shift)
      return BAREPROF_E_MIXED;
    counters -= (size_t)count << shift;
    counters_at += gap + ((size_t)count << shift);
    if (bareprof_has_bitmap(layout)) {
      count = bareprof_load32(image, counts + layout->tail - 4);
      /* BitmapPtr is the last but two before NumCounters. */
      pointer = bareprof_load_pointer(
          image, counts - 3 * bareprof_pointer_size(image));
      if (count) {
        if (bareprof_cut(image, pointer + record - bitmap_at) || count > bitmap)
          return BAREPROF_E_RECORD;
        bitmap -= count;
        bitmap_at += count;
      }
    }
    for (unsigned kind = 0; kind < layout->kinds; kind++)
      shape->has_sites |= bareprof_load16(image, counts + 4 + 2 * kind) != 0;
    shape->record_count++;
    record += shape->record_size;
  }
  return counters >= 8 ? BAREPROF_E_RECORD : bitmap ? BAREPROF_E_MIXED : 0;
}

int bareprof_layout_check(const struct bareprof_image *image,
                          struct bareprof_shape *shape) {
  const struct bareprof_layout *layout = bareprof_layout_find(*image->version);
  if (!layout)
    return BAREPROF_E_VERSION;
  *shape = (struct bareprof_shape){
      layout, bareprof_record_size(image, layout), 0, false};
  int error = check_sections(image);
  return error ? error : walk_records(image, shape);
}
