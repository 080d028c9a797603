/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Who called whom when a sample was taken.
 */
#ifndef SAMPLE_STACK_H
#define SAMPLE_STACK_H

#include "input.h"
#include "program.h"

struct stack {
  size_t depth;                            /* 1 and more */
  uint64_t frames[SAMPLES_DEPTH_MOST + 2]; /* the program counter, then return
                                            addresses, the innermost first */
  bool called; /* frames[1] is where the innermost function returns to */
};

/* What the link register holds counts only where live.h says so. */
void stack_read(struct stack *stack, struct program *program,
                const struct samples *samples, const struct sample *sample);

#endif
