/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes an order of functions for linkers.
 */
#ifndef BAREPROF_TOOLS_ORDER_ORDER_LISTING_H
#define BAREPROF_TOOLS_ORDER_ORDER_LISTING_H

#include <stdio.h>

#include "../object/elf.h"
#include "runs.h"

struct listed {
  const char *symbol; /* the name without the file of a local function */
  uint32_t place;     /* in the order */
  bool ambiguous;     /* there are several functions of that name */
};

struct listing {
  struct listed *list; /* in order, each symbol once */
  size_t count;
  size_t ambiguous; /* symbols of several functions */
  size_t absent;    /* functions that the image does not have */
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
