/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From temporal traces of profiles to an order of functions for linkers.
 */
#ifndef BAREPROF_TOOLS_ORDER_ORDER_H
#define BAREPROF_TOOLS_ORDER_ORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/storage.h"
#include "../object/elf.h"
#include "../profile/gather.h"

/* ---- arrange.c ----
 *
 * Runs of a program: the functions that each run called, in the order of their
 * first calls. An order is made from runs of any kind of file.
 *
 *     runs_begin(&runs, weight);
 *     runs_call(&runs, name, name_size);    first called first
 */

struct traced_run {
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
  struct buffer list;      /* struct traced_run */
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

size_t runs_functions(const struct runs *runs);
const char *runs_name(const struct runs *runs, uint32_t function);

/* ---- traces to runs: order_listing.c ---- */

struct traces_lost {
  const char *file;  /* the first file without all its runs' traces, or NULL */
  uint64_t has, ran; /* its traces, and its runs */
  size_t files;      /* number of these files */
  uint64_t nameless; /* calls of functions whose names no file has */
};

/* Adds the runs of all files, file by file: the number of files does not limit
 * the runs. elf: for raw profiles without records, or NULL. Returns 0, or
 * prints the error and returns 1. */
int traces_add(struct runs *runs, const struct sources *sources,
               const struct elf *elf, struct traces_lost *lost);

/* ---- runs to an order: arrange.c ---- */

/* Returns the numbers of all functions, as runs_functions counts them, in an
 * order in which runs touch little memory for as long as possible. If all runs
 * have the same order, the result is that order. The caller frees the list.
 * NULL: out of memory. */
uint32_t *arrange(const struct runs *runs);

/* ---- an order to files: order_listing.c ---- */

struct order_listed {
  const char *symbol; /* the name without the file of a local function */
  uint32_t place;     /* in the order */
  bool ambiguous;     /* there are several functions of that name */
};

struct order_listing {
  struct order_listed *list; /* in order, each symbol once */
  size_t count;
  size_t ambiguous; /* symbols of several functions */
  size_t unfit;     /* names that no linker script can have */
  size_t runs;      /* runs that the order was made from */
};

/* order: the order of the functions of runs. elf: the image that must have the
 * functions, or NULL. Returns NULL or the error. The caller frees listing->list
 * in both cases. */
const char *listing_make(struct order_listing *listing, const struct runs *runs,
                         const uint32_t *order, const struct elf *elf);

/* For --symbol-ordering-file. */
void listing_lld(FILE *stream, const struct order_listing *listing);

/* Input sections, to be included inside of an output section. */
void listing_gnu(FILE *stream, const struct order_listing *listing);

#endif
