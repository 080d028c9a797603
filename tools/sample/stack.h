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

/* What the link register holds counts only where nothing can have changed it
 * since the function was entered: in one that calls nothing, and otherwise
 * before the first branch or call. */
void stack_read(struct stack *stack, struct program *program,
                const struct samples *samples, const struct sample *sample);

/* Whether the link register is the return address at that place. */
bool stack_link_lives(struct program *program, uint64_t pc);

#endif
