/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What `bareprof report` is given: ELFs, and dumps of them, which it pairs by
 * build id and adds up.
 */
#ifndef BAREPROF_TOOLS_INPUTS_H
#define BAREPROF_TOOLS_INPUTS_H

#include "../base/file.h"
#include "../image/join.h"
#include "given.h"
#include "summary.h"

/* An ELF, and the counts of it. */
struct subject {
  const char *name; /* as the user gave it */
  struct file file;
  struct elf elf;
  struct bytes build_id;
  struct join join;
  size_t starts, dumps; /* how many add up; of how many */
  size_t untold;        /* of these, those that stand for others which may be of
                           another start */
  unsigned release;     /* of its clang; 0: not known */
  char *stem;           /* what its files in the report are called */
  char *named;          /* what llvm-cov is to read in its place, or NULL */
  bool dumped;          /* a dump of it came, whole or not */
  char **dropped;       /* source files that the user wants left out */
  size_t dropped_count;
  struct summary summary;
};

struct inputs {
  struct subject *subjects;
  size_t count;
  bool allow_missing; /* by the user: go on with what there is */
  /* Of use to inputs.c, 0 at first. */
  struct header *unpaired; /* one of each build that has no ELF */
  size_t unpaired_count;
  struct given given;
  const char *log;   /* that is being read */
  size_t found;      /* dumps in it, of any build */
  bool refused;      /* the firmware refused a dump, of some ELF */
  bool failed;       /* something was wrong that cannot be left out */
  unsigned left_out; /* what --allow-missing must allow */
};

/* Whether the files are all there; the first that is not is named. 0, or 1. */
int inputs_check(char **names, size_t count);

/* Opens the ELFs among the files; what is wrong is named. 0, or 1. */
int inputs_elfs(struct inputs *inputs, char **names, size_t count);

/* Adds a log that the user knows by another name. 0, or 1. */
int inputs_log(struct inputs *inputs, const char *name, const char *shown);

/* Reads all files but the ELFs, behind inputs_elfs; what is wrong or missing is
 * named, each in a line. 0 if the report can be made. Subjects without counts
 * are gone then. */
int inputs_read(struct inputs *inputs, char **names, size_t count);
void inputs_free(struct inputs *inputs);

#endif
