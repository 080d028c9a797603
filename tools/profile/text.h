/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Text profiles (.proftext), which every llvm-profdata of 13 to 22 reads and
 * people too:
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
#ifndef BAREPROF_TOOLS_TEXT_H
#define BAREPROF_TOOLS_TEXT_H

#include <stdio.h>

#include "model.h"

/* Whether the file may be text: what it begins with is. */
bool text_is(struct bytes file);

/* Adds what the file has, counts times weight (1 or more). NULL, or what is
 * wrong, and in *line where; then nothing was added, except if it is the
 * memory. Bitmaps may be of any size (llvm-profdata 18 to 22 read up to 255
 * bytes). */
const char *text_read(struct profile *profile, struct bytes file,
                      uint64_t weight, const struct read_events *events,
                      size_t *line);

/* Writes the profile as the llvm-profdata of that release reads it, 0: of any;
 * sparse: without the functions that never ran. NULL, or what it does not
 * read, and then nothing was written. Errors of the stream are not looked
 * at. */
const char *text_write(const struct profile *profile, FILE *stream,
                       unsigned llvm, bool sparse);

/* In the place of a reference that is none of the profile's. */
#define TEXT_EXTERNAL "** External Symbol **"

/* A number, of base 10, or 0: as C has it. false: it is none, or too large. */
bool text_number(struct bytes line, unsigned base, uint64_t *value);

#endif
