/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines a table of the differences between the raw versions, the versions of
 * LLVM's raw profile format. Each raw version has a row. image_layout.c checks
 * an image with the row of its version; profraw_write.c and profraw_merge.c use
 * the row and the result of the check. Field orders and record layouts come
 * from InstrProfData.inc of each LLVM release (INSTR_PROF_RAW_HEADER,
 * INSTR_PROF_DATA). `make test` lacks a compiler that writes raw 9 or 11, so
 * tests/target/as_raw makes such records from the records of clang 22. Only
 * `tests/run releases` has clang 18 and 23, which write them.
 *
 * An archive has only the row of its own raw version, so that the row's fields
 * are constants. The host tool, and archives made with BAREPROF_ANY_VERSION,
 * have all rows.
 */
#ifndef BAREPROF_RUNTIME_IMAGE_LAYOUT_H
#define BAREPROF_RUNTIME_IMAGE_LAYOUT_H

#include "image.h"

/* By default the archive supports the raw version that its compiler writes,
 * because the same compiler usually compiles the firmware. The build may define
 * BAREPROF_RAW_VERSION instead: with -DBAREPROF_RAW_VERSION=8, gcc compiles the
 * runtime for objects of clang 14. */
#ifndef BAREPROF_RAW_VERSION
#if !defined __clang_major__
#define BAREPROF_RAW_VERSION 10
#elif __clang_major__ > 23 && !defined BAREPROF_ANY_VERSION && \
    !defined BAREPROF_FOREIGN
#error "clang 13 to 23 are known: get a newer bareprof"
#elif __clang_major__ >= 23
#define BAREPROF_RAW_VERSION 11
#elif __clang_major__ >= 19
#define BAREPROF_RAW_VERSION 10
#elif __clang_major__ == 18
#define BAREPROF_RAW_VERSION 9
#elif __clang_major__ >= 14
#define BAREPROF_RAW_VERSION 8
#else
#define BAREPROF_RAW_VERSION 7
#endif
#endif

#if BAREPROF_RAW_VERSION < 7 || BAREPROF_RAW_VERSION > 11
#error "raw versions 7 to 11 are known: get a newer bareprof"
#endif

#if defined BAREPROF_FOREIGN || defined BAREPROF_ANY_VERSION
#define BAREPROF_ALL_ROWS
#endif

/* The fields of a profile's header, 8 bytes each, in file order. A raw version
 * has some of these fields, in this order. */
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

/* A row of the table describes a raw version. A record of that version is
 *   u64 NameRef, FuncHash; pointer-sized fields (CounterPtr first);
 *   u32 NumCounters; u16 NumValueSites[kinds]; ... u32 NumBitmapBytes
 * padded to 8. */
struct bareprof_layout {
  uint32_t fields;     /* bit f: the header has field f; bit 0: ABSOLUTE */
  uint8_t record_size; /* bytes of a record, a multiple of 8 */
  uint8_t counts_at;   /* offset of NumCounters in a record */
  uint8_t bitmap_at;   /* offset of NumBitmapBytes, or 0 */
  uint8_t kinds;       /* number of value kinds, as in NumValueSites */
};

/* This flag is bit 0 of `fields`. Bit 0 is free for a flag, because all
 * versions have header field 0. The flag is set for raw 7, where CounterPtr and
 * CountersDelta are addresses. In later versions, CounterPtr is a distance from
 * the record, and CountersDelta a distance from the first record. */
#define BAREPROF_ABSOLUTE UINT32_C(1)

#define BAREPROF_BIT(field) (UINT32_C(1) << (BAREPROF_##field))

/* The header fields of each version. The first two fields, which all versions
 * have, are left out. */
#define BAREPROF_FIELDS_8                                               \
  (BAREPROF_BIT(BINARY_IDS_SIZE) | BAREPROF_BIT(NUM_DATA) |             \
   BAREPROF_BIT(PADDING_BEFORE_COUNTERS) | BAREPROF_BIT(NUM_COUNTERS) | \
   BAREPROF_BIT(PADDING_AFTER_COUNTERS) | BAREPROF_BIT(NAMES_SIZE) |    \
   BAREPROF_BIT(COUNTERS_DELTA) | BAREPROF_BIT(NAMES_DELTA) |           \
   BAREPROF_BIT(VALUE_KIND_LAST))
#define BAREPROF_FIELDS_7 BAREPROF_FIELDS_8
#define BAREPROF_FIELDS_9                               \
  (BAREPROF_FIELDS_8 | BAREPROF_BIT(NUM_BITMAP_BYTES) | \
   BAREPROF_BIT(PADDING_AFTER_BITMAP) | BAREPROF_BIT(BITMAP_DELTA))
#define BAREPROF_FIELDS_10                         \
  (BAREPROF_FIELDS_9 | BAREPROF_BIT(NUM_VTABLES) | \
   BAREPROF_BIT(VTABLE_NAMES_SIZE))
#define BAREPROF_FIELDS_11                                   \
  (BAREPROF_FIELDS_10 | BAREPROF_BIT(NUM_UNIFORM_COUNTERS) | \
   BAREPROF_BIT(PADDING_AFTER_UNIFORM) | BAREPROF_BIT(UNIFORM_DELTA))

