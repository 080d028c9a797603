/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What other parts of the report know of lines, as marks.
 */
#ifndef BAREPROF_TOOLS_NOTES_H
#define BAREPROF_TOOLS_NOTES_H

#include "../coverage/tests/by_test.h"
#include "../coverage/baseline/change.h"
#include "../coverage/coverage.h"
#include "marks.h"

/* What is noted, once it is measured. change and tests: or NULL. */
struct noted {
  const struct coverage *coverage;
  const struct change *change;
  const struct tests *tests;
};

/* Gathers exclusions with their reasons, decisions that MC/DC leaves out, the
 * lines of the change, and the tests that reached a line. Sorts the marks.
 * Returns 0, or reports the error and returns 1. */
int notes_gather(struct marks *marks, const struct noted *noted);

#endif
