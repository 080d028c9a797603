/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which tests a change can affect: those that reach what it changes. What
 * cannot be told selects all.
 */
#ifndef BAREPROF_TOOLS_CHOSEN_H
#define BAREPROF_TOOLS_CHOSEN_H

#include "../baseline/unified.h"
#include "by_test.h"

/* A place of the change, and what it selects. */
struct chosen_reason {
  const char *file;     /* of the diff, or of tests.json */
  uint32_t first, last; /* lines of the old file; 0: the file */
  const char *function; /* or NULL */
  const char *why;
  bool all;     /* It selects all tests, */
  size_t tests; /* or so many. */
};

/* Begins with the first three, the others {0}. */
struct chosen {
  struct tests *tests;
  const struct unified *diff;
  const struct ere *ignored; /* files that no test depends on; or NULL */
  /* The result. */
  bool all;
  bool *taken; /* of each test */
  struct chosen_reason *reasons;
  size_t reason_count;
  size_t named;    /* tests in all */
  size_t failed;   /* of those that are taken */
  size_t unhashed; /* sources that cannot be compared */
  /* Only for chosen.c. */
  bool *wanted; /* of each line of tests.json */
  bool no_memory;
};

/* Chooses, and puts the tests into an order: tests->order has all of them, of
 * which those that are taken find the most per second. Returns 0, or reports
 * the error and returns 1. */
int choose(struct chosen *chosen);
void chosen_free(struct chosen *chosen);

#endif
