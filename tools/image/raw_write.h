/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes a snapshot to a file. A snapshot with all pieces becomes a raw
 * profile, written by the runtime's own writer: the same bytes that
 * bareprof_write would have sent. A snapshot of MIP becomes the raw section and
 * its edges; a snapshot of samples becomes a file of samples.
 */
#ifndef BAREPROF_TOOLS_RAW_WRITE_H
#define BAREPROF_TOOLS_RAW_WRITE_H

#include <stdio.h>

#include "snapshot.h"

/* Writes the profile to a stream. The caller checks the stream for errors.
 * Returns NULL or the image's error; after an error nothing has been
 * written. */
const char *profile_write(const struct snapshot *snapshot, FILE *stream);

/* Checks whether profile_write could write the snapshot, as far as records
 * tell. Returns NULL or the error. */
const char *profile_check(const struct snapshot *snapshot);

/* Returns the meaning of an enum bareprof_error for an image. */
const char *profile_error(int error);

/* Whether the dump's header says that it has counts. Gaps in counts cannot be
 * described. */
bool mipfile_counts(const struct snapshot *snapshot);

/* Edges, and calls that found no room for their edge. */
struct mipfile_edges {
  uint32_t count, lost;
};
struct mipfile_edges mipfile_edges(const struct snapshot *snapshot);

/* Writes the file to a stream. The caller checks the stream for errors. Returns
 * NULL or the dump's error; after an error nothing has been written. */
const char *mipfile_write(const struct snapshot *snapshot, FILE *stream);

/* The number of samples taken, and the number of missing ones. */
struct samplesfile_counts {
  uint32_t taken, lost;
};
struct samplesfile_counts samplesfile_counts(const struct snapshot *snapshot);

/* Writes the file to a stream. The caller checks the stream for errors. */
void samplesfile_write(const struct snapshot *snapshot, FILE *stream);

#endif
