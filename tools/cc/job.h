/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The programs that clang's driver would start, as `clang -###` prints them,
 * and what becomes of those that count.
 */
#ifndef CC_JOB_H
#define CC_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/program.h"

/* What a program of the driver does. */
enum job_kind {
  JOB_OTHER,   /* assembles, links, preprocesses, compiles without a profile */
  JOB_COUNTS,  /* compiles, and clang's front end counts regions */
  JOB_PROMOTES /* compiles, and counts edges (IR PGO) */
};

struct job {
  struct arguments arguments; /* the first one is the program's path */
  enum job_kind kind;
  bool atomic;        /* -fprofile-update=atomic */
  bool ir;            /* the input is LLVM's own language, not C */
  bool object;        /* the output is an object, or bitcode in its place */
  bool assembles;     /* the input is assembly, and the output an object */
  const char *input;  /* the last argument; "-": standard input */
  const char *output; /* "-": standard output; NULL: none */
};

struct jobs {
  struct job *list;
  size_t count;
};

/* What the driver printed. */
enum jobs_read {
  JOBS_READ,
  JOBS_NONE,   /* no job of clang's: another compiler, or nothing to do */
  JOBS_FAILED, /* the driver found an error */
  JOBS_BROKEN  /* a job is written in a way that is not known */
};

/* Reads the text, which ends in a zero. */
enum jobs_read jobs_read(struct jobs *jobs, const char *text);

/* Whether it was gcc's driver that printed this. */
bool jobs_are_of_gcc(const char *text);

/* Prints the driver's warnings. */
void jobs_show_warnings(const char *text);

void jobs_free(struct jobs *jobs);

/* The three steps of a job that counts: the front end, whose output is IR as
 * the front end leaves it; the lowering of counters, from IR to IR; all the
 * rest, from IR to the job's output. The first may write IR as text; the last
 * may end with assembly, which clang's assembler then takes. */
enum step {
  STEP_FRONT,
  STEP_FRONT_TEXT,
  STEP_LOWER,
  STEP_REST,
  STEP_ASSEMBLY,
  STEP_OBJECT
};

/* Fills arguments for a step. output: NULL for the job's own. */
void job_step(const struct job *job, enum step step, const char *input,
              const char *output, struct arguments *arguments);

/* The source, for messages. */
const char *job_source(const struct job *job);

/* Whether the output is LLVM's own language, not code. */
bool job_is_bitcode(const struct job *job);

/* The file of its own that debug information goes to; NULL: none. */
const char *job_split(const struct job *job);

/* Whether it is Thumb code that may read constants from between functions. */
bool job_has_literals(const struct job *job);

/* Adds an option and its value, or NULL, behind -cc1. */
void job_add(struct job *job, const char *option, const char *value);

/* The job itself, with another output. */
void job_again(const struct job *job, const char *output,
               struct arguments *arguments);

#endif
