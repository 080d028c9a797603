/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns temporal traces of profiles into runs.
 */
#ifndef BAREPROF_TOOLS_ORDER_ORDER_TRACES_H
#define BAREPROF_TOOLS_ORDER_ORDER_TRACES_H

#include "../object/elf.h"
#include "../profile/sources.h"
#include "runs.h"

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

#endif
