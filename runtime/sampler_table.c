/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples as counts of pairs of PC and LR: PC, LR, count. All 0 is a free
 * place. A pair is in one of WAYS places in a row, the first that was free when
 * it came, and no place becomes free again: behind a free one is none. The last
 * row ends behind the power of 2 that rows begin in.
 */
#include "sampler.h"

enum { PC, LR, COUNT, WIDTH };

/* Neighbours in the code, and those of another caller, go to places that are
 * spread evenly. Shifts: some cores have no product. */
static inline uint32_t place(uintptr_t pc, uintptr_t lr) {
  uint32_t a = (uint32_t)pc, b = (uint32_t)lr;
  uint32_t hash = a + (a << 2) + b + (b << 6);
  return (hash >> 1) + (hash >> 7);
}

static inline void put(struct bareprof_sampler_state *state, uintptr_t pc,
                       uintptr_t lr, uintptr_t fp) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  uint32_t mask = sampler->places - BAREPROF_SAMPLER_WAYS;
  uintptr_t *entry;
  unsigned left;
  (void)fp;
again:
  entry = bareprof_sampler_entry(0) + WIDTH * (place(pc, lr) & mask);
  left = BAREPROF_SAMPLER_WAYS;
  while (entry[PC] && !(entry[PC] == pc && entry[LR] == lr)) {
    if (--left == 0) {
      /* The PC says more than the caller. */
      if (lr) {
        lr = 0;
        goto again;
      }
      /* The last place loses one count. If that was not its only one, this
       * sample is lost too. */
      uint32_t gone = --entry[COUNT] ? 2 : 1;
      state->since.lost[0] += gone;
      state->since.kept -= gone;
      if (gone == 2)
        return;
      break;
    }
    entry += WIDTH;
    __asm__("" : "+r"(entry)); /* No index besides: it costs registers. */
  }
  entry[PC] = pc;
  entry[LR] = lr;
  entry[COUNT]++;
}

void bareprof_sampler_table(uintptr_t pc, uintptr_t lr, uintptr_t fp) {
  bareprof_sampler_take_by(put, pc, lr, fp);
}
