/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Takes samples, starts, stops and resets the sampler, computes the timer's
 * intervals, and writes samples as a file. bareprof_sampler.h documents the
 * functions. sampler.h explains why no lock is needed.
 */
#include "sampler.h"
#include "shared.h"

void bareprof_sampler_take(uintptr_t pc, uintptr_t lr, uintptr_t fp) {
  const struct bareprof_sampler *sampler = bareprof_sampler_find();
  if (sampler)
    sampler->take(pc, lr, fp);
}

void bareprof_sampler_release_lost(struct bareprof_sampler_state *state,
                                   unsigned level) {
  uint32_t *lost = &state->since.lost[level % BAREPROF_SAMPLER_LEVELS];
  *lost += *lost != UINT32_MAX;
  bareprof_sampler_release(state, level);
}

void bareprof_sampler_start(uint32_t period) {
  const struct bareprof_sampler *sampler = bareprof_sampler_find();
  if (!sampler)
    return;
  struct bareprof_sampler_state *state = sampler->state;
  state->period = period;
  state->random |= 1;
  state->running = 1;
}

void bareprof_sampler_stop(void) {
  const struct bareprof_sampler *sampler = bareprof_sampler_find();
  if (sampler)
    sampler->state->running = 0;
}

/* The level (sampler.h) becomes 0: at boot the RAM may hold any number. */
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

/* Intervals are random, so that samples do not fall into step with the sampled
 * code. The xorshift generator has a period of 2^32 - 1. Nested interrupts may
 * get the same number. */
uint32_t bareprof_sampler_interval(void) {
  const struct bareprof_sampler *sampler = bareprof_sampler_find();
  if (!sampler)
    return 0;
  struct bareprof_sampler_state *state = sampler->state;
  uint32_t random = state->random;
  uint32_t spread = state->period >> 2;
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  state->random = random;
  /* The mask need not be 2^n - 1: a random number ANDed with any mask averages
   * half the mask. */
  spread |= spread >> 1;
  spread |= spread >> 2;
  spread |= spread >> 4;
  return state->period - (spread >> 1) + (random & spread);
}

/* In a ring that has wrapped, the oldest entry is the next to be overwritten;
 * the file begins with that entry. In another ring, `next` may be one entry too
 * low, if this call interrupts a sample: the header counts that sample. */
int bareprof_sampler_write(const struct bareprof_sink *sink) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  if (!sampler || sampler->state->since.kept == 0)
    return BAREPROF_E_EMPTY;
  struct bareprof_sampler_state *state = sampler->state;
  const unsigned char *entries = sampler->entries;
  struct bareprof_samples header;
  unsigned level = bareprof_sampler_hold(state);
  bareprof_sampler_fill_header(&header);
  uint32_t size = header.entries * sampler->width;
  uint32_t first = size == sampler->size ? state->since.next : 0;
  int error = sink->write(sink->context, &header, sizeof header);
  if (!error)
    error = sink->write(sink->context, entries + first, size - first);
  if (!error && first)
    error = sink->write(sink->context, entries, first);
  bareprof_sampler_release(state, level);
  return bareprof_sink_error(error);
}
