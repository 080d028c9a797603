/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A user can exclude code from a report and give reasons. Markers in the
 * sources and lines of a file (exclude_file.c) make a set of ranges. exclude.c
 * removes the ranges from the functions of a model, and judges each exclusion
 * with a model that still has the excluded code.
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
  EXCLUDED_BRANCHES, /* branches and decisions of the lines; the lines
                        themselves still count */
  EXCLUDED_FUNCTION, /* a function whose first line is one of the lines */
  EXCLUDED_DECISION  /* an MC/DC decision; its lines and branches still count */
};

/* An exclusion as the user wrote it: a marker in a source, or a line of the
 * exclusions file. One exclusion may exclude several ranges, or none. */
struct exclusion {
  enum exclusion_kind kind;
  const char *name;        /* text of the marker, or "the exclusion" */
  const char *file;        /* the file that contains the exclusion */
  uint32_t line;           /* line of the exclusion in `file` */
  const char *reason, *by; /* reason and responsible person; may be "" */
  /* The next fields come from lines of the exclusions file. A marker leaves
   * them NULL and 0. */
  const char *path;     /* pattern for the end of a source's name */
  const char *function; /* pattern for the name of a function, or NULL */
  const char *text;     /* text in each excluded line; NULL: any text */
  struct ere *regex;    /* matches each excluded line; NULL: any line */
  uint32_t first, last; /* first and last line; 0 means any line */
  uint32_t column;      /* column of a decision; 0 means any column */
  /* The next fields are the result. */
  size_t used;          /* number of excluded lines, branches and decisions */
  size_t missed;        /* number of those that need the exclusion: branches
                           and decisions not covered */
  const char *ran_file; /* the first covered place: name of the source on this
                           machine */
  uint32_t ran_line;    /* line of that place; 0: nothing is covered */
  const char *stale;    /* reason why the exclusion does nothing */
};

/* A faulty marker, or a faulty line of the exclusions file. */
struct exclusion_problem {
  const char *file;
  uint32_t line;
  const char *name, *text; /* the marker, or ""; a description of the fault */
};

/* The contents of a line, apart from comments and blanks. */
enum line_contents { LINE_EMPTY, LINE_CLOSES /* only brackets */, LINE_CODE };

/* A range of lines of one source. */
struct line_span {
  uint32_t first, last; /* `last` belongs to the range */
};

/* A range of a source's lines to which an exclusion applies. */
struct excluded_range {
  enum exclusion_kind kind;
  uint32_t first, last;
  uint32_t column;      /* column of a decision; 0 means any column */
  const char *function; /* pattern for the function's name; NULL: any */
  uint32_t exclusion;   /* index in exclusions.list */
  uint32_t end; /* the line where the marked function ends; 0: not known */
};

/* A source with its exclusions. */
struct excluded_source {
  const char *name;        /* the compiler's name, tidied (paths.h) */
  const char *here;        /* name of the source on this machine */
  unsigned char *contents; /* enum line_contents of each line; may be NULL */
  uint32_t lines;          /* number of line ends + 1; 0 if it is unknown */
  struct excluded_range *ranges;
  size_t range_count;
  /* The merged ranges. spans[EXCLUDED_LINES] has the lines that do not count,
   * spans[EXCLUDED_BRANCHES] the lines whose branches do not count. The lists
   * are ascending, and no two spans touch. */
  struct line_span *spans[2];
  size_t span_count[2];
};

/* All exclusions of a report, and the sources that contain excluded code. */
struct exclusions {
  const char *name; /* name of the exclusions file, or NULL */
  bool no_markers;  /* The user ignores markers. */
  bool require_reasons;
  bool fail_stale, fail_ran;
  struct file file;
  struct exclusion *list; /* the file's exclusions first, then the markers */
  size_t count, rule_count;
  struct exclusion_problem *problems; /* problems that were not reported yet */
  size_t problem_count;
  struct excluded_source *sources; /* sorted by name */
  size_t source_count;
  struct arena arena;
};

/* ---- exclude.c: the set ---- */

/* Prepares the set for the other functions. Reads the exclusions file if
 * set->name is not NULL. Reports each wrong line, and then ends the command. */
void exclusions_read_file(struct exclusions *set);
void exclusions_free(struct exclusions *set);

