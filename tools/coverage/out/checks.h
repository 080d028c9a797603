/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The checks of a report that failed: limits, exclusions, what was lost, how a
 * command ended. Each makes the exit status 1. They are in evidence.json, and
 * the last lines on standard error say them.
 */
#ifndef BAREPROF_TOOLS_CHECKS_H
#define BAREPROF_TOOLS_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../../base/prints.h"

struct check {
  const char *name;   /* a word, of constant text */
  const char *about;  /* what the line begins with; NULL: the name */
  double wanted, got; /* below 0: there is no number */
};

struct failed_check {
  struct check check; /* without `about` */
  char *about, *text; /* text: what is wrong; what to do */
  bool told;
};

/* Begins as {0}. */
struct checks {
  struct failed_check *list;
  size_t count;
  bool no_memory;
};

/* Adds a check that failed, and its text. */
void checks_add(struct checks *checks, const struct check *check,
                const char *format, ...) PRINTS_AS(3, 4);

/* Reports each that was not told before. Returns 1 if any check failed, else
 * 0. */
int checks_tell(struct checks *checks);

/* Writes the list, as JSON. */
void checks_put(const struct checks *checks, FILE *stream);

void checks_free(struct checks *checks);

#endif
