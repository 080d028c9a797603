/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the user leaves out of a report, and why: markers in the sources
 * (exclude_comments.c) and lines of a file (exclude_file.c) make a set of
 * places (exclude_set.c). mask.c takes them out of functions while a model is
 * made. exclude_apply.c judges each exclusion by the model that still has them.
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
  EXCLUDED_BRANCHES, /* of the lines, and their decisions; the lines stay */
  EXCLUDED_FUNCTION, /* that begins on one of the lines */
  EXCLUDED_DECISION  /* of MC/DC; its lines and branches stay */
};

/* As somebody has written it: a marker, or a line of the file. It may exclude
 * several places, or none. */
struct exclusion {
  enum exclusion_kind kind;
  const char *name;        /* the marker, or "the exclusion" */
  const char *file;        /* where it is written: a source here, or the file */
  uint32_t line;           /* of it */
  const char *reason, *by; /* "" if nobody says */
  /* Of the file; of a marker NULL and 0. */
  const char *path;     /* a pattern, of the end of a source's name */
  const char *function; /* a pattern of its name, or NULL */
  const char *text;     /* in each line that is meant; NULL: any */
  struct ere *regex;    /* matches each line that is meant; NULL: any */
  uint32_t first, last; /* lines; 0: any */
  uint32_t column;      /* of a decision; 0: any */
  /* The result. */
  size_t used;          /* lines of code, branches or decisions, each once */
  size_t missed;        /* branches and decisions that are not covered */
  const char *ran_file; /* a source here: the first place that ran needlessly */
  uint32_t ran_line;    /* 0: none did */
  const char *stale;    /* why it excludes nothing; NULL: not known, or used */
};

/* Something that the author cannot have meant. */
struct exclusion_problem {
  const char *file;
  uint32_t line;
  const char *name, *text; /* of a marker, or ""; what follows it */
};

/* What a line has besides comments and blanks. */
enum line_contents { LINE_EMPTY, LINE_CLOSES /* brackets only */, LINE_CODE };

struct line_span {
  uint32_t first, last; /* the last one included */
};

struct excluded_range {
  enum exclusion_kind kind;
  uint32_t first, last;
  uint32_t column;      /* of a decision; 0: any */
  const char *function; /* its name's pattern; NULL: any */
  uint32_t exclusion;   /* its number */
};

struct excluded_source {
  const char *name;        /* as the compiler has it, tidied (paths.h) */
  const char *here;        /* its name on this machine */
  unsigned char *contents; /* enum line_contents of each line; or NULL */
  uint32_t lines;          /* 0: not known */
  struct excluded_range *ranges;
  size_t range_count;
  /* Lines out of all, and out of branches: ascending, apart. */
  struct line_span *spans[2];
  size_t span_count[2];
};

struct exclusions {
  const char *name; /* of the file, or NULL */
  bool no_markers;  /* the user's options */
  bool require_reasons;
  bool fail_stale, fail_ran;
  struct file file;
  struct exclusion *list; /* those of the file first */
  size_t count, rule_count;
  struct exclusion_problem *problems; /* not reported yet */
  size_t problem_count;
  struct excluded_source *sources; /* by name */
  size_t source_count;
  uint64_t steps; /* of mask.c, for one model */
  struct arena arena;
};

/* ---- exclude_set.c ---- */

/* Reads the file, if set->name is one. Returns 0, or reports each line that is
 * wrong and returns 1. The caller frees the set in both cases. */
int exclusions_begin(struct exclusions *set);
void exclusions_free(struct exclusions *set);

/* A copy in the set's memory. */
const char *exclusions_copy(struct exclusions *set, struct bytes text);

/* Finds what is excluded in a source. name: tidied; here: of the file, which
 * need not exist. A source may come several times. Returns 0, or reports the
 * error and returns 1. */
int exclusions_add_source(struct exclusions *set, const char *name,
                          const char *here);

/* Adds a range, unless that has no line. */
void exclusions_add_range(struct excluded_source *source,
                          struct excluded_range range);

/* Makes the spans of the ranges again. */
void exclusions_settle(struct exclusions *set);

/* The source of a name as the compiler has it, or NULL. */
struct excluded_source *exclusions_source(const struct exclusions *set,
                                          const char *name);

/* The lines of a source that do not count, ascending and apart. set: NULL for
 * none. */
const struct line_span *exclusions_lines(const struct exclusions *set,
                                         const char *name, size_t *count);

/* The number of the exclusion that takes a decision out; -1: none does. */
int64_t exclusions_decision(const struct excluded_source *source, uint32_t line,
                            uint32_t column);

/* The span that holds a line, or NULL. branches: of branches. */
const struct line_span *exclusions_span(const struct excluded_source *source,
                                        bool branches, uint32_t line);

/* ---- exclude_file.c: docs/how-to/exclusions.md describes the file ---- */

enum { RULES_MOST = 1 << 14 };

/* Adds the exclusions of the file's text, and a problem for each line that is
 * wrong. Returns whether all are right. */
bool rules_read(struct exclusions *set, struct bytes text);

/* Whether a pattern matches a text: * is any text, ? a character. Of a file's
 * name, the end after a slash may match, too. */
bool pattern_matches(const char *pattern, const char *text);
bool pattern_matches_file(const char *pattern, const char *name);

/* ---- exclude_comments.c ----
 *
 * Markers that begin with LCOV_ mean what they mean to lcov 1.16: a section
 * ends at the next STOP, or else at the end of the file. Those that begin with
 * GCOVR_, GCOV_ or LCOVR_ mean what they mean to gcovr 5.2: sections nest, and
 * one without STOP excludes nothing. As in both, a marker counts anywhere in a
 * line, also in a string.
 */

/* Whether a text may have markers. */
bool markers_any(struct bytes text);

/* Reads a source's text: what its lines contain, and, unless the user wants no
 * markers, what they exclude, and problems. Returns NULL or the error. */
const char *markers_read(struct exclusions *set, struct excluded_source *source,
                         struct bytes text);

/* ---- mask.c ----
 *
 * Sets the kind of excluded regions of a function to REGION_EXCLUDED, or
 * mapping->region_count to 0: all are. Conditions of a decision that is
 * excluded become REGION_BRANCH. Counts the uses of decisions' exclusions.
 * names: of its files. Returns NULL or the error.
 */
struct mapping;
const char *mask_apply(struct exclusions *set, struct mapping *mapping,
                       const char *const *names);

/* ---- exclude_apply.c ---- */

struct coverage;
struct checks;
struct file_row;

/* Finds what is excluded in the sources of all ELFs, and how often it ran. If
 * anything is, coverage->masked is set: then make the model and the summaries
 * of the ELFs again. Call it once there is a model. Returns 0, or reports the
 * error and returns 1. */
int excluded_find(struct coverage *coverage);

/* Takes decisions that clang left out of MC/DC, and that are excluded, from
 * coverage->unmeasured. Then says of each exclusion whether it is stale. Call
 * it last. */
void excluded_settle(struct coverage *coverage);

/* How much is excluded: the numbers before less those after. */
void excluded_total(const struct coverage *coverage, struct file_row *row);

/* Prints how much is excluded, and the exclusions that are stale, that are of
 * code that ran, or that lack a reason and need one. */
void excluded_print(const struct coverage *coverage);

/* Adds a check for what the user does not allow of these. */
void excluded_check(const struct coverage *coverage, struct checks *checks);

#endif
