/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What `bareprof report` prints of a coverage, and what a CI server wants to
 * know.
 */
#ifndef BAREPROF_TOOLS_RESULT_H
#define BAREPROF_TOOLS_RESULT_H

#include "coverage.h"
#include "lcov.h"
#include "paths.h"
#include "table.h"

/* The tables: ELFs, files and total of each group, and the total of all. */
void result_tables(const struct coverage *coverage);

/* FILE:LINE NAME of each function that never ran. */
void result_uncovered(const struct lcov *lcov, const struct paths *paths);

/* Thresholds: percentages, or below 0 for none. */
struct limits {
  double least[METRICS];
};

/* Reads "lines=80,mcdc=70.5"; false: it is not of that form. */
bool limits_read(struct limits *limits, const char *text);

/* Names what is below its threshold. How many are. */
unsigned limits_missed(const struct limits *limits,
                       const struct coverage *coverage);

#endif