/* Returns a copy of a text. The copy lives as long as the set. */
const char *exclusions_copy_text(struct exclusions *set, struct bytes text);

/* Adds a source unless the set already has it, and finds its exclusions. `name`
 * is the compiler's name, tidied. `here` is the file on this machine, which
 * need not exist. Ends the command after an error. */
void exclusions_add_source(struct exclusions *set, const char *name,
                           const char *here);

/* Adds a range to a source, unless the range is empty. */
void exclusions_add_range(struct excluded_source *source,
                          struct excluded_range range);

/* Merges the ranges of each source into its spans. Call this function after
 * ranges were added. */
void exclusions_make_spans(struct exclusions *set);

/* Returns the spans of a source's lines that do not count, and sets *count to
 * their number. If `set` is NULL, *count becomes 0. */
const struct line_span *exclusions_get_line_spans(const struct exclusions *set,
                                                  const char *name,
                                                  size_t *count);

/* Returns the span that contains a line, or NULL. Searches the spans of
 * branches if `branches` is set, else the spans of lines. */
const struct line_span *
exclusions_find_span(const struct excluded_source *source, bool branches,
                     uint32_t line);

/* ---- exclude_file.c: docs/how-to/exclusions.md describes the file ---- */

enum { RULES_MOST = 1 << 14 };

/* Adds the exclusions in the text of the file, and a problem for each wrong
 * line. Returns whether all lines are right. */
bool rules_parse(struct exclusions *set, struct bytes text);

/* pattern_matches returns whether a pattern matches a text: * stands for any
 * text, ? for one character. In pattern_matches_file, the pattern may also
 * match only the part of the file's name after one of its slashes. */
bool pattern_matches(const char *pattern, const char *text);
bool pattern_matches_file(const char *pattern, const char *name);

/* ---- exclude_file.c: markers ----
 *
 * This file finds markers in the comments of sources. Markers that begin with
 * LCOV_ work as in lcov 1.16: a section ends at the next STOP, or else at the
 * end of the file. Markers that begin with GCOVR_, GCOV_ or LCOVR_ work as in
 * gcovr 5.2: sections nest, and a section without STOP excludes nothing. As in
 * lcov and gcovr, a marker counts anywhere in a line, also in a string.
 */

/* Removes the next line from the text of a source. A line ends in LF, CR or
 * both, as for clang. Returns false if the text is empty. */
bool exclusions_next_line(struct bytes *text, struct bytes *line);

/* Returns whether a text may contain markers. */
bool markers_may_exist(struct bytes text);

/* Parses a source: stores the contents of each line, and adds the exclusions
 * and problems of its markers, unless the user ignores markers. Returns NULL or
 * the error. */
const char *markers_parse(struct exclusions *set,
                          struct excluded_source *source, struct bytes text);

/* ---- exclude.c: the model ----
 *
 * This function removes excluded elements from a model: regions, branches,
 * decisions, and functions whose elements are all excluded. Conditions of an
 * excluded decision become plain branches. The function also counts the uses of
 * exclusions of decisions. The caller must make the rows of the model again
 * (evaluate_make_rows). Returns NULL or the error.
 */
struct model;
const char *mask_drop_excluded(struct exclusions *set, struct model *exported);

/* ---- exclude.c: the report ---- */

struct coverage;
struct failed_checks;
struct file_row;

/* Finds the exclusions in the sources of all ELFs, and whether excluded code
 * ran. If some code is excluded, sets coverage->has_exclusions, so that
 * evaluate_make_rows removes the code from the models. Call this function when
 * the first model exists. */
void excluded_add_sources_note_use(struct coverage *coverage);

/* Removes excluded decisions from coverage->unmeasured. Then finds the stale
 * exclusions, which exclude nothing. Call this function last. */
void excluded_drop_and_set_stale(struct coverage *coverage);

/* Sets *row to the excluded numbers: the total before the exclusions minus the
 * total after them. */
void excluded_compute_total(const struct coverage *coverage,
                            struct file_row *row);

/* Prints how many lines, branches and so on are excluded. Lists exclusions that
 * are stale, whose code is covered, or that lack a required reason. */
void excluded_print_summary(const struct coverage *coverage);

/* Adds a failed check for each kind of faulty exclusion that the user does not
 * allow. */
void excluded_add_failed_checks(const struct coverage *coverage,
                                struct failed_checks *checks);

#endif
