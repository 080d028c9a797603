/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From temporal traces of profiles to an order of functions for linkers.
 */
#ifndef BAREPROF_TOOLS_ORDER_ORDER_H
#define BAREPROF_TOOLS_ORDER_ORDER_H

#include <stdio.h>

#include "../object/elf.h"
#include "../profile/sources.h"
#include "runs.h"

/* ---- traces to runs: order_traces.c ---- */

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

struct listed {
  const char *symbol; /* the name without the file of a local function */
  uint32_t place;     /* in the order */
  bool ambiguous;     /* there are several functions of that name */
};

struct listing {
  struct listed *list; /* in order, each symbol once */
  size_t count;
  size_t ambiguous; /* symbols of several functions */
  size_t unfit;     /* names that no linker script can have */
  size_t runs;      /* runs that the order was made from */
};

/* order: the order of the functions of runs. elf: the image that must have the
 * functions, or NULL. Returns NULL or the error. The caller frees listing->list
 * in both cases. */
const char *listing_make(struct listing *listing, const struct runs *runs,
                         const uint32_t *order, const struct elf *elf);

/* For --symbol-ordering-file. */
void listing_lld(FILE *stream, const struct listing *listing);

/* Input sections, to be included inside of an output section. */
void listing_gnu(FILE *stream, const struct listing *listing);

#endif
