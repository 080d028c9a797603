/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Coverage of a change: the lines, branches and MC/DC conditions of a report
 * that a diff adds or changes. A place that the compiler knows in several forms
 * (a template, a macro, a function in two ELFs) counts once; it is covered if
 * one form is.
 */
#ifndef BAREPROF_TOOLS_CHANGE_H
#define BAREPROF_TOOLS_CHANGE_H

#include "../../base/file.h"
#include "../out/lcov.h"
#include "../inputs/paths.h"
#include "../model/file_scores.h"
#include "unified.h"
#include "../mcdc/mcdc_skipped.h"

enum change_format { CHANGE_TEXT, CHANGE_GITHUB };
extern const char *const change_formats[]; /* their names; NULL ends them */

enum point_kind {
  POINT_LINE,
  POINT_BRANCH,
  POINT_CONDITION,
  POINT_UNMEASURED /* a decision without MC/DC; counts in no score */
};

/* Something that can be covered. */
struct point {
  uint32_t file, line;   /* of the diff; a changed line */
  uint32_t kind, number; /* of a condition in its decision; a branch's block */
  uint64_t from, to;     /* tell branches and decisions of a line apart */
  uint64_t hits;
};

struct change {
  struct file file;
  struct unified diff;
  /* The result, 0 at first. */
  struct point *points; /* in order, each one once */
  size_t count;
  char **sources; /* for each file of the diff: its name in the report, or NULL;
                     and NULL without any */
  char **names;   /* the same as the compiler has them */
  struct row total; /* lines, branches, MC/DC */
};

/* Reads a diff, - is standard input. Returns 0, or reports the error and
 * returns 1. */
int change_read(struct change *change, const char *name);

/* Finds what is covered. lcov: the lines and branches of the model; unmeasured:
 * the list of decisions that it lacks. Call it once. Returns 0, or reports the
 * error and returns 1. */
int change_measure(struct change *change, const struct lcov *lcov,
                   const struct exported *exported,
                   const struct buffer *unmeasured, const struct paths *paths);

/* Prints a table of the files, and a line for each line that is not covered.
 * Returns 0, or reports the error and returns 1. */
int change_show(const struct change *change, enum change_format format);

/* Adds a point to the scores of a row, unless it is not measured. */
void change_count(struct row *row, const struct point *point);

void change_free(struct change *change);

#endif
