/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A table of the differences between the raw versions: each version has a row.
 * image_layout.c uses a row to check records, profraw_write.c to fill the
 * header. Field orders and record layouts come from InstrProfData.inc of each
 * LLVM release (INSTR_PROF_RAW_HEADER, INSTR_PROF_DATA). The tests have no
 * compiler of raw 9 or 11: tests/target/as_raw makes their records from the
 * records of clang 22.
 *
 * An archive has only the row of its own raw version, as constants. The host
 * tool, and archives made with BAREPROF_ANY_VERSION, have all rows.
 */
#ifndef BAREPROF_RUNTIME_IMAGE_ROW_H
#define BAREPROF_RUNTIME_IMAGE_ROW_H

#include "image.h"

/* By default the archive has the raw version of its compiler, because the same
 * compiler usually compiles the firmware. BAREPROF_RAW_VERSION overrides the
 * choice: gcc compiles the runtime for objects of clang 14 with
 * -DBAREPROF_RAW_VERSION=8. */
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
  uint8_t counts_at;   /* offset of NumCounters in a record */
  uint8_t bitmap_at;   /* offset of NumBitmapBytes, or 0 */
  uint8_t kinds;       /* value kinds: entries of NumValueSites */
};

/* A flag in `fields`, at the bit of field 0: that bit is free, because all
 * versions have field 0. The flag is set for raw 7, where CounterPtr and
 * CountersDelta are addresses. From raw 8, CounterPtr is a distance from the
 * record, and CountersDelta a distance from the first record. */
#define BAREPROF_ABSOLUTE UINT32_C(1)

#define BAREPROF_BIT(field) (UINT32_C(1) << (BAREPROF_##field))

/* The fields of each version, except the first two, which all versions have. */
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

/* The rows for p-byte pointers. The pointers of a record are CounterPtr,
 * FunctionPointer and Values; raw 9 adds BitmapPtr, raw 11 one more. LLVM 13
 * writes raw 7, LLVM 14 to 17 raw 8, LLVM 18 raw 9, LLVM 19 to 22 raw 10, LLVM
 * 23 raw 11. */
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

/* Returns the row of the image's version, or NULL if no row has the version. */
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

/* The index of a header field in the array that profraw_write.c fills. The
 * first two fields are not in the array. With all rows, each field has an
 * index; with one row, only the fields of this row have one. */
#ifdef BAREPROF_ALL_ROWS
#define BAREPROF_PLACE(field) ((field)-BAREPROF_BINARY_IDS_SIZE)
enum { BAREPROF_PLACES = BAREPROF_FIELDS - BAREPROF_BINARY_IDS_SIZE };
#else
#define BAREPROF_FIELDS_OF_(version) BAREPROF_FIELDS_##version
#define BAREPROF_FIELDS_OF(version) BAREPROF_FIELDS_OF_(version)
#define BAREPROF_PLACE(field)                                             \
  __builtin_popcount((uint32_t)BAREPROF_FIELDS_OF(BAREPROF_RAW_VERSION) & \
                     (BAREPROF_BIT_AT(field) - 1))
#define BAREPROF_BIT_AT(field) (UINT32_C(1) << (field))
enum { BAREPROF_PLACES = BAREPROF_PLACE(BAREPROF_FIELDS) };
#endif

#endif
