/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs clang so that the front end's counters have another width. Asks the
 * driver for its jobs (`clang -###`), and divides each job with counters into
 * three steps: the front end, the lowering of counters, all the rest. Between
 * the steps, the functions of modes.h change the IR.
 */
#ifndef CC_LAUNCH_H
#define CC_LAUNCH_H

#include "modes.h"

/* The values of --counters, indexed by enum cc_counters and ended by NULL. */
extern const char *const cc_widths[];

/* The values of --mcdc, indexed by enum cc_outcomes and ended by NULL. */
extern const char *const cc_outcomes[];

/* A command of `bareprof cc`. */
struct launch {
  struct cover cover;
  unsigned counters;   /* enum cc_counters */
  unsigned outcomes;   /* enum cc_outcomes, not AUTO */
  bool fallback;       /* if the IR has an unexpected form, compile as clang
                          would */
  bool verbose;        /* print how many increments were changed */
  bool keep_implied;   /* also store byte counters that others imply */
  bool keep_promotion; /* let clang keep IR PGO's counters in registers */
  char **command;      /* the compiler and its arguments, ended by NULL */
};

/* Runs the command. Returns its exit status, or 1 after an error that was
 * reported. If the front end adds no counters, the compiler replaces bareprof
 * and the function does not return. */
int launch(struct launch *launch);

/* Prints everything, besides arguments and sources, on which the command's
 * objects depend: bareprof, the compiler, --counters. Compiler caches need it.
 * Returns an exit status. */
int launch_fingerprint(const struct launch *launch);

/* ---- increment.c ----
 *
 * Changes a job's text between its steps, as --counters says. */

enum rewrite_what {
  REWRITE_MODULE,  /* from the front end: byte counters, trace points */
  REWRITE_LOWERED, /* after the lowering of counters: all modes */
  REWRITE_PLACE,   /* the last module: bitcode with --place=bss */
  REWRITE_ASSEMBLY /* trace points */
};

/* The state of one job's changes. labels begins as labels_none, flags as
 * flags_none; the caller frees both. */
struct rewriting {
  const struct launch *launch;
  const struct job *job;
  enum rewrite_what what;
  struct labels labels;
  struct flags flags;
  char where[100]; /* the function that an error of byte counters is about, or
                      empty */
};

/* Returns why the job cannot have these counters; NULL: it can. */
const char *rewrite_refuses(const struct rewriting *rewriting);

/* Whether the module has to place the counters, because bitcode is not an ELF
 * object that place_object could change. */
bool rewrite_places(const struct rewriting *rewriting);

/* Reads a file and writes the changed text to another. Returns 0, or prints the
 * error and returns 1. */
int rewrite(struct rewriting *rewriting, enum rewrite_what what,
            const char *from, const char *to);

/* Appends to the lowered module what its counters are, unless narrow_module
 * does, and a note if --place=bss places them. Returns 0, or prints the error
 * and returns 1. */
int rewrite_note(const struct rewriting *rewriting, const char *module);

#endif
