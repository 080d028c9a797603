/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples with their callers, by frame pointers. A frame pointer is whatever
 * the register held: two words are loaded only if they lie on the stack as the
 * program has named it, and only further up than the last two.
 */
#include "sampler.h"

/* Where the caller's frame pointer and the return address are, in words from
 * where the frame pointer points. */
#ifdef __riscv
enum { CALLER = -2, RETURN = -1 };
#else
enum { CALLER = 0, RETURN = 1 };
#endif

void bareprof_sampler_stack(const void *begin, const void *end) {
  if (!&hook_sampler)
    return;
  struct bareprof_sampler_state *state = hook_sampler.state;
  /* An interrupt in between shall find no stack, not half of each. */
  *(volatile uintptr_t *)&state->stack_end = 0;
  *(volatile uintptr_t *)&state->stack = (uintptr_t)begin;
  *(volatile uintptr_t *)&state->stack_end = (uintptr_t)end;
}

static inline void put(struct bareprof_sampler_state *state, uintptr_t pc,
                       uintptr_t lr, uintptr_t fp) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  uintptr_t *caller = bareprof_sampler_entry(state->since.next) + 2;
  uintptr_t low = state->stack;
  for (unsigned left = sampler->chain; left; left--) {
    uintptr_t at = fp + (uintptr_t)(CALLER * (intptr_t)sizeof fp);
    const uintptr_t *frame = (const uintptr_t *)at;
    uintptr_t address = 0;
    /* Without a sum or a difference that could wrap. */
    if (at >= low && at < state->stack_end && at % sizeof fp == 0 &&
        state->stack_end - at >= 2 * sizeof fp) {
      fp = frame[0];
      address = frame[RETURN - CALLER];
      low = at + 2 * sizeof fp;
    } else {
      low = UINTPTR_MAX;
    }
    *caller++ = address;
  }
  bareprof_sampler_put(state, pc, lr, fp);
}

void bareprof_sampler_chain(uintptr_t pc, uintptr_t lr, uintptr_t fp) {
  bareprof_sampler_take_by(put, pc, lr, fp);
}
