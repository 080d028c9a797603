/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The storage for values of programs that give none: without slots. In a
 * member of its own, and weak: the program's own is taken first.
 */
#include "values.h"

/* The hooks look at one slot at least: this is nobody's, and never free. */
static const struct bareprof_value_slot no_slot = {.owner =
                                                       BAREPROF_VALUE_FROZEN};

const struct bareprof_values bareprof_values __attribute__((weak)) = {
    .slots = (struct bareprof_value_slot *)&no_slot, .homes = 1, .ways = 1};
