/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Narrows the counting in LLVM's assembly language: what clang 13 to 22 writes
 * once the profile's intrinsics are lowered. An increment is
 *
 *   %pgocount = load i64, ptr @__profc_f, align 8
 *   %1 = add i64 %pgocount, 1
 *   store i64 %1, ptr @__profc_f, align 8
 *
 * or `%1 = atomicrmw add ptr @__profc_f, i64 1 monotonic, align 8`. It becomes
 * one of the counter's low 32 bits. All other lines pass as they are. Pointers
 * may have types (i64*, as in clang 13 and 14), addresses may be moved (by
 * -runtime-counter-relocation), and steps may be values.
 */
#ifndef CC_NARROW_H
#define CC_NARROW_H

#include <stdbool.h>
#include <stdio.h>

#include "../base/bytes.h"

/* The words of --counters. */
enum cc_counters {
  CC_AUTO,
  CC_64,
  CC_32,
  CC_32_ATOMIC,
  CC_32_PACKED,
  CC_FLAGS,
  CC_LABELS
};

struct narrow {
  bool packed;     /* counters have 32 bits: all increments must be known */
  bool atomic;     /* 32-bit increments are single atomic instructions */
  size_t narrowed; /* increments of 32 bits */
  size_t left;     /* increments that stay as they are: 64 bits, and right;
                      packed: an error */
};

/* Writes the module, and behind it what says the width of its counters, to the
 * linker and to the host: section .bareprof.counters and two symbols. Ignores
 * errors of out. Returns NULL or the error: this is no such module, or there
 * are counters but no increment is known; packed: not all are known. */
const char *narrow_module(struct narrow *narrow, struct bytes module,
                          FILE *out);

#endif
