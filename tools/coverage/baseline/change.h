/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module computes the coverage of a change: the lines, branches and MC/DC
 * conditions that a diff adds or changes. If the compiler has several
 * instantiations of a position (of a template, a macro, or a function in two
 * ELFs), the position counts once. The position is covered if any instantiation
 * is covered.
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

/* ---- change.c: the diff ----
 *
 * This file reads a unified diff, as git, diff -u, Mercurial and Subversion
 * write it. The result says which lines of the new files are added or changed,
 * and how to restore the old files.
 */

/* A range of adjacent lines in a new file. `last` belongs to the range. */
struct unified_line_span {
  uint32_t first, last;
};

/* A hunk of a diff. In `lines`, the text of the hunk, each line begins with a
 * mark (+, - or blank). `old` and `now` are the hunk's first lines in the old
 * and the new file; without lines of that file, they are the line before the
 * hunk. */
struct unified_hunk {
  uint32_t old, now;
  struct bytes lines;
};

/* A file that the diff changes. */
struct unified_file {
  /* The file's name in the repository, not quoted, without a prefix like b/. */
  char *name;
  const struct unified_line_span *spans; /* the changed lines, ascending */
  size_t span_count;                     /* 0 if lines were only removed */
  size_t lines;                  /* number of lines in all spans together */
  size_t first_span, first_hunk; /* indexes that only change.c uses */
  const struct unified_hunk *hunks;
  size_t hunk_count;
};

/* A unified diff. */
struct unified_diff {
  /* The changed files, sorted by name; each name occurs once. Deleted files,
   * and files whose text does not change, are left out. */
  struct unified_file *files;
  size_t count;
  struct unified_line_span *spans;
  size_t span_count;
  struct unified_hunk *hunks; /* the hunks of all files; their lines point into
                                 the diff's text */
  size_t hunk_count;
  bool others; /* A file is deleted, or changes more than its text. */
  size_t line; /* after an error, the line of the text with the error */
};

/* Parses a diff. Other text may stand around the diff, such as the message of a
 * commit. An empty text is a diff without changes. Returns NULL or the error.
 * The caller frees *diff in both cases, and need not initialise it before. */
const char *unified_parse(struct unified_diff *diff, struct bytes text);
void unified_free(struct unified_diff *diff);

/* Returns the file with this name, or NULL. */
const struct unified_file *unified_find_file(const struct unified_diff *diff,
                                             const char *name);

/* Sets *line to the first line from `first` to `last` that the diff changes.
 * Returns false if the diff changes none of them. */
bool unified_find_changed_line(const struct unified_file *file, uint32_t first,
                               uint32_t last, uint32_t *line);

/* Appends the old contents of the file to a buffer. `text` is the new contents.
 * Returns false if they do not fit the diff, or if memory runs out. */
bool unified_restore_old_file(const struct unified_file *file,
                              struct bytes text, struct buffer *old);

/* ---- change.c ---- */

enum change_format { CHANGE_TEXT, CHANGE_GITHUB };
extern const char *const change_formats[]; /* names of the formats, then NULL */

/* An element on a changed line that can be covered. */
struct change_point {
  uint32_t file, line; /* index of the file in the diff; the changed line */
  /* The metric; METRICS stands for a decision that MC/DC does not measure. The
   * number of the condition in its decision, or of the branch in its line. */
  uint32_t metric, number;
  uint64_t from, to; /* These tell branches and decisions of one line
                            apart. */
  uint64_t hits;
};

/* A diff, and the coverage of its lines in a report. */
struct change_coverage {
  struct file file;
  struct unified_diff diff;
  /* The next fields are the result, and 0 at first. */
  struct change_point *points; /* sorted, each place once */
  size_t count;
  /* The name of each file of the diff in the report; NULL if the report lacks
   * the file. Before change_collect_points, the array itself is NULL. */
  char **sources;
  char **names;          /* like `sources`, but with the compiler's names */
  struct file_row total; /* scores of the change: lines, branches, MC/DC */
};

/* Reads a diff. The name "-" stands for standard input. Ends the command after
 * an error. */
void change_read(struct change_coverage *change, const char *name);

/* Collects the points of the change and their coverage. `places` has the lines
 * and branches of the model; `unmeasured` has the decisions that the model
 * lacks. Call this function once. Returns false, after a warning, if a file of
 * the diff may be several sources. */
bool change_collect_points(struct change_coverage *change,
                           const struct places *places,
                           const struct model *exported,
                           const struct buffer *unmeasured,
                           const struct source_maps *paths);

/* Prints a table of the files, and a message for each uncovered line. */
void change_print(const struct change_coverage *change,
                  enum change_format format);

void change_free(struct change_coverage *change);

#endif
