/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What differs between the raw versions, as data, and the check of an image
 * against it. layout.c holds the table and the check, writer.c and merge.c
 * use them, the host tool too.
 */
#ifndef BAREPROF_RUNTIME_LAYOUT_H
#define BAREPROF_RUNTIME_LAYOUT_H

#include "image.h"

/* The header fields of all versions, 8 bytes each, in file order. A version
 * has a subset of them in this same order. */
enum bareprof_field {
  BAREPROF_MAGIC,
  BAREPROF_VERSION_WORD,
  BAREPROF_BINARY_IDS_SIZE,
  BAREPROF_NUM_DATA,
  BAREPROF_PADDING_BEFORE_COUNTERS,
  BAREPROF_NUM_COUNTERS,
  BAREPROF_PADDING_AFTER_COUNTERS,
  BAREPROF_NUM_BITMAP_BYTES,
  BAREPROF_PADDING_AFTER_BITMAP,
  BAREPROF_NUM_UNIFORM_COUNTERS,
  BAREPROF_PADDING_AFTER_UNIFORM,
  BAREPROF_UNIFORM_DELTA,
  BAREPROF_NAMES_SIZE,
  BAREPROF_COUNTERS_DELTA,
  BAREPROF_BITMAP_DELTA,
  BAREPROF_NAMES_DELTA,
  BAREPROF_NUM_VTABLES,
  BAREPROF_VTABLE_NAMES_SIZE,
  BAREPROF_VALUE_KIND_LAST,
  BAREPROF_FIELDS
};

/* A raw version. A record is
 *   u64 NameRef, FuncHash; pointer-sized fields (CounterPtr first);
 *   u32 NumCounters; u16 NumValueSites[kinds]; ... u32 NumBitmapBytes
 * padded to 8, so these numbers give its size and every offset in it. */
struct bareprof_layout {
  uint32_t fields;  /* bit f: the header has field f */
  uint8_t pointers; /* how many pointer-sized fields a record has */
  uint8_t tail;     /* bytes from NumCounters to the end, unpadded; from 12
                       on NumBitmapBytes is the last 4 of them */
  uint8_t kinds;    /* value kinds: entries of NumValueSites */
  uint8_t absolute; /* CounterPtr and CountersDelta are addresses (7), not
                       distances from the record and the records (8...) */
};

/* What the check finds out about an image, for the writer. */
struct bareprof_shape {
  const struct bareprof_layout *layout;
  size_t record_size;  /* bytes */
  size_t record_count; /* records */
  bool has_sites;      /* some record has value sites */
};

/* The row of a version word, or NULL if there is none. */
const struct bareprof_layout *bareprof_layout_find(uint64_t version);

/* Whether a full profile of image can be written: 0 and its shape, or an
 * error of enum bareprof_error and an unspecified shape. Reads every record,
 * and nothing through a bound that it has not checked. */
int bareprof_layout_check(const struct bareprof_image *image,
                          struct bareprof_shape *shape);

/* Offset in a record of NumCounters; NumValueSites follows it. */
static inline size_t bareprof_counts_at(const struct bareprof_image *image,
                                        const struct bareprof_layout *layout) {
  return 16 + bareprof_pointer_size(image) * (size_t)layout->pointers;
}

static inline bool bareprof_has_bitmap(const struct bareprof_layout *layout) {
  return layout->tail > 8;
}

static inline size_t bareprof_record_size(
    const struct bareprof_image *image, const struct bareprof_layout *layout) {
  size_t size = bareprof_counts_at(image, layout) + layout->tail;
  return (size + 7) & ~(size_t)7;
}

/* Whether a profile could be merged into image: 0, or why not. */
int bareprof_match(const struct bareprof_image *image, const void *profile,
                   size_t size);

/* Zero bytes behind size bytes, up to a multiple of 8. */
static inline size_t bareprof_padding(size_t size) {
  return (0 - size) & 7;
}

#endif
