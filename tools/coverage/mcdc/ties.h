/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Conditions of a decision that have one value, as their text is the same, or
 * the negation: of `(a && b) || (!a && c)` the first and the third.
 */
#ifndef BAREPROF_TOOLS_TIES_H
#define BAREPROF_TOOLS_TIES_H

#include "solver.h"

/* Puts conditions of one text into a group. text: the decision, with the atoms
 * in it; source: the file, which says what is volatile. Returns NULL, or why
 * such conditions may have different values. */
const char *ties_find(struct known *known, struct bytes text,
                      const struct atom *atoms, uint32_t count,
                      struct bytes source);

#endif
