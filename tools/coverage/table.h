/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The coverage table on standard output: of each metric the percentage, and
 * how much is missed, in at most 100 columns.
 */
#ifndef BAREPROF_TOOLS_TABLE_H
#define BAREPROF_TOOLS_TABLE_H

#include <stdbool.h>

#include "summary.h"

struct table {
  int width;  /* of the names */
  int indent; /* of the files */
  bool shown[METRICS];
  size_t folder; /* bytes of the sources' names that they all share */
};

/* What the table of these summaries needs. */
void table_begin(struct table *table, const struct summary *const *summaries,
                 size_t count, int indent);

/* Another name that comes in it. */
void table_name(struct table *table, const char *name);

void table_head(const struct table *table);
void table_rule(const struct table *table);
void table_row(const struct table *table, int indent, const char *name,
               const struct row *row);

/* The rows of the files, without those that have nothing to cover. */
void table_files(const struct table *table, const struct summary *summary);

/* The percentage as llvm-cov prints it, but 100 only of what is whole. */
double table_percent(const struct score *score);

#endif
