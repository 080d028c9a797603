/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How much of a sample profile by probes another build takes. clang looks at
 * the checksum of each function, wherever the function was inlined.
 */
#ifndef SAMPLE_SAMPLE_MATCH_H
#define SAMPLE_SAMPLE_MATCH_H

#include "../compare/build_match.h"

/* Whether a file is a sample profile as text, by its first line. */
bool sample_match_is(struct bytes file);

/* Adds all functions of the text to match->records, each checksum once. Counts
 * of a function that was inlined are its own. Returns NULL or the error, and
 * *line, the number of the wrong one; 0: it is none of a line. */
const char *sample_match_read(struct match *match, struct bytes file,
                              size_t *line);

/* Matches a text with the probes of a linked build. *match need not be
 * initialised; the caller frees it in any case. Returns NULL or the error:
 * *line above 0 if it is in that line of the text, *of_elf if it is in the
 * ELF. */
struct sample_match_wrong {
  size_t line;
  bool of_elf;
};
const char *sample_match_find(struct match *match, struct bytes file,
                              const struct elf *elf,
                              struct sample_match_wrong *wrong);

#endif
