/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the user leaves out of a report, and why: markers in the sources
 * (exclude_comments.c) and the file of exclusions (exclude_file.c), as a set of
 * places. exclude_apply.h applies the set; the model lacks those places then.
 */
#ifndef BAREPROF_TOOLS_EXCLUDE_SET_H
#define BAREPROF_TOOLS_EXCLUDE_SET_H

#include <stdint.h>

#include "../../base/storage.h"
#include "../../base/bytes.h"
#include "../../base/ere.h"
#include "../../base/file.h"

/* ---- exclusion ----
 *
 * What an exclusion takes out of a report.
 */

enum exclusion_kind {
  EXCLUDED_LINES,
  EXCLUDED_BRANCHES, /* of the lines, and their decisions; the lines stay */
  EXCLUDED_FUNCTION, /* that begins on one of the lines */
  EXCLUDED_DECISION  /* of MC/DC; its lines and branches stay */
};

/* Lines of a source, the last one included. */
struct line_span {
  uint32_t first, last;
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
  const char *ran_file; /* a source here: the first place that ran needlessly */
  uint32_t ran_line;    /* 0: none did */
  const char *stale;    /* why it excludes nothing; NULL: not known, or used */
};

/* Something that the author cannot have meant. */
struct exclusion_problem {
  const char *file;
  uint32_t line;
  const char *name; /* of a marker; or "" */
  const char *text; /* behind the name */
};

/* What a line has besides comments and blanks. */
enum line_contents { LINE_EMPTY, LINE_CLOSES /* brackets only */, LINE_CODE };

/* Lines of a source. */
struct excluded_range {
  enum exclusion_kind kind;
  uint32_t first, last;
  uint32_t column;      /* of a decision; 0: any */
  const char *function; /* its name's pattern; NULL: any */
  uint32_t exclusion;   /* its number */
};

struct excluded_source {
  char *name;       /* as the compiler has it, tidied (paths.h) */
  const char *here; /* its name on this machine */
  /* enum line_contents, of each line from 1 on; NULL: not known */
  unsigned char *contents;
  uint32_t lines; /* 0: not known */
  struct excluded_range *ranges;
  size_t range_count;
  /* Lines out of all, and out of branches: ascending, apart. */
  struct line_span *spans[2];
  size_t span_count[2];
};

struct exclusions {
  const char *name; /* of the file, or NULL */
  bool no_markers;  /* the user's option */
  bool require_reasons;
  bool fail_stale, fail_ran;
  struct file file;
  struct exclusion *list; /* those of the file first */
  size_t count, rule_count;
  struct exclusion_problem *problems;
  size_t problem_count, told;      /* told: problems that were reported */
  struct excluded_source *sources; /* by name */
  size_t source_count;
  struct arena arena;
};

/* Reads the file, if set->name is one. Returns 0, or reports each line that is
 * wrong and returns 1. The caller frees the set in both cases. */
int exclusions_begin(struct exclusions *set);
void exclusions_free(struct exclusions *set);

/* Finds what is excluded in a source. name: tidied; here: of the file, which
 * need not exist. A source may come several times. Reports markers that cannot
 * be meant so. Returns 0, or reports the error and returns 1. */
int exclusions_add_source(struct exclusions *set, const char *name,
                          const char *here);

/* Adds an exclusion, or a problem; to a source a range, unless that has no
 * line. false: out of memory. */
bool exclusions_add(struct exclusions *set, const struct exclusion *one);
bool exclusions_complain(struct exclusions *set,
                         const struct exclusion_problem *one);
bool exclusions_add_range(struct excluded_source *source,
                          struct excluded_range range);

/* Makes the spans anew of the ranges. Returns NULL or the error. */
const char *exclusions_settle(struct exclusions *set);

/* Returns the source of this tidied name, or NULL. */
struct excluded_source *exclusions_source(const struct exclusions *set,
                                          const char *name);

/* The same for a name as the compiler has it. */
struct excluded_source *exclusions_source_of(const struct exclusions *set,
                                             const char *name);

/* Returns the number of the exclusion that takes a decision of MC/DC out; -1 if
 * none does. */
int64_t exclusions_decision(const struct excluded_source *source, uint32_t line,
                            uint32_t column);

/* Returns the span that holds a line, or NULL. branches: of branches. */
const struct line_span *exclusions_span(const struct excluded_source *source,
                                        bool branches, uint32_t line);

/* ---- exclude_file.c ----
 *
 * The file of exclusions, for code that may not be touched.
 * docs/how-to/report.md describes it.
 */

enum { RULES_MOST = 1 << 14 };

/* Adds the exclusions of the file's text, and a problem for each line that is
 * wrong. Returns whether all are right. */
bool rules_read(struct exclusions *set, struct bytes text);

/* Whether a pattern matches a text: * is any text, ? a character. */
bool pattern_matches(const char *pattern, const char *text);

/* Whether a pattern matches a file's name, or the end of the name behind a
 * slash. */
bool pattern_matches_file(const char *pattern, const char *name);

/* ---- exclude_comments.c ----
 *
 * Markers of exclusions in a source. Markers that begin with LCOV_ mean what
 * they mean to lcov 1.16: a section ends at the next STOP, or else at the end
 * of the file. Those that begin with GCOVR_, GCOV_ or LCOVR_ mean what they
 * mean to gcovr 5.2: sections nest, and one without STOP excludes nothing. As
 * in both, a marker counts anywhere in a line, also in a string.
 */

/* Whether a text may have markers. */
bool markers_any(struct bytes text);

/* Reads a source's text: what its lines contain, and, unless the user wants no
 * markers, what they exclude, and problems. Returns NULL or the error. */
const char *markers_read(struct exclusions *set, struct excluded_source *source,
                         struct bytes text);

#endif
