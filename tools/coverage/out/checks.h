/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The checks of a report that failed: limits, exclusions, what was lost, how a
 * command ended. Each makes the exit status 1. They are in evidence.json, and
 * the last lines on standard error say them.
 */
#ifndef BAREPROF_TOOLS_CHECKS_H
#define BAREPROF_TOOLS_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../../base/error.h"
#include "../model/exported.h"

struct check {
  const char *name;   /* a word, of constant text */
  const char *about;  /* what the line begins with; NULL: the name */
  double wanted, got; /* below 0: there is no number */
};

struct failed_check {
  struct check check; /* without `about` */
  char *about, *text; /* text: what is wrong; what to do */
  bool told;
};

/* Begins as {0}. */
struct checks {
  struct failed_check *list;
  size_t count;
};

/* Adds a check that failed, and its text. */
void checks_add(struct checks *checks, const struct check *check,
                const char *format, ...) PRINTS_AS(3, 4);

/* Reports each that was not told before. Returns 1 if any check failed, else
 * 0. */
int checks_tell(struct checks *checks);

/* Writes the list, as JSON. */
void checks_put(const struct checks *checks, FILE *stream);

void checks_free(struct checks *checks);

/* ---- table.c ----
 *
 * The coverage table on standard output: for each metric the percentage and the
 * missed number, in at most 100 columns.
 */

struct column_table {
  int width;         /* of the names */
  int indent;        /* of the files */
  int miss[METRICS]; /* of the column of what is missed; 0: not shown */
  size_t folder;     /* bytes of the prefix that all source names share */
};

/* Prepares the table of these summaries. */
void table_begin(struct column_table *table,
                 const struct scores_summary *const *summaries, size_t count,
                 int indent);

/* Adds a name, for the width of its column. */
void table_name(struct column_table *table, const char *name);

void table_head(const struct column_table *table);
void table_rule(const struct column_table *table);
void table_row(const struct column_table *table, int indent, const char *name,
               const struct file_row *row);

/* Prints the rows of the files, except files that have nothing to cover. whole:
 * those that it has added come last, under a heading; or NULL. */
struct whole;
void table_files(const struct column_table *table,
                 const struct scores_summary *summary,
                 const struct whole *whole);

/* Returns the columns of a text: one for each UTF-8 character. */
int table_columns(const char *text);

/* Returns the bytes of the folder that the names of all files have in common,
 * with its slash, except files that have nothing to cover. */
size_t table_folder(const struct scores_summary *const *summaries,
                    size_t count);

/* Returns the percentage as llvm-cov prints it, except that only a complete
 * score is 100. */
double table_percent(const struct score *score);

#endif
