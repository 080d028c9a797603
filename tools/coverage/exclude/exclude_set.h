/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the user leaves out of a report, and why: markers in the sources
 * (exclude_comments.h) and the file of exclusions (exclude_file.h), as a set of
 * places. exclude_apply.h applies the set; the model lacks those places then.
 */
#ifndef BAREPROF_TOOLS_EXCLUDE_SET_H
#define BAREPROF_TOOLS_EXCLUDE_SET_H

#include "../../base/arena.h"
#include "../../base/file.h"
#include "exclude_file.h"
#include "exclude_comments.h"

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
