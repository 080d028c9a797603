/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a report is of, as JSON: the command line, versions, and each ELF, log
 * and source by its SHA-256. docs/report.md describes the elements.
 */
#ifndef BAREPROF_TOOLS_EVIDENCE_H
#define BAREPROF_TOOLS_EVIDENCE_H

#include "../baseline/baseline.h"
#include "checks.h"
#include "../coverage.h"

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
