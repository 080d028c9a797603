/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The raw format for the tests: the fields of LLVM's InstrProfData.inc in their
 * order, each with the first version that has it, laid out by the rules of C.
 * It does not use runtime/image_layout.c; tests/unit/run (inc.c) compares it
 * with the installed headers.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* A kind of machine, and the raw version of its compiler. */
struct target {
  unsigned version; /* 7 to 11 */
  unsigned pointer; /* bytes of a pointer: 4 or 8 */
  unsigned big;     /* big-endian */
};

enum header_field {
  H_MAGIC, H_VERSION, H_BINARY_IDS_SIZE, H_NUM_DATA, H_PAD_BEFORE_COUNTERS,
  H_NUM_COUNTERS, H_PAD_AFTER_COUNTERS, H_NUM_BITMAP_BYTES,
  H_PAD_AFTER_BITMAP, H_NUM_UNIFORM, H_PAD_AFTER_UNIFORM, H_UNIFORM_DELTA,
  H_NAMES_SIZE, H_COUNTERS_DELTA, H_BITMAP_DELTA, H_NAMES_DELTA,
  H_NUM_VTABLES, H_VNAMES_SIZE, H_VALUE_KIND_LAST, H_FIELDS
};

enum record_field {
  R_NAME_REF, R_FUNC_HASH, R_COUNTER_PTR, R_UNIFORM_PTR, R_BITMAP_PTR,
  R_FUNCTION_PTR, R_VALUES, R_NUM_COUNTERS, R_SITES_0, R_SITES_1, R_SITES_2,
  R_WAVE_SIZE, R_NUM_BITMAP_BYTES, R_FIELDS
};

#define NOWHERE SIZE_MAX

/* Return the offset of a field, or NOWHERE if the version lacks the field. For
 * H_FIELDS and R_FIELDS, return the size of the header and of a record. */
size_t header_offset(const struct target *target, enum header_field field);
size_t record_offset(const struct target *target, enum record_field field);
unsigned record_width(const struct target *target, enum record_field field);

const char *target_name(const struct target *target);

/* Load and store a number of `size` bytes in the target's byte order. */
uint64_t load(const struct target *target, const unsigned char *at,
              unsigned size);
void store(const struct target *target, unsigned char *at, unsigned size,
           uint64_t value);

/* Prints both tables of a target, for the comparison with the header. */
void format_print(const struct target *target);

#endif
