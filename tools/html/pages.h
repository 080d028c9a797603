/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The report's own HTML: an index, a page of all functions, a page for each
 * source. No page needs a network or a script; script.js adds search and
 * sorting.
 */
#ifndef BAREPROF_TOOLS_PAGES_H
#define BAREPROF_TOOLS_PAGES_H

#include "../coverage/baseline/change.h"
#include "../coverage/coverage.h"
#include "../coverage/tests/by_test.h"

/* What the pages show. change and tests: or NULL. */
struct paged {
  const struct coverage *coverage;
  const struct change *change;
  const struct tests *tests;
};

/* Writes the pages into the report's folder. Returns 0, or reports the error
 * and returns 1. */
int pages_make(const struct paged *paged);

/* Writes the style of the pages, for others that look like them. */
void pages_style(FILE *stream);

#endif
