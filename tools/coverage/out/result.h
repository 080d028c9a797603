/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The output of `bareprof report` about a coverage, and the checks for a CI
 * server.
 */
#ifndef BAREPROF_TOOLS_RESULT_H
#define BAREPROF_TOOLS_RESULT_H

#include "../baseline/baseline.h"
#include "../coverage.h"
#include "../inputs/paths.h"
#include "../tests/by_test.h"
#include "checks.h"
#include "formats.h"

/* Prints the table: each ELF if there are several, all files, and the total. */
void result_tables(const struct coverage *coverage);

/* Prints FILE:LINE NAME of each function that never ran. */
struct measured;
void result_uncovered(const struct measured *measured);

/* Prints FILE:LINE of each decision that MC/DC does not measure. */
void result_unmeasured(const struct coverage *coverage,
                       const struct paths *paths);

/* Prints how many lines and branches llvm-cov has other counts of; and whether
 * sources are not there. */
void result_differs(const struct coverage *coverage);

/* Warns of what leaves functions without a return. */
void result_left(const struct coverage *coverage);

/* Prints FILE:LINE of what is not known, and why. */
void result_not_known(const struct coverage *coverage,
                      const struct paths *paths);

/* Thresholds: percentages, or below 0 for none. */
struct limits {
  double least[METRICS];
  double patch; /* of changed lines */
  bool instructions; /* That of regions is of instructions. */
};

/* Reads "lines=80,patch=70.5". false: the text has another form. */
bool limits_read(struct limits *limits, const char *text);

/* Adds a check if a score is below its threshold. */
void limit_check(const char *name, const struct score *score, double least,
                 struct checks *checks);

/* Adds a check for each metric below its threshold. */
void limits_check(const struct limits *limits, const struct coverage *coverage,
                  struct checks *checks);

/* ---- outputs.c ----
 *
 * The files beside the report's folder, each in a form that some CI server or
 * tool reads.
 */

/* The formats: X(FIELD, OPTION, HELP), FIELD_put writes it. A new one is a file
 * with that function, and a row here. */
#define OUTPUT_FORMATS(X)                                        \
  X(lcov, "lcov", "write an lcov tracefile as well")             \
  X(cobertura, "cobertura", "write Cobertura's XML as well")     \
  X(sonar, "sonarqube", "write SonarQube's generic XML as well") \
  X(markdown, "markdown", "write the table in Markdown as well") \
  X(json, "json",                                                \
    "write JSON in llvm-cov's form as well, with what evidence.json has")

/* Names of files, or NULL. */
struct outputs {
#define OUTPUT_FIELD(field, option, about) const char *field;
  OUTPUT_FORMATS(OUTPUT_FIELD)
  unsigned cobertura_limit; /* megabytes of a file; 0: any */
};

/* What is written. */
struct measured {
  const struct coverage *coverage;
  const struct lcov *lcov; /* if outputs_need_lcov */
  const struct paths *paths;
  const struct baseline *against; /* or NULL */
  const struct tests *tests;      /* or NULL */
  const char *evidence;           /* an element of the JSON */
  bool expansions;                /* in the JSON */
};

/* The caller checks the stream for errors. */
typedef void output_put(const struct measured *measured, FILE *stream);
#define OUTPUT_PUT(field, option, about) output_put field##_put;
OUTPUT_FORMATS(OUTPUT_PUT)

/* Whether an output needs lines and branches. */
bool outputs_need_lcov(const struct outputs *outputs);

/* Refuses outputs that would overwrite an input, another output, or a file of
 * the report's folder. Returns 0,
 * or reports the error and returns 1. */
int outputs_refuse(const struct outputs *outputs, const struct folder *folder);

/* Writes all. Returns 0, or reports each error and returns 1. */
int outputs_write(const struct outputs *outputs,
                  const struct measured *measured);

/* What a report is of, as JSON: the command line, versions, and each ELF, log
 * and source by its SHA-256. docs/report.md describes the elements. */
struct evidence {
  char *const *words; /* the command line, up to NULL */
  const struct checks *checks;
  const struct baseline *against; /* or NULL */
};

/* Writes evidence.json into the report's folder. *text: the same in one line,
 * which the caller frees in both cases. Returns 0, or reports the error and
 * returns 1. */
int evidence_make(const struct coverage *coverage,
                  const struct evidence *evidence, char **text);

#endif
