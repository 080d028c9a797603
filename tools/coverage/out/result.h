/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The output of `bareprof report` about a coverage, and the checks for a CI
 * server.
 */
#ifndef BAREPROF_TOOLS_RESULT_H
#define BAREPROF_TOOLS_RESULT_H

#include "checks.h"
#include "../coverage.h"
#include "lcov.h"
#include "../inputs/paths.h"
#include "table.h"

/* Prints the table: each ELF if there are several, all files, and the total. */
void result_tables(const struct coverage *coverage);

/* Prints FILE:LINE NAME of each function that never ran. */
void result_uncovered(const struct lcov *lcov, const struct paths *paths);

/* Prints FILE:LINE of each decision that MC/DC does not measure. */
void result_unmeasured(const struct coverage *coverage,
                       const struct paths *paths);

/* Thresholds: percentages, or below 0 for none. */
struct limits {
  double least[METRICS];
  double patch; /* of changed lines */
};

/* Reads "lines=80,patch=70.5". false: the text has another form. */
bool limits_read(struct limits *limits, const char *text);

/* Adds a check if a score is below its threshold. */
void limit_check(const char *name, const struct score *score, double least,
                 struct checks *checks);

/* Adds a check for each metric below its threshold. */
void limits_check(const struct limits *limits, const struct coverage *coverage,
                  struct checks *checks);

#endif
