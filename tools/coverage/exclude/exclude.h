/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The code that a user excludes from a report, and the reasons. Markers in the
 * sources (exclude_comments.c) and lines of a file (exclude_file.c) make a set
 * of ranges (exclude_set.c). exclude_mask.c takes the ranges out of functions
 * while a model is made. exclude_apply.c judges each exclusion with a model
 * that still has the excluded code.
 */
#ifndef BAREPROF_TOOLS_EXCLUDE_H
#define BAREPROF_TOOLS_EXCLUDE_H

#include <stdint.h>

#include "../../base/storage.h"
#include "../../base/bytes.h"
#include "../../base/ere.h"
#include "../../base/file.h"

enum exclusion_kind {
  EXCLUDED_LINES,
  EXCLUDED_BRANCHES, /* branches and decisions of the lines; the lines stay */
  EXCLUDED_FUNCTION, /* a function whose first line is one of the lines */
  EXCLUDED_DECISION  /* an MC/DC decision; its lines and branches count */
};

/* An exclusion in the user's words: a marker in a source, or a line of the
 * exclusions file. One exclusion may exclude several ranges, or none. */
struct exclusion {
  enum exclusion_kind kind;
  const char *name;        /* the marker, or "the exclusion" */
  const char *file;        /* the source or exclusions file with it */
  uint32_t line;           /* the line in `file` */
  const char *reason, *by; /* reason, responsible person; "": not given */
  /* Only lines of the exclusions file set the next fields; a marker leaves them
   * NULL and 0. */
  const char *path;     /* a pattern for the end of a source's name */
  const char *function; /* a pattern for a function's name, or NULL */
  const char *text;     /* Each excluded line has this text; NULL: any line. */
  struct ere *regex;    /* Each excluded line matches; NULL: any line. */
  uint32_t first, last; /* lines; 0: any */
  uint32_t column;      /* column of a decision; 0: any */
  /* The next fields are the result. */
  size_t used;          /* excluded lines of code, branches and decisions */
  size_t missed;        /* branches and decisions among `used` not covered */
  const char *ran_file; /* the first covered place: the source's name on this
                           machine */
  uint32_t ran_line;    /* the line; 0: all excluded code is uncovered */
  const char *stale;    /* why the exclusion is without effect */
};

/* A faulty marker, or a faulty line of the exclusions file. */
struct exclusion_problem {
  const char *file;
  uint32_t line;
  const char *name, *text; /* the marker or ""; the fault */
};

/* The contents of a line, without comments and blanks. */
enum line_contents { LINE_EMPTY, LINE_CLOSES /* brackets only */, LINE_CODE };

/* A range of lines of one source. */
struct line_span {
  uint32_t first, last; /* the last one included */
};

/* A range of a source's lines that an exclusion applies to. */
struct excluded_range {
  enum exclusion_kind kind;
  uint32_t first, last;
  uint32_t column;      /* column of a decision; 0: any */
  const char *function; /* a pattern for the function's name; NULL: any */
  uint32_t exclusion;   /* index in exclusions.list */
};

/* A source, and its exclusions. */
struct excluded_source {
  const char *name;        /* as the compiler has it, tidied (paths.h) */
  const char *here;        /* name on this machine */
  unsigned char *contents; /* enum line_contents of each line; or NULL */
  uint32_t lines;          /* number of lines; 0: unknown */
  struct excluded_range *ranges;
  size_t range_count;
  /* [EXCLUDED_LINES]: lines that do not count; [EXCLUDED_BRANCHES]: lines whose
   * branches do not count. Both lists are ascending, and no two spans touch. */
  struct line_span *spans[2];
  size_t span_count[2];
};

/* All exclusions of a report, and the sources that they are in. */
struct exclusions {
  const char *name; /* name of the exclusions file, or NULL */
  bool no_markers;  /* the user's options */
  bool require_reasons;
  bool fail_stale, fail_ran;
  struct file file;
  struct exclusion *list; /* the file's exclusions first, then the markers */
  size_t count, rule_count;
  struct exclusion_problem *problems; /* problems without a message so far */
  size_t problem_count;
  struct excluded_source *sources; /* sorted by name */
  size_t source_count;
  struct arena arena;
};

/* ---- exclude_set.c ---- */

/* Reads the exclusions file, if set->name is not NULL. Returns 0, or reports
 * each wrong line and returns 1. The caller frees the set in both cases. */
