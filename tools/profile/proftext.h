/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Text profiles (.proftext), which llvm-profdata 13 to 22 and people can read:
 *
 *   file    directives, then records; empty lines and those that begin with #
 *           do not count
 *   :ir :csir :fe :entry_first :not_entry_first :instrument_loop_entries
 *   :single_byte_coverage
 *   :temporal_prof_traces   number of traces; of runs; for each trace its
 *           weight, and names of functions separated by commas
 *   record  name; hash; number of counters; each counter; then possibly
 *           $number of bitmap bytes; each byte; then possibly
 *           number of kinds of values; for each kind its number; number of
 *           sites; for each site number of values; value:count each
 *
 * A value is a size, or the name of a function or vtable.
 */
#ifndef BAREPROF_TOOLS_PROFTEXT_H
#define BAREPROF_TOOLS_PROFTEXT_H

#include <stdio.h>

#include "model.h"

/* Whether the file begins with text. */
bool text_is(struct bytes file);

/* Adds the file's content, with counts times weight (1 or more). Returns NULL,
 * or the error and its line in *line. After an error nothing was added, unless
 * memory ran out midway. Bitmaps may be of any size (llvm-profdata 18 to 22
 * read up to 255 bytes). */
const char *text_read(struct profile *profile, struct bytes file,
                      uint64_t weight, const struct read_events *events,
                      size_t *line);

/* Writes the profile in the form that the llvm-profdata of this release reads;
 * 0: any release. sparse: without functions that never ran. Returns NULL, or
 * the part that llvm-profdata does not read; then nothing was written. Errors
 * of the stream are ignored. */
const char *text_write(const struct profile *profile, FILE *stream,
                       unsigned llvm, bool sparse);

/* Stands for a reference that the profile does not have. */
#define TEXT_EXTERNAL "** External Symbol **"

/* Reads a number of base 10; base 0: as in C. false: the text is no number, or
 * the number is too large. */
bool text_number(struct bytes line, unsigned base, uint64_t *value);

#endif
