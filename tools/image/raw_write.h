/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A snapshot as a file. With all its pieces it becomes a raw profile, by the
 * runtime's own writer: the same bytes that bareprof_write would have sent.
 * That of MIP becomes the raw section and its edges, that of samples their
 * file.
 */
#ifndef BAREPROF_TOOLS_RAW_WRITE_H
#define BAREPROF_TOOLS_RAW_WRITE_H

#include <stdio.h>

#include "snapshot.h"

/* Writes the profile to a stream, whose errors are the caller's to find.
 * NULL, or what is wrong with the image; then nothing has been written. */
const char *profile_write(const struct snapshot *snapshot, FILE *stream);

/* Whether that could write it, as far as records tell. NULL, or what is
 * wrong. */
const char *profile_check(const struct snapshot *snapshot);

/* What an error of enum bareprof_error says about an image. */
const char *profile_error(int error);

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

/* How many samples there were, and how many of them are not there. */
struct samplesfile_counts {
  uint32_t taken, lost;
};
struct samplesfile_counts samplesfile_counts(const struct snapshot *snapshot);

/* Writes the file to a stream, whose errors are the caller's to find. */
void samplesfile_write(const struct snapshot *snapshot, FILE *stream);

#endif
