/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module computes an order of functions for linkers from the temporal
 * traces of profiles, which list functions in the order of their first calls.
 * cmd/order.c turns traces into runs, runs into an order, and the order into a
 * file.
 */
#ifndef BAREPROF_TOOLS_ORDER_ORDER_H
#define BAREPROF_TOOLS_ORDER_ORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/storage.h"
#include "../object/elf.h"
#include "../profile/profile_merge.h"

/* ---- order_compute.c ----
 *
 * A run has the functions that the program called, in the order of their first
 * calls. All kinds of input files are turned into runs.
 *
 *     runs_begin_run(&runs, weight);
 *     runs_add_call(&runs, name, name_size);    first called first
 */

struct traced_run {
  double weight;
  uint64_t hash; /* hash of the run's functions */
  size_t first;  /* index of the run's first function in runs.calls */
  uint32_t count;
};

struct called_function {
  const char *name; /* name of the function, terminated with a zero */
  uint64_t reference;
  uint64_t stamp; /* number of its last run, counted from 1 */
};

struct runs {
  struct arena arena;
  struct called_function *functions; /* functions in the order in which they
                                        were added */
  size_t function_count;
  uint32_t *calls; /* for each run, the numbers of its functions; the runs
                      follow each other */
  size_t call_count;
  struct traced_run *list;
  size_t count;
  struct map numbers; /* map from a name's MD5 to a number */
};

void runs_init(struct runs *runs);
void runs_free(struct runs *runs);

/* Begins a run that counts `weight` times. */
void runs_begin_run(struct runs *runs, uint64_t weight);

/* Adds the next function that the run called. Skips a function that the run has
 * already called. */
void runs_add_call(struct runs *runs, const char *name, size_t name_size);

/* Adds a call like runs_add_call in two steps, for functions that many runs
 * call. runs_find_or_add_function returns the number of the function whose name
 * has this MD5, counted from 1. runs_add_call_by_number adds a call of the
 * function with this number. */
uint32_t runs_find_or_add_function(struct runs *runs, const char *name,
                                   size_t name_size, uint64_t reference);
void runs_add_call_by_number(struct runs *runs, uint32_t number);

/* Merges runs with the same calls, so that the result does not depend on the
 * order of the inputs. Drops runs without calls or weight. Call this function
 * after the last run.
 */
void runs_merge_equal(struct runs *runs);

/* ---- traces to runs: order_listing.c ---- */

struct lost_traces {
  const char *file;  /* first file that lacks traces of runs, or NULL */
  uint64_t has, ran; /* numbers of runs with a trace, and of runs, in it */
  size_t files;      /* number of files that lack traces */
  uint64_t nameless; /* number of calls of functions without a name */
};

/* Adds the runs of all files, one file at a time, so that the number of files
 * does not limit the runs. `elf` is for raw profiles without records, or NULL.
 * Returns 0, or prints the error and returns 1. */
int order_add_traces(struct runs *runs, const struct merge_inputs *sources,
                     const struct elf *elf, struct lost_traces *lost);

/* ---- runs to an order: order_compute.c ---- */

/* Returns the numbers of all functions, in an order in which the runs use few
 * pages of memory for as long as possible. If all runs have the same order, the
 * result is that order. The list is in the memory of `runs`. */
uint32_t *order_compute(struct runs *runs);

/* ---- an order to files: order_listing.c ---- */

struct listed_symbol {
  const char *symbol; /* name of the symbol; for a local function, without the
                         name of its file */
  uint32_t place;     /* position of the symbol in the order */
  bool ambiguous;     /* Several functions have this name. */
};

struct order_listing {
  struct listed_symbol *list; /* symbols in the computed order; each symbol
                                 occurs once */
  size_t count;
  size_t ambiguous; /* number of ambiguous symbols */
  size_t unfit;     /* number of names that a linker script cannot contain */
  size_t runs;      /* number of runs from which the order was made */
};

/* Makes the list of symbols, in the memory of `runs`. `order` is the order of
 * the functions of `runs`. `elf` is the image that must contain the functions,
 * or NULL. Returns NULL or the error. */
const char *order_list_symbols(struct order_listing *listing, struct runs *runs,
                               const uint32_t *order, const struct elf *elf);

/* Writes the list for lld's --symbol-ordering-file. */
void order_print_lld(FILE *stream, const struct order_listing *listing);

/* Writes a list of input sections for use inside an output section of GNU
 * ld. */
void order_print_gnu(FILE *stream, const struct order_listing *listing);

#endif
