/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The differences between the raw versions, as data, and the check of an image
 * against them. image_layout.c has the table and the check; profraw_write.c,
 * profraw_merge.c and the host tool use them.
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
 * padded to 8. */
struct bareprof_layout {
  uint32_t fields;     /* bit f: the header has field f; and flags */
  uint8_t record_size; /* bytes of a record, a multiple of 8 */
  uint8_t counts_at;   /* offset of NumCounters in it */
  uint8_t bitmap_at;   /* offset of NumBitmapBytes in it; 0: none */
  uint8_t kinds;       /* value kinds: entries of NumValueSites */
};

/* A flag in the place of field 0, which all versions have: CounterPtr and
 * CountersDelta are addresses (7), not distances from the record and from the
 * records (8 and later). */
#define BAREPROF_ABSOLUTE UINT32_C(1)

/* A dump in progress: the image, the results of the check, and the sink. Begins
 * as {.image = image, .sink = sink}. */
struct bareprof_profile {
  const struct bareprof_image *image;
  const struct bareprof_layout *layout;
  size_t record_count; /* records */
  unsigned shift;      /* log2 of the bytes of a counter */
  uint32_t sites;      /* not 0: some record has value sites */
};

/* The check at work: what it has found out, and what only it needs. */
struct bareprof_check {
  struct bareprof_profile profile;
  bareprof_word claimed;     /* bytes of counters, of all records until now */
  bareprof_word astray;      /* not 0: some claim is outside, or none's turn */
  const unsigned char *from; /* the first record that may have a twin */
  uint32_t mixed;            /* not 0: some record is not of the row */
};

/* The row of the image's version, or NULL if there is none. */
const struct bareprof_layout *
bareprof_layout_find(const struct bareprof_image *image);

/* Checks that a full profile of dump->image can be written. Returns 0, with the
 * results in *dump, or an error of enum bareprof_error. Reads every record, and
 * nothing through an unchecked bound. Value sites need values_write.c to write
 * them. */
int bareprof_check(const struct bareprof_image *image,
                   struct bareprof_check *check);

/* The first record from one on, up to record itself, that claims the same
 * counters and is of a function of the same shape. */
const unsigned char *bareprof_first_twin(const struct bareprof_profile *profile,
                                         const unsigned char *from,
                                         const unsigned char *record);

/* Whether a profile could be merged into image: 0, or why not. */
int bareprof_match(const struct bareprof_image *image, const void *profile,
                   size_t size);

/* The bytes of a vtable record: u64 hash, pointer, u32 size, padded to 8. */
static inline size_t bareprof_vtable_size(const struct bareprof_image *image) {
  return bareprof_pointer_size(image) == 8 ? 24 : 16;
}

/* Zero bytes behind size bytes, up to a multiple of 8. */
static inline size_t bareprof_padding(size_t size) { return (0 - size) & 7; }

#endif
