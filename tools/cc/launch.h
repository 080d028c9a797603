/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs clang so that the front end's counters have another width. Asks the
 * driver for its jobs (`clang -###`), and divides each job with counters into
 * three steps: the front end, the lowering of counters, all the rest. Between
 * the steps, the functions of steps.h change the IR.
 */
#ifndef CC_LAUNCH_H
#define CC_LAUNCH_H

#include "steps.h"

/* The values of --counters, indexed by enum cc_counters and ended by NULL. */
extern const char *const cc_widths[];

/* The values of --mcdc, indexed by enum cc_outcomes and ended by NULL. */
extern const char *const cc_outcomes[];

/* A command of `bareprof cc`. */
struct cc_command {
  struct coverage_options cover;
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
int launch_command(struct cc_command *launch);

/* Prints everything, besides arguments and sources, on which the command's
 * objects depend: bareprof, the compiler, --counters. Compiler caches need it.
 * Returns an exit status. */
int launch_print_fingerprint(const struct cc_command *launch);

/* ---- increment.c ----
 *
 * Changes a job's text between its steps, as --counters says. */

enum rewrite_step {
  REWRITE_MODULE,  /* from the front end: byte counters, trace points */
  REWRITE_LOWERED, /* after the lowering of counters: all modes */
  REWRITE_PLACE,   /* the last module: bitcode with --place=bss */
  REWRITE_ASSEMBLY /* trace points */
};

/* The state of one job's changes. labels begins as trace_points_none, flags as
 * byte_counters_none; the caller frees both. */
struct rewriter {
  const struct cc_command *launch;
  const struct job *job;
  enum rewrite_step what;
  struct trace_points labels;
  struct byte_counters flags;
  char where[100]; /* the function that an error of byte counters is about, or
                      empty */
};

/* Returns why the job cannot have these counters; NULL: it can. */
const char *rewrite_find_refusal(const struct rewriter *rewriting);

/* Whether the module has to place the counters, because bitcode is not an ELF
 * object that place_object could change. */
bool rewrite_places_module(const struct rewriter *rewriting);

/* Reads a file and writes the changed text to another. Returns 0, or prints the
 * error and returns 1. */
int rewrite_file(struct rewriter *rewriting, enum rewrite_step what,
                 const char *from, const char *to);

/* Appends to the lowered module what its counters are, unless narrow_module
 * does, and a note if --place=bss places them. Returns 0, or prints the error
 * and returns 1. */
int rewrite_append_notes(const struct rewriter *rewriting, const char *module);

#endif
