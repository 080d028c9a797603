/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The files beside the report's folder, each in a form that some CI server or
 * tool reads.
 */
#ifndef BAREPROF_TOOLS_OUTPUTS_H
#define BAREPROF_TOOLS_OUTPUTS_H

#include "../baseline/baseline.h"
#include "../tests/by_test.h"
#include "../coverage.h"
#include "lcov.h"
#include "../inputs/paths.h"

/* Names of files, or NULL. */
struct outputs {
  const char *lcov, *json, *cobertura, *sonar, *markdown, *callgrind;
  unsigned cobertura_limit; /* megabytes of a file; 0: any */
};

/* What is written. */
struct measured {
  const struct coverage *coverage;
  const struct lcov *lcov; /* if outputs_need_lcov */
  const struct paths *paths;
  const struct against *against; /* or NULL */
  const struct tests *tests;     /* or NULL */
  const char *evidence;          /* an element of the JSON */
  bool expansions;               /* in the JSON */
};

/* Whether an output needs lines and branches. */
bool outputs_need_lcov(const struct outputs *outputs);

/* Refuses outputs that would overwrite an input or another output. Returns 0,
 * or reports the error and returns 1. */
int outputs_refuse(const struct outputs *outputs);

/* Writes all. Returns 0, or reports each error and returns 1. */
int outputs_write(const struct outputs *outputs,
                  const struct measured *measured);

/* What a report is of, as JSON: the command line, versions, and each ELF, log
 * and source by its SHA-256. docs/report.md describes the elements. */
struct evidence {
  char *const *words; /* the command line, up to NULL */
  const struct checks *checks;
  const struct against *against; /* or NULL */
};

/* Writes evidence.json into the report's folder. *text: the same in one line,
 * which the caller frees in both cases. Returns 0, or reports the error and
 * returns 1. */
int evidence_make(const struct coverage *coverage,
                  const struct evidence *evidence, char **text);

#endif
