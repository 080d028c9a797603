/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes flags of one byte out of counters, in LLVM's assembly language, before
 * clang lowers its intrinsics: a store, and no load. A mapping subtracts
 * counters, which flags cannot do. So each place that a difference counts gets
 * a flag of its own: in its block, or in a new block on its edge. The mapping
 * refers to these, behind clang's own counters, so all readers of clang's
 * single-byte coverage read it.
 */
#ifndef CC_FLAGS_H
#define CC_FLAGS_H

#include <stdio.h>

#include "../base/bytes.h"

struct flags {
  bool keeps;    /* from the caller: stores flags that follow from others, too */
  size_t flags;  /* stores */
  size_t added;  /* regions that are differences */
  size_t dropped; /* places without a store */
};

/* Writes the module. Ignores errors of out. Returns NULL or the error. */
const char *flags_module(struct flags *flags, struct bytes module, FILE *out);

#endif
