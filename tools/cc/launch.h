/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs clang so that its front end's counters are incremented by 32 bits. Asks
 * the driver for its jobs (`clang -###`), and runs each job that counts in
 * three steps: the front end, the lowering of counters, all the rest. Between
 * the last two, narrow_module changes the IR.
 */
#ifndef CC_LAUNCH_H
#define CC_LAUNCH_H

#include "modes.h"

/* The words of --counters, by enum cc_counters; NULL ends them. */
extern const char *const cc_widths[];

/* The same of --mcdc, by enum cc_outcomes. */
extern const char *const cc_outcomes[];

struct launch {
  struct cover cover;
  unsigned counters;   /* enum cc_counters */
  unsigned outcomes;   /* enum cc_outcomes, not AUTO */
  bool fallback;       /* compile as clang does where it cannot be narrowed */
  bool verbose;        /* say how many increments were narrowed */
  bool keep_implied;   /* store also byte counters that others imply */
  bool keep_promotion; /* of IR PGO's counters */
  char **command;      /* the compiler and its arguments, up to NULL */
};

/* Returns the exit status: the compiler's own, or 1 after an error that was
 * reported. Commands without counters of clang's front end replace bareprof:
 * then the function does not return. */
int launch(struct launch *launch);

/* Prints what the objects of this command depend on beside its arguments and
 * sources, for caches: bareprof, the compiler, --counters. */
int launch_fingerprint(const struct launch *launch);

/* ---- increment.c ----
 *
 * What becomes of a job's text between its steps, by --counters.
 */

enum rewrite_what {
  REWRITE_MODULE,  /* of the front end: for flags and labels */
  REWRITE_LOWERED, /* module: for all modes */
  REWRITE_PLACE,   /* the last module: for bitcode with --place=bss */
  REWRITE_ASSEMBLY /* for labels */
};

/* Of one job. labels begins as labels_none, flags as flags_none; the caller
 * frees both. */
struct rewriting {
  const struct launch *launch;
  const struct job *job;
  enum rewrite_what what;
  struct labels labels;
  struct flags flags;
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

/* Says in the lowered module what its counters are, unless narrow_module does,
 * and that --place=bss puts them. Returns 0, or prints the error and returns
 * 1. */
int rewrite_note(const struct rewriting *rewriting, const char *module);

#endif