int exclusions_read_file(struct exclusions *set);
void exclusions_free(struct exclusions *set);

/* Copies a text. The copy lives as long as the set. */
const char *exclusions_copy_text(struct exclusions *set, struct bytes text);

/* Adds a source, unless it is there already, and finds its exclusions. name:
 * the compiler's name, tidied; here: the file on this machine, which need not
 * exist. Returns 0, or reports the error and returns 1. */
int exclusions_add_source(struct exclusions *set, const char *name,
                          const char *here);

/* Adds a range, unless it is empty. */
void exclusions_add_range(struct excluded_source *source,
                          struct excluded_range range);

/* Makes the spans of all sources from their ranges. Call it after ranges were
 * added. */
void exclusions_make_spans(struct exclusions *set);

/* Returns the source of a compiler's name, or NULL. */
struct excluded_source *exclusions_find_source(const struct exclusions *set,
                                               const char *name);

/* Returns the spans of a source whose lines do not count; *count: how many. set
 * may be NULL: then *count is 0. */
const struct line_span *exclusions_line_spans(const struct exclusions *set,
                                              const char *name, size_t *count);

/* Returns the index of the exclusion that a decision falls under; -1: none. */
int64_t exclusions_find_for_decision(const struct excluded_source *source,
                                     uint32_t line, uint32_t column);

/* Returns the span that holds a line, or NULL. branches: whether to search the
 * spans of branches instead of the spans of lines. */
const struct line_span *
exclusions_find_span(const struct excluded_source *source, bool branches,
                     uint32_t line);

/* ---- exclude_file.c: docs/how-to/exclusions.md describes the file ---- */

enum { RULES_MOST = 1 << 14 };

/* Adds the exclusions of the file's text, and a problem for each wrong line.
 * Returns whether all lines are right. */
bool rules_parse(struct exclusions *set, struct bytes text);

/* Whether a pattern matches a text: * stands for any text, ? for one character.
 * A pattern for a file's name may also match only the part after some slash. */
bool pattern_matches(const char *pattern, const char *text);
bool pattern_matches_file(const char *pattern, const char *name);

/* ---- exclude_comments.c ----
 *
 * Markers that begin with LCOV_ work as in lcov 1.16: a section ends at the
 * next STOP, or else at the end of the file. Markers that begin with GCOVR_,
 * GCOV_ or LCOVR_ work as in gcovr 5.2: sections nest, and a section without
 * STOP excludes nothing. As in lcov and gcovr, a marker counts anywhere in a
 * line, also in a string.
 */

/* Whether a text may have markers. */
bool markers_may_exist(struct bytes text);

/* Reads a source's text: notes what each line contains, and adds the exclusions
 * and problems of its markers, unless the user wants no markers. Returns NULL
 * or the error. */
const char *markers_parse(struct exclusions *set,
                          struct excluded_source *source, struct bytes text);

/* ---- exclude_mask.c ----
 *
 * Takes excluded elements out of a model: regions, branches, decisions, and
 * functions without any remaining element. Conditions of an excluded decision
 * become plain branches. Counts the uses of exclusions of decisions. The rows
 * stay as they are: evaluate_rows makes them again. Returns NULL or the error.
 */
struct model;
const char *mask_drop_excluded(struct exclusions *set, struct model *exported);

/* ---- exclude_apply.c ---- */

struct coverage;
struct failed_checks;
struct file_row;

/* Finds the exclusions in the sources of all ELFs, and whether their code ran.
 * If there is excluded code, sets coverage->masked: then evaluate_rows takes
 * the code out of the models. Call this when the first model exists. Returns 0,
 * or reports the error and returns 1. */
int excluded_find_code(struct coverage *coverage);

/* Removes excluded decisions from coverage->unmeasured. Then decides which
 * exclusions are stale: they exclude nothing. Call this last. */
void excluded_find_stale(struct coverage *coverage);

/* Sets *row to how much is excluded: the total before the exclusions minus the
 * total after them. */
void excluded_compute_total(const struct coverage *coverage,
                            struct file_row *row);

/* Prints how much is excluded. Lists exclusions that are stale, whose code is
 * covered, or that lack a required reason. */
void excluded_print_summary(const struct coverage *coverage);

/* Adds a check for each kind of faulty exclusion that the user does not
 * allow. */
void excluded_add_checks(const struct coverage *coverage,
                         struct failed_checks *checks);

#endif
