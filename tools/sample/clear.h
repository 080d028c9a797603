/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which lines have one count that a call can tell. A count of calls stands for
 * all code of its line. That is wrong where a line has several calls that were
 * made unlike often, or a loop: clang would take the one for the other.
 */
#ifndef SAMPLE_CLEAR_H
#define SAMPLE_CLEAR_H

#include "../mip/places.h"

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
