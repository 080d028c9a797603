/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Jumps from function to function, as the code has them: a function that ends
 * in a jump to another leaves no frame. What then runs returns to a place that
 * never called it.
 *
 *     struct jumps jumps;
 *     jumps_begin(&jumps, program);
 *     ... jumps_lead(&jumps, symbol, to) ...
 *     jumps_free(&jumps);
 */
#ifndef SAMPLE_JUMPS_H
#define SAMPLE_JUMPS_H

#include "program.h"

struct jumps {
  const struct program *program;
  struct map known;    /* of each symbol, where its list begins, ends */
  struct buffer lists; /* uint64_t: where jumps out of a symbol go to */
};

void jumps_begin(struct jumps *jumps, const struct program *program);
void jumps_free(struct jumps *jumps);

/* Whether jumps lead from that function to address `to`, where another one
 * begins, directly or by a few others. Indirect jumps are not known. */
bool jumps_lead(struct jumps *jumps, const struct probe_symbol *from,
                uint64_t to);

#endif
