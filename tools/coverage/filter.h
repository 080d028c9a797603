/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which source files a report is about: those below a folder, those that a
 * regular expression matches, not those that another one matches. Expressions
 * are POSIX extended ones, as llvm-cov's, and match any part of a name.
 */
#ifndef BAREPROF_TOOLS_FILTER_H
#define BAREPROF_TOOLS_FILTER_H

#include <regex.h>

#include "paths.h"

enum { PATTERNS_MOST = 64 };

struct patterns {
  const char *texts[PATTERNS_MOST];
  regex_t compiled[PATTERNS_MOST];
  size_t count;
};

/* Begins as {0}. */
struct filter {
  const char *root;         /* as the user gave it, or NULL */
  struct patterns includes; /* one of them must match, if there are any */
  struct patterns ignores;  /* none of them may */
  /* Of use to filter.c only: root, absolute; and with links followed. */
  char *folder, *real;
};

/* Adds a pattern. NULL, or what is wrong with it. */
const char *patterns_add(struct patterns *patterns, const char *text);

/* Finds the root. 0, or 1: that is reported. */
int filter_begin(struct filter *filter);

/* Whether there is anything to leave out. */
bool filter_is_set(const struct filter *filter);

/* Whether a source file stays, by the compiler's name of it. */
bool filter_keeps(const struct filter *filter, const struct paths *paths,
                  const char *name);

void filter_free(struct filter *filter);

#endif
