/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of a program compiled with -profile-correlate=debug-info
 * (-debug-info-correlate up to clang 21), which has no records and no names:
 * the debug information describes each function's counters instead.
 */
#ifndef BASE_DWARF_COUNTERS_H
#define BASE_DWARF_COUNTERS_H

#include "../base/buffer.h"
#include "dwarf.h"

struct dwarf_counters {
  const char *name;     /* lives as long as dwarf */
  const char *variable; /* the same; of its counters, without __profc_ */
  uint64_t hash;        /* of the function's structure */
  uint64_t address;     /* of its counters */
  uint64_t count;       /* of counters */
};

/* Finds those whose counters begin in that span, by ascending address, one
 * for each address: list is of struct dwarf_counters. Of the span from 0 to
 * UINT64_MAX all are kept, also those that the linker has dropped. NULL, or
 * what is wrong; in both cases the caller frees list. */
const char *dwarf_counters_read(const struct dwarf *dwarf,
                                struct dwarf_span span, struct buffer *list);

/* Adds their names as the section __llvm_prf_names would have them. NULL, or
 * what is wrong. */
const char *dwarf_counters_names(const struct buffer *list,
                                 struct buffer *names);

#endif
