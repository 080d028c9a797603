/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A dump of Machine IR Profile as a file (.mipraw): the same bytes that
 * bareprof_mip_write would have sent, edges included.
 */
#ifndef BAREPROF_TOOLS_MIPFILE_H
#define BAREPROF_TOOLS_MIPFILE_H

#include <stdio.h>

#include "snapshot.h"

/* Snapshots here are of that kind, whole or in part. */

/* Whether the dump says that it has counts: of gaps in these nothing can be
 * said. */
bool mipfile_counts(const struct snapshot *snapshot);

/* Edges, and calls that found no room for theirs. */
struct mipfile_edges {
  uint32_t count, lost;
};
struct mipfile_edges mipfile_edges(const struct snapshot *snapshot);

/* Writes the file to a stream, whose errors are the caller's to find. NULL, or
 * what is wrong with the dump; then nothing has been written. */
const char *mipfile_write(const struct snapshot *snapshot, FILE *stream);

#endif
