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
  size_t unclear; /* left out: their line has no one count, see below */
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

/* ---- clear.c ---- */

/* Which lines have one count that a call can tell. A count of calls stands for
 * all code of its line. That is wrong where a line has several calls that were
 * made unlike often, or a loop: clang would take the one for the other. */
struct clear {
  const struct mip_places *places;
  struct buffer calls;  /* struct clear_call; in the end of unclear lines */
  struct buffer starts; /* of functions, ascending addresses */
};

/* Looks at all calls and loops. Returns NULL or the error; the caller calls
 * clear_free in both cases. places must live as long. */
const char *clear_begin(struct clear *clear, const struct mip_places *places);
void clear_free(struct clear *clear);

/* Whether the line of a call site, with these frames, has one count. */
bool clear_is(const struct clear *clear, const struct mip_edge *edge,
              const struct dwarf_frame *frame);

#endif
