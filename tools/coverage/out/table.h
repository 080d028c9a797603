/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The coverage table on standard output: for each metric the percentage and the
 * missed number, in at most 100 columns.
 */
#ifndef BAREPROF_TOOLS_TABLE_H
#define BAREPROF_TOOLS_TABLE_H

#include "../model/file_scores.h"

struct table {
  int width;         /* of the names */
  int indent;        /* of the files */
  int miss[METRICS]; /* of the column of what is missed; 0: not shown */
  size_t folder;     /* bytes of the prefix that all source names share */
};

/* Prepares the table of these summaries. */
void table_begin(struct table *table, const struct summary *const *summaries,
                 size_t count, int indent);

/* Adds a name, for the width of its column. */
void table_name(struct table *table, const char *name);

void table_head(const struct table *table);
void table_rule(const struct table *table);
void table_row(const struct table *table, int indent, const char *name,
               const struct row *row);

/* Prints the rows of the files, except files that have nothing to cover. */
void table_files(const struct table *table, const struct summary *summary);

/* Returns the columns of a text: one for each UTF-8 character. */
int table_columns(const char *text);

/* Returns the bytes of the folder that the names of all files have in common,
 * with its slash, except files that have nothing to cover. */
size_t table_folder(const struct summary *const *summaries, size_t count);

/* Returns the percentage as llvm-cov prints it, except that only a complete
 * score is 100. */
double table_percent(const struct score *score);

#endif
