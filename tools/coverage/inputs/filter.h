/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Selects the source files of a report: files below a folder, files that one
 * regular expression matches, except files that another one matches.
 * Expressions are POSIX extended expressions, as in llvm-cov, and match any
 * part of a name.
 */
#ifndef BAREPROF_TOOLS_FILTER_H
#define BAREPROF_TOOLS_FILTER_H

#include "../../base/ere.h"
#include "paths.h"

enum { PATTERNS_MOST = 64 };

struct patterns {
  struct ere compiled[PATTERNS_MOST];
  size_t count;
};

/* Begins as {0}. */
struct filter {
  const char *root;         /* as the user gave it, or NULL */
  struct patterns includes; /* If there are any, one must match. */
  struct patterns ignores;  /* None may match. */
  /* Only for filter.c: root as an absolute name, and with links followed. */
  char *folder, *real;
};

/* Compiles a text; adds a pattern. Return NULL or the error. */
const char *pattern_compile(struct ere *pattern, const char *text);
const char *patterns_add(struct patterns *patterns, const char *text);

/* Finds the root. Returns 0, or reports the error and returns 1. */
int filter_begin(struct filter *filter);

/* Whether the filter may leave out a file. */
bool filter_is_set(const struct filter *filter);

/* Whether a source file stays. name: the compiler's name for the file. */
bool filter_keeps(const struct filter *filter, const struct paths *paths,
                  const char *name);

void filter_free(struct filter *filter);

#endif
