/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Coverage of each file and in total, as llvm-cov exports it. The table of
 * `llvm-cov report` has the same numbers. exported.h reads it.
 */
#ifndef BAREPROF_TOOLS_FILE_SCORES_H
#define BAREPROF_TOOLS_FILE_SCORES_H

#include <stdbool.h>
#include <stdio.h>

#include "../../base/json_read.h"

enum metric { FUNCTIONS, LINES, REGIONS, BRANCHES, MCDC, METRICS };

/* The users' names of the metrics; and as titles. */
extern const char *const metric_names[METRICS], *const metric_titles[METRICS];

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

/* Reads the scores of a file, or in total. */
void summary_scores(struct json *json, struct score scores[METRICS]);

/* Copies all rows. false: out of memory; *to is freed. */
bool summary_copy(struct summary *to, const struct summary *from);
void summary_free(struct summary *summary);

/* Prints counts that are not 0 in words: "1 function, 2 branches". Returns
 * whether there was any. */
bool metrics_put(FILE *stream, const uint64_t counts[METRICS]);

/* Whether the row has nothing to cover. */
bool row_empty(const struct row *row);

/* Of several instantiations, the best counts. */
static inline void score_best(struct score *to, const struct score *from) {
  to->count = from->count > to->count ? from->count : to->count;
  to->covered = from->covered > to->covered ? from->covered : to->covered;
}

/* Adds the coverage of another row. */
void row_add(struct row *row, const struct row *other);

#endif
