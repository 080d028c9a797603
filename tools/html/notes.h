/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What other parts of the report know of lines, as marks.
 */
#ifndef BAREPROF_TOOLS_NOTES_H
#define BAREPROF_TOOLS_NOTES_H

#include "../coverage/change.h"
#include "../coverage/coverage.h"
#include "marks.h"

/* Gathers exclusions with their reasons, decisions that MC/DC leaves out, and
 * the lines of a change, which change_measure has paired with sources. change:
 * or NULL. Sorts the marks. Returns 0, or reports the error and returns 1. */
int notes_gather(struct marks *marks, const struct coverage *coverage,
                 const struct change *change);

#endif
