/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A period that varies, so that samples do not fall in step with the sampled
 * code.
 */
#include "sampler.h"

/* A linear feedback shift register, several steps at once (xorshift), which
 * goes through all 2^32 - 1 states but 0. Two interrupts within each other at
 * worst use the same one. */
uint32_t bareprof_sampler_interval(void) {
  const struct bareprof_sampler *sampler = bareprof_sampler_given();
  if (!sampler)
    return 0;
  struct bareprof_sampler_state *state = sampler->state;
  uint32_t random = state->random;
  uint32_t spread = state->period >> 2;
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  state->random = random;
  /* Any bits do: the mean of those of random is half of all. */
  spread |= spread >> 1;
  spread |= spread >> 2;
  spread |= spread >> 4;
  return state->period - (spread >> 1) + (random & spread);
}
