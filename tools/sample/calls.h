/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile for clang of counted calls: MIP's edges, by the lines of the call
 * sites.
 */
#ifndef SAMPLE_CALLS_H
#define SAMPLE_CALLS_H

#include "../mip/places.h"
#include "sampled.h"

struct calls_found {
  size_t unknown; /* call sites whose line is not known */
  size_t unclear; /* left out: their line has no one count, see clear.h */
};

/* With every_line, lines without calls have the count of their function's
 * calls, as if there were no branch and no loop: for gcc, which takes a line
 * without a count for one that never runs.
 * Adds each function of the profile: its calls are its head count, 0 if it was
 * never called; its call sites are lines with targets. places must have an ELF
 * with lines, and live as long as profile. Returns NULL or the error. */
const char *calls_profile(struct sampled *profile,
                          const struct mip_places *places, bool every_line,
                          struct calls_found *found);

#endif
