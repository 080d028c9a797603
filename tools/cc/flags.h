/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes flags of one byte out of counters, in LLVM's assembly language, before
 * clang lowers its intrinsics: a store, and no load. A mapping subtracts
 * counters, which flags cannot do. So each place that a difference counts gets
 * a flag of its own: in its block, or in a new block on its edge. The mapping
 * refers to these, behind clang's own counters, so all readers of clang's
 * single-byte coverage read it.
 *
 * A flag that follows from others has no store, where no other object may have
 * code of the function: the mapping has their sum in its place. The hash of the
 * function's structure then tells which flags it has, so that profiles of
 * builds that differ in that are never added.
 */
#ifndef CC_FLAGS_H
#define CC_FLAGS_H

#include <stdio.h>

#include "../base/bytes.h"

struct flags {
  bool keeps;     /* from the caller: flags that follow from others, too */
  size_t flags;   /* stores */
  size_t dropped; /* places without a store */
  char where[100]; /* the function that an error is of; empty: not known */
};

/* Writes the module. Ignores errors of out. Returns NULL or the error. */
const char *flags_module(struct flags *flags, struct bytes module, FILE *out);

#endif
