/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile of lines, for programs without probes: a line has the highest rate
 * of its instructions, and a function's total is its executed bytes.
 * llvm-profgen does the same.
 */
#ifndef SAMPLE_SAMPLE_LINES_H
#define SAMPLE_SAMPLE_LINES_H

#include "attribute.h"
#include "sampled.h"

struct lines_found {
  size_t unknown;    /* instructions without a known line */
  size_t undeclared; /* instructions of functions whose first line is unknown */
};

/* ---- places in the source, by debug information ---- */

struct line_frames {
  struct dwarf_frame list[DWARF_FRAMES]; /* of dwarf_frames */
  size_t depth;
  const char *symbol; /* the name of the function's code */
};

struct line_place {
  struct sampled_function *outer, *inner; /* whose code it is, and whose line */
  struct sampled_site site;
  uint32_t discriminator;
};

/* Finds, or makes, the functions of these frames, and adds span to their
 * totals. *place: inner is NULL if its line is not known. Returns NULL or the
 * error. */
const char *line_place_find(struct sampled *profile,
                            const struct line_frames *frames, double span,
                            struct line_place *place);

/* Adds a call target, which must live as long as profile. Returns NULL or the
 * error. */
const char *line_place_call(struct sampled *profile,
                            const struct line_place *call, const char *name,
                            double weight);

/* Raises each line to the count of its calls. Lines of inlined functions stay,
 * as in llvm-profgen. */
void lines_raise_calls(struct sampled *profile);

/* ---- samples ---- */

/* All lines of each function that has samples. Returns NULL or the error. rates
 * need not be freed. */
const char *lines_rates(struct sampled *profile, struct program *program,
                        const struct samples *samples,
                        enum attribution attribution, struct rates *rates,
                        struct lines_found *found);

/* Adds call targets by return addresses; call it after lines_rates. */
const char *lines_targets(struct sampled *profile, struct program *program,
                          const struct samples *samples);

/* The same from branches, if lines_rates got all code between the branches: a
 * function's entries are then the branches to its begin. */
const char *lines_jumps(struct sampled *profile, struct program *program,
                        const struct flow *flow);

#endif