/* Each macro makes the table row of a raw version, for targets with p-byte
 * pointers. The pointers of a record are CounterPtr, FunctionPointer and
 * Values; raw 9 adds BitmapPtr, and raw 11 adds one more. LLVM 13 writes raw 7,
 * LLVM 14 to 17 raw 8, LLVM 18 raw 9, LLVM 19 to 22 raw 10, LLVM 23 raw 11. */
#define BAREPROF_ALIGN8(size) (((size) + 7) / 8 * 8)
/* clang-format off */
#define BAREPROF_ROW_7(p)                                           \
  {BAREPROF_FIELDS_7 | BAREPROF_ABSOLUTE,                           \
   BAREPROF_ALIGN8(24 + 3 * (p)), 16 + 3 * (p), 0, 2}
#define BAREPROF_ROW_8(p)                                           \
  {BAREPROF_FIELDS_8,                                               \
   BAREPROF_ALIGN8(24 + 3 * (p)), 16 + 3 * (p), 0, 2}
#define BAREPROF_ROW_9(p)                                           \
  {BAREPROF_FIELDS_9,                                               \
   BAREPROF_ALIGN8(28 + 4 * (p)), 16 + 4 * (p), 24 + 4 * (p), 2}
#define BAREPROF_ROW_10(p)                                          \
  {BAREPROF_FIELDS_10,                                              \
   BAREPROF_ALIGN8(32 + 4 * (p)), 16 + 4 * (p), 28 + 4 * (p), 3}
#define BAREPROF_ROW_11(p)                                          \
  {BAREPROF_FIELDS_11,                                              \
   BAREPROF_ALIGN8(32 + 5 * (p)), 16 + 5 * (p), 28 + 5 * (p), 3}
/* clang-format on */

/* Returns the row of the image's version, or NULL if the table lacks it. */
#ifdef BAREPROF_ALL_ROWS
const struct bareprof_layout *
bareprof_layout_find(const struct bareprof_image *image);
#else
#define BAREPROF_ROW_OF_(version) BAREPROF_ROW_##version(sizeof(void *))
#define BAREPROF_ROW_OF(version) BAREPROF_ROW_OF_(version)
static const struct bareprof_layout bareprof_one_row =
    BAREPROF_ROW_OF(BAREPROF_RAW_VERSION);

static inline const struct bareprof_layout *
bareprof_layout_find(const struct bareprof_image *image) {
  return (uint32_t)*image->version == BAREPROF_RAW_VERSION ? &bareprof_one_row
                                                           : NULL;
}
#endif

/* ---- the check of an image ---- */

/* One image, and the results of its check that writers need. */
struct bareprof_profile {
  const struct bareprof_image *image;
#ifdef BAREPROF_ALL_ROWS
  const struct bareprof_layout *layout;
#endif
  size_t record_count; /* number of records */
  unsigned shift;      /* log2 of a counter's size in bytes */
  uint32_t sites;      /* not 0 if a record has value sites */
};

/* The result of the check, and fields that only the check needs. */
struct bareprof_image_check {
  struct bareprof_profile profile;
  bareprof_word claimed; /* bytes of counters that records claim so far */
  bareprof_word astray;  /* not 0 if a record claims bytes outside a piece, or
                            a part of a counter */
  uint32_t mixed;        /* not 0 if a record is of another version */
};

/* Returns the table row of a profile that has been checked. */
static inline const struct bareprof_layout *
bareprof_layout_of(const struct bareprof_profile *profile) {
#ifdef BAREPROF_ALL_ROWS
  return profile->layout;
#else
  (void)profile;
  return &bareprof_one_row;
#endif
}

/* Checks that a full profile of the image can be written. Returns 0, with the
 * results in *check, or an error. The check reads every record, but does not
 * follow the pointers in it. */
int bareprof_check_image(const struct bareprof_image *image,
                         struct bareprof_image_check *check);

/* Returns 0 if the profile can be merged into the image, or the error. */
int bareprof_match_profile(const struct bareprof_image *image,
                           const void *profile, size_t size);

/* Returns the size of a vtable record. A record has a u64 hash, a pointer and a
 * u32 size, and is padded to 8 bytes. */
static inline size_t bareprof_vtable_size(const struct bareprof_image *image) {
  return bareprof_pointer_size(image) == 8 ? 24 : 16;
}

/* These macros return the number of vtable records in `size` bytes, and the
 * number of bytes left over. 32-bit targets shift and mask, because small cores
 * would call a function to divide. */
#if !defined BAREPROF_FOREIGN && __SIZEOF_POINTER__ == 4
#define BAREPROF_VTABLES(image, size) ((size) >> 4)
#define BAREPROF_VTABLES_REST(image, size) ((size)&15)
#else
#define BAREPROF_VTABLES(image, size) ((size) / bareprof_vtable_size(image))
#define BAREPROF_VTABLES_REST(image, size) \
  ((size) % bareprof_vtable_size(image))
#endif

/* Returns how many zero bytes pad size to a multiple of 8. */
static inline size_t bareprof_padding(size_t size) { return (0 - size) & 7; }

#endif
