/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How much is covered, by file and in all: what `llvm-cov export
 * -summary-only` says, and so what the table of `llvm-cov report` has.
 */
#ifndef BAREPROF_TOOLS_SUMMARY_H
#define BAREPROF_TOOLS_SUMMARY_H

#include <stdbool.h>

#include "../base/bytes.h"

enum metric { FUNCTIONS, LINES, REGIONS, BRANCHES, MCDC, METRICS };

/* As users call them. */
extern const char *const metric_names[METRICS];

struct score {
  uint64_t count, covered;
};

struct row {
  char *name; /* of the source file */
  struct score scores[METRICS];
};

struct summary {
  struct row *rows;
  size_t count;
  struct row total; /* without a name */
};

/* NULL, or what is wrong; in both cases the caller frees *summary, which need
 * not be initialised before. */
const char *summary_read(struct summary *summary, struct bytes json);
void summary_free(struct summary *summary);

/* Whether there is nothing in it to cover. */
bool row_empty(const struct row *row);

/* Adds what has been covered elsewhere. */
void row_add(struct row *row, const struct row *other);

#endif
