/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A dump of samples as a file (.samples): the same bytes that
 * bareprof_sampler_write would have sent.
 */
#ifndef BAREPROF_TOOLS_SAMPLESFILE_H
#define BAREPROF_TOOLS_SAMPLESFILE_H

#include <stdio.h>

#include "snapshot.h"

/* How many samples there were, and how many of them are not there. */
struct samplesfile_counts {
  uint32_t taken, lost;
};
struct samplesfile_counts samplesfile_counts(const struct snapshot *snapshot);

/* Writes the file to a stream, whose errors are the caller's to find. */
void samplesfile_write(const struct snapshot *snapshot, FILE *stream);

#endif
