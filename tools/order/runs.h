/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs of a program: the functions that each run called, in the order of their
 * first calls. An order is made from runs of any kind of file.
 *
 *     runs_begin(&runs, weight);
 *     runs_call(&runs, name, name_size);    first called first
 */
#ifndef BAREPROF_TOOLS_ORDER_RUNS_H
#define BAREPROF_TOOLS_ORDER_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/map.h"

struct run {
  double weight;
  uint64_t hash; /* of the functions */
  size_t first;  /* number in runs.calls, of `count` functions */
  uint32_t count;
};

struct called {
  const char *name; /* ends in a zero */
  uint64_t reference;
  uint64_t stamp; /* the last run that called the function, counted from 1 */
};

struct runs {
  struct arena arena;
  struct buffer functions; /* struct called, as they came */
  struct buffer calls;     /* uint32_t: numbers of functions */
  struct buffer list;      /* struct run */
  struct map numbers;      /* of functions, by the MD5 of their names */
};

void runs_new(struct runs *runs);
void runs_free(struct runs *runs);

/* A run, which counts `weight` times. false: out of memory. */
bool runs_begin(struct runs *runs, uint64_t weight);

/* Adds the next function that the run called. Skips a function that the run has
 * already. false: out of memory. */
bool runs_call(struct runs *runs, const char *name, size_t name_size);

/* The same in two steps, for functions that are called by many runs: the number
 * of a function whose name has this MD5, counted from 1, 0: out of memory; and
 * its call. */
uint32_t runs_number(struct runs *runs, const char *name, size_t name_size,
                     uint64_t reference);
bool runs_call_number(struct runs *runs, uint32_t number);

/* Call it after the last run. Runs with the same calls become one, and the
 * result does not depend on the order of arrival. Drops runs without calls or
 * weight. */
void runs_fold(struct runs *runs);

size_t runs_count(const struct runs *runs);
const struct run *runs_at(const struct runs *runs, size_t i);
const uint32_t *run_calls(const struct runs *runs, const struct run *run);

size_t runs_functions(const struct runs *runs);
const char *runs_name(const struct runs *runs, uint32_t function);

#endif
