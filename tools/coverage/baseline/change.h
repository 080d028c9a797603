/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Coverage of a change: the lines, branches and MC/DC conditions of a report
 * that a diff adds or changes. A place that the compiler knows in several forms
 * (a template, a macro, a function in two ELFs) counts once; it is covered if
 * one form is.
 */
#ifndef BAREPROF_TOOLS_CHANGE_H
#define BAREPROF_TOOLS_CHANGE_H

#include "../../base/storage.h"
#include "../../base/bytes.h"
#include "../../base/file.h"
#include "../inputs/paths.h"
#include "../mcdc/mcdc.h"
#include "../model/coverage_model.h"
#include "../out/out.h"

/* ---- unified.c ----
 *
 * Reads a unified diff, as git, diff -u, Mercurial and Subversion write it:
 * which lines of the new files are added or changed, and how to restore the old
 * files.
 */

/* A range of adjacent lines in a new file. The last line is included. */
struct unified_span {
  uint32_t first, last;
};

/* A hunk. lines: the text of the diff, where each line has a mark (+, - or
 * blank) in front. old, now: the first line in the old and in the new file; if
 * the hunk lacks lines of that file, the line before the hunk. */
struct unified_hunk {
  uint32_t old, now;
  struct bytes lines;
};

/* A file that the diff changes. */
struct unified_file {
  /* The name in the repository: without a prefix such as b/, not quoted. */
  char *name;
  const struct unified_span *spans; /* ascending */
  size_t span_count;                /* 0: lines were only removed */
  size_t lines;                     /* number of lines in all spans */
  size_t first_span, first_hunk;    /* only unified.c uses these */
  const struct unified_hunk *hunks;
  size_t hunk_count;
};

/* A diff. */
struct unified_diff {
  /* Sorted by name, each name once. Deleted files, and files whose text does
   * not change, are left out. */
  struct unified_file *files;
  size_t count;
  struct unified_span *spans;
  size_t span_count;
  struct unified_hunk *hunks; /* the hunks of all files; their lines point into
                                 the diff's text */
  size_t hunk_count;
  bool others; /* A file is deleted, or more than its text changes. */
  size_t line; /* the line of the text that has the error */
};

/* Reads a text. Text around the diff, such as a commit's message, may be there.
 * An empty text is a diff without changes. Returns NULL or the error. The
 * caller frees *diff in both cases, and need not initialise it before. */
const char *unified_parse(struct unified_diff *diff, struct bytes text);
void unified_free(struct unified_diff *diff);

/* Returns the file of this name, or NULL. */
const struct unified_file *unified_find_file(const struct unified_diff *diff,
                                             const char *name);

/* Whether the diff has one of the lines from first to last. *line: the first
 * such line. */
bool unified_has_line(const struct unified_file *file, uint32_t first,
                      uint32_t last, uint32_t *line);

/* Appends the old file to a buffer. text: the new file. Returns false if the
 * diff does not lead to the new file, or memory runs out. */
bool unified_restore_old_file(const struct unified_file *file,
                              struct bytes text, struct buffer *old);

enum change_format { CHANGE_TEXT, CHANGE_GITHUB };
extern const char *const change_formats[]; /* names of formats, then NULL */

enum change_point_kind {
  POINT_LINE,
  POINT_BRANCH,
  POINT_CONDITION,
  POINT_UNMEASURED /* a decision without MC/DC; no score counts it */
};

/* An element on a changed line that can be covered. */
struct change_point {
  uint32_t file, line;   /* the file's index in the diff; a changed line */
  uint32_t kind, number; /* number of a condition in its decision, or of a
                            branch in its line */
  uint64_t from, to;     /* tell branches and decisions of one line apart */
  uint64_t hits;
};

/* A diff, and the part of it that a report covers. */
struct change_coverage {
  struct file file;
  struct unified_diff diff;
  /* The next fields are the result; 0 at first. */
  struct change_point *points; /* sorted, each place once */
  size_t count;
  /* For each file of the diff, its name in the report, or NULL. NULL before
   * change_find_points. */
  char **sources;
  char **names;          /* like sources, but the compiler's names */
  struct file_row total; /* scores of the change: lines, branches, MC/DC */
};

/* Reads a diff; the name - is standard input. Returns 0, or reports the error
 * and returns 1. */
int change_read(struct change_coverage *change, const char *name);

/* Finds the points of the change, and which are covered. lcov: the lines and
 * branches of the model; unmeasured: decisions that the model lacks. Call it
 * once. Returns 0, or reports the error and returns 1. */
int change_find_points(struct change_coverage *change,
                       const struct lcov_list *lcov,
                       const struct model *exported,
                       const struct buffer *unmeasured,
                       const struct source_maps *paths);

/* Prints a table of the files, and a line for each line that is not covered. */
void change_print(const struct change_coverage *change,
                  enum change_format format);

void change_free(struct change_coverage *change);

#endif
