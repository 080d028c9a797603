/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Conditions of a decision that have one value, as their text is the same, or
 * the negation: of `(a && b) || (!a && c)` the first and the third.
 */
#ifndef BAREPROF_TOOLS_TIES_H
#define BAREPROF_TOOLS_TIES_H

#include "solver.h"

/* A file, and the words that it declares as volatile, which are read when a
 * decision needs them. Begins as {.text = ...}. */
struct declared {
  struct bytes text;
  struct bytes *words; /* in the text */
  size_t count;
  bool read;
};

void declared_free(struct declared *declared);

/* Puts conditions of one text into a group. text: the decision, with the atoms
 * in it, of a file. Returns NULL, or why such conditions may have different
 * values. */
const char *ties_find(struct known *known, struct bytes text,
                      const struct atom *atoms, uint32_t count,
                      struct declared *declared);

#endif
