/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The temporal traces of profiles as runs.
 */
#ifndef BAREPROF_TOOLS_ORDER_TRACES_H
#define BAREPROF_TOOLS_ORDER_TRACES_H

#include "../object/elf.h"
#include "../profile/sources.h"
#include "runs.h"

struct traces_lost {
  const char *file;  /* the first that has not all its runs' traces, or NULL */
  uint64_t has, ran; /* traces that it has, of so many runs */
  size_t files;      /* how many such files */
  uint64_t nameless; /* calls of functions whose names no file has */
};

/* Adds the runs of all these files, file by file: none is left out for the
 * number of files. elf: of raw profiles without records, or NULL. Returns 0, or
 * prints the error and returns 1. */
int traces_add(struct runs *runs, const struct sources *sources,
               const struct elf *elf, struct traces_lost *lost);

#endif
