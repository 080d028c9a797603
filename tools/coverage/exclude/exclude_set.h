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

/* ---- exclude_file.c ----
 *
 * The file of exclusions, for code that may not be touched. docs/report.md
 * describes it.
 */

enum { RULES_MOST = 1 << 14 };

/* A line of the file. */
struct exclude_rule {
  enum exclusion_kind kind;
  uint32_t line;           /* of the file */
  const char *path;        /* a pattern, of the end of a source's name */
  const char *function;    /* a pattern of its name, or NULL */
  const char *text;        /* in each line that is meant; NULL: any */
  struct ere *regex;       /* matches each line that is meant; NULL: any */
  uint32_t first, last;    /* lines; 0: any */
  uint32_t column;         /* of a decision; 0: any */
  const char *reason, *by; /* "" if not given */
};

struct rules {
  struct exclude_rule *list;
  size_t count;
  struct arena arena;
};

/* Something that is wrong with a line. */
typedef void rules_wrong(void *context, uint32_t line, const char *what);

/* Reads the file's text. Calls wrong for each line that is wrong. Returns
 * whether all are right. The caller frees *rules in both cases, and need not
 * initialise it before. */
bool rules_read(struct rules *rules, struct bytes text, rules_wrong *wrong,
                void *context);
void rules_free(struct rules *rules);

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

/* What a line has besides comments and blanks. */
enum line_contents { LINE_EMPTY, LINE_CLOSES /* brackets only */, LINE_CODE };

struct marker {
  enum exclusion_kind kind;
  uint32_t line;        /* of the marker */
  uint32_t first, last; /* what it excludes; last below first: nothing */
  struct bytes name;    /* both in the text */
  struct bytes reason;  /* what is behind it in its comment; may be empty */
};

/* Something that the author cannot have meant. */
struct marker_problem {
  uint32_t line;
  struct bytes name;
  const char *text; /* behind the name */
};

struct markers {
  struct marker *list;
  size_t count;
  struct marker_problem *problems;
  size_t problem_count;
  unsigned char *contents; /* enum line_contents, of each line from 1 on */
  uint32_t lines;          /* of the source */
};

/* Whether a text may have markers. */
bool markers_any(struct bytes text);

/* Reads a source, which must outlive *markers. Returns NULL or the error. The
 * caller frees *markers in both cases, and need not initialise it before. */
const char *markers_read(struct markers *markers, struct bytes text);
void markers_free(struct markers *markers);

/* As somebody has written it: a marker, or a line of the file. It may exclude
 * several places, or none. */
struct exclusion {
  enum exclusion_kind kind;
  const char *name;        /* the marker, or "the exclusion" */
  const char *file;        /* where it is written: a source here, or the file */
  uint32_t line;           /* of it */
  const char *reason, *by; /* "" if nobody says */
  bool marker;
  /* The result. */
  size_t used;          /* lines of code, branches or decisions, each once */
  const char *ran_file; /* a source here: the first place that ran needlessly */
  uint32_t ran_line;    /* 0: none did */
  const char *stale;    /* why it excludes nothing; NULL: not known, or used */
};

/* Lines of a source. */
struct excluded_range {
  enum exclusion_kind kind;
  uint32_t first, last;
  uint32_t column;      /* of a decision; 0: any */
  const char *function; /* its name's pattern; NULL: any */
  uint32_t exclusion;   /* its number */
};

struct excluded_source {
  char *name;              /* as the compiler has it, tidied (paths.h) */
  const char *here;        /* its name on this machine */
  unsigned char *contents; /* as markers->contents; NULL: not known */
  uint32_t lines;          /* 0: not known */
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
  struct rules rules;
  struct exclusion *list;
  size_t count;
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

/* Adds lines of a source, of a function that an exclusion names. false: out of
 * memory. */
bool exclusions_add_lines(struct excluded_source *source, uint32_t first,
                          uint32_t last, uint32_t exclusion);

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

#endif
