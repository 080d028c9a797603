/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads and writes text profiles (.proftext), which llvm-profdata 13 to 23 and
 * people can read:
 *
 *   file    directives, then records; empty lines and lines that begin with #
 *           are ignored
 *   :ir :csir :fe :entry_first :not_entry_first :instrument_loop_entries
 *   :single_byte_coverage
 *   :temporal_prof_traces   number of traces; of runs; for each trace its
 *           weight, and names of functions separated by commas
 *   record  name; hash; number of counters; each counter; optionally
 *           $size of the bitmap in bytes; each byte; optionally
 *           number of kinds of values; for each kind its number; number of
 *           sites; for each site number of values; value:count each
 *
 * A value is a size, or the name of a function or vtable.
 */
#ifndef BAREPROF_TOOLS_PROFTEXT_H
#define BAREPROF_TOOLS_PROFTEXT_H

#include <stdio.h>

#include "model.h"

/* ---- proftext_read.c ---- */

/* Returns whether the file begins with text. */
bool proftext_is_text_file(struct bytes file);

/* Adds the content of the file to the profile, with counts multiplied by
 * `weight`, which is at least 1. Returns NULL, or the error with its line in
 * *line. After an error nothing was added, unless memory ran out midway.
 * Bitmaps may have any size; llvm-profdata 18 to 23 read only up to 255 bytes.
 */
const char *proftext_parse_into(struct profile *profile, struct bytes file,
                                uint64_t weight,
                                const struct addition_handler *events,
                                size_t *line);

/* Parses a number in this base; base 0 means the notation of C. Returns false
 * if the text is not a number, or if the number is too large. */
bool proftext_parse_number(struct bytes line, unsigned base, uint64_t *value);

/* ---- proftext_write.c ---- */

/* Writes the profile as text that the llvm-profdata of release `llvm` can read,
 * or any release if `llvm` is 0. With `sparse`, functions that never ran are
 * left out. Returns NULL, or the part that llvm-profdata cannot read; then
 * nothing was written. The caller checks the stream for errors. */
const char *proftext_write(const struct profile *profile, FILE *stream,
                           unsigned llvm, bool sparse);

/* This text stands for a reference to a name that the profile does not have. */
#define TEXT_EXTERNAL "** External Symbol **"

#endif
