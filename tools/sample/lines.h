/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile of lines, for programs without probes: a line has the highest rate
 * of its instructions, and a function, as its total, the bytes that it ran, as
 * llvm-profgen has both.
 */
#ifndef SAMPLE_LINES_H
#define SAMPLE_LINES_H

#include "attribute.h"
#include "sampled.h"

struct lines_found {
  size_t unknown;    /* instructions of which no line is known */
  size_t undeclared; /* of functions whose first line is not known */
};

/* All lines of each function that has samples. NULL, or what is wrong. rates
 * need not be freed. */
const char *lines_rates(struct sampled *profile, struct program *program,
                        const struct samples *samples,
                        enum attribution attribution, struct rates *rates,
                        struct lines_found *found);

/* Whom calls call, by the return addresses; after lines_rates. */
const char *lines_targets(struct sampled *profile, struct program *program,
                          const struct samples *samples);

/* The same of branches, when lines_rates had all that ran between them: how
 * often a function was entered is then how often a branch went there. */
const char *lines_jumps(struct sampled *profile, struct program *program,
                        const struct flow *flow);

#endif
