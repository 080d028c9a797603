/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Taking samples; start, stop, reset. The header is the manual; sampler.h
 * explains why this is safe.
 */
#include "sampler.h"

void bareprof_sampler_take(uintptr_t pc, uintptr_t lr, uintptr_t fp) {
  const struct bareprof_sampler *sampler = bareprof_sampler_given();
  if (sampler)
    sampler->take(pc, lr, fp);
}

void bareprof_sampler_lose(struct bareprof_sampler_state *state,
                           unsigned level) {
  uint32_t *lost = &state->since.lost[level % BAREPROF_SAMPLER_LEVELS];
  *lost += *lost != UINT32_MAX;
  bareprof_sampler_release(state, level);
}

void bareprof_sampler_start(uint32_t period) {
  const struct bareprof_sampler *sampler = bareprof_sampler_given();
  if (!sampler)
    return;
  struct bareprof_sampler_state *state = sampler->state;
  state->period = period;
  state->random |= 1;
  state->running = 1;
}

void bareprof_sampler_stop(void) {
  const struct bareprof_sampler *sampler = bareprof_sampler_given();
  if (sampler)
    sampler->state->running = 0;
}

/* In uncleared memory the level may have any value. */
void bareprof_sampler_reset(void) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  if (!sampler)
    return;
  struct bareprof_sampler_state *state = sampler->state;
  bareprof_sampler_hold(state);
  __builtin_memset(&state->since, 0, sizeof state->since);
  __builtin_memset(sampler->entries, 0, sampler->size);
  bareprof_sampler_release(state, 0);
}
