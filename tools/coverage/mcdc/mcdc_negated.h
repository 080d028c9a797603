/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decisions that MC/DC counts wrongly. clang 22 measures `!(a || b) && c`, and
 * llvm-cov takes the value of the condition that was evaluated last for the
 * result. Where ! stands before several conditions, the result is the contrary:
 * conditions count as covered that no two vectors show.
 */
#ifndef BAREPROF_TOOLS_MCDC_NEGATED_H
#define BAREPROF_TOOLS_MCDC_NEGATED_H

#include "../../base/buffer.h"
#include "../inputs/paths.h"
#include "../model/exported.h"

/* Adds the decisions of a model whose sources show this to a list of struct
 * unmeasured. Those whose operators are hidden by macros, or whose source is
 * not there, are not found. Returns 0, or reports the error and returns 1. */
int negated_find(struct buffer *list, const struct exported *exported,
                 const struct paths *paths);

#endif
