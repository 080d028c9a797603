/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How often lines ran, for KCachegrind and callgrind_annotate.
 */
#ifndef BAREPROF_TOOLS_CALLGRIND_LINES_H
#define BAREPROF_TOOLS_CALLGRIND_LINES_H

#include <stdio.h>

#include "../coverage.h"
#include "../inputs/paths.h"

/* Writes the lines that ran. Returns NULL or the error. The caller
 * checks the stream for errors. */
const char *callgrind_lines_write(const struct coverage *coverage,
                                  const struct paths *paths, FILE *stream);

#endif
