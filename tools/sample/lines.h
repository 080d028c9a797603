/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile of lines, for programs without probes: a line has the highest rate
 * of its instructions, and a function's total is its executed bytes.
 * llvm-profgen does the same.
 */
#ifndef SAMPLE_LINES_H
#define SAMPLE_LINES_H

#include "attribute.h"
#include "sampled.h"

struct lines_found {
  size_t unknown;    /* instructions without a known line */
  size_t undeclared; /* instructions of functions whose first line is unknown */
};

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
