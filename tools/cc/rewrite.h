/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What becomes of a job's text between its steps, by --counters.
 */
#ifndef CC_REWRITE_H
#define CC_REWRITE_H

#include "labels.h"
#include "launch.h"

enum rewrite_what {
  REWRITE_MODULE,  /* of the front end: for flags and labels */
  REWRITE_LOWERED, /* module: for all but flags */
  REWRITE_PLACE,   /* the last module: for bitcode with --place=bss */
  REWRITE_ASSEMBLY /* for labels */
};

/* Of one job. labels begins as labels_none; the caller frees them. */
struct rewriting {
  const struct launch *launch;
  const struct job *job;
  enum rewrite_what what;
  struct labels labels;
  char where[100]; /* the function that an error of flags is of, or empty */
};

/* Why the job's bitcode cannot have these counters; NULL: it can. */
const char *rewrite_refuses(const struct rewriting *rewriting);

/* Whether counters get their place in the module: bitcode is no object. */
bool rewrite_places(const struct rewriting *rewriting);

/* Writes a file again as another one. Returns 0, or prints the error and
 * returns 1. */
int rewrite(struct rewriting *rewriting, enum rewrite_what what,
            const char *from, const char *to);

#endif
