/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The link register and the chain of frames to one stack.
 */
#include "stack.h"

#include "live.h"

static void push(struct stack *stack, uint64_t address) {
  if (stack->depth < sizeof stack->frames / sizeof *stack->frames)
    stack->frames[stack->depth++] = address;
}

/* Whether it is behind a call that may have been of this function. */
static bool is_return(const struct program *program, uint64_t pc, uint64_t ra) {
  struct instruction call;
  uint64_t address;
  const struct probe_symbol *symbol = probes_symbol(&program->probes, pc);
  return code_call_before(&program->code, ra, &call, &address) &&
         (!call.direct || !symbol || call.target == symbol->address);
}

void stack_read(struct stack *stack, struct program *program,
                const struct samples *samples, const struct sample *sample) {
  const struct code *code = &program->code;
  uint64_t ra = code_address(code, sample->ra);
  uint32_t chain = sample->chain;
  stack->depth = 0;
  push(stack, code_address(code, sample->pc));
  stack->called = chain != 0;
  enum link_state state = ra ? live_link(program, stack->frames[0]) : LINK_LOST;
  if ((state == LINK_LIVES && !chain) ||
      (state != LINK_LOST && is_return(program, stack->frames[0], ra))) {
    push(stack, ra);
    stack->called = true;
    /* A function that makes a frame although it calls nothing. */
    if (chain && code_address(code, samples->chains[chain].address) == ra)
      chain = samples->chains[chain].outer;
  }
  for (; chain; chain = samples->chains[chain].outer)
    push(stack, code_address(code, samples->chains[chain].address));
}
