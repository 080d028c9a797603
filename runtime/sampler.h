/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the parts of the sampler share. sampler.c takes samples, sampler_ring.c,
 * sampler_chain.c and sampler_table.c keep them, as the program has chosen;
 * sampler_write.c and sampler_send.c let them out.
 *
 * What is shared with interrupts is the state, and its level is what guards
 * it. Who interrupts runs to his end before the interrupted goes on, and puts
 * the level back as he found it. So a plain load, store and store of the
 * level do, on any core: who comes between load and store leaves no trace,
 * who comes later finds a higher level. What belongs to a level is changed by
 * one at a time.
 */
#ifndef BAREPROF_RUNTIME_SAMPLER_H
#define BAREPROF_RUNTIME_SAMPLER_H

#include "image_build_id.h"
#include "seams.h"

#ifdef __arm__
_Static_assert(offsetof(struct bareprof_sampler, take) == 24, "the entry's");
#endif

/* The program's, or NULL. The address in a register: it is not made twice. */
static inline const struct bareprof_sampler *bareprof_sampler_given(void) {
  const struct bareprof_sampler *sampler = &seam_sampler;
  __asm__("" : "+r"(sampler));
  return sampler;
}

/* The compiler shall not move accesses across; the core sees its own in
 * order. */
#define BAREPROF_SAMPLER_FENCE() __asm__ volatile("" ::: "memory")

/* From hold to release samples are only counted as lost. */
static inline unsigned
bareprof_sampler_hold(struct bareprof_sampler_state *state) {
  unsigned level = state->level;
  state->level = (uint8_t)(level + 1);
  BAREPROF_SAMPLER_FENCE();
  return level;
}

static inline void
bareprof_sampler_release(struct bareprof_sampler_state *state, unsigned level) {
  BAREPROF_SAMPLER_FENCE();
  state->level = (uint8_t)level;
}

/* sampler.c: counts a sample as lost that came at that level, and releases. */
void bareprof_sampler_lose(struct bareprof_sampler_state *state,
                           unsigned level);

/* What taking a sample is for each way of keeping it: inline, so that it costs
 * no second call. */
typedef void bareprof_sampler_keep(struct bareprof_sampler_state *state,
                                   uintptr_t pc, uintptr_t lr, uintptr_t fp);
static inline __attribute__((always_inline)) void
bareprof_sampler_take_by(bareprof_sampler_keep *keep, uintptr_t pc,
                         uintptr_t lr, uintptr_t fp) {
  struct bareprof_sampler_state *state = seam_sampler.state;
  if (!state->running)
    return;
  unsigned level = bareprof_sampler_hold(state);
  if (level || state->since.kept == UINT32_MAX) {
    bareprof_sampler_lose(state, level);
    return;
  }
  state->since.kept++;
  keep(state, pc, lr, fp);
  bareprof_sampler_release(state, 0);
}

/* The entry at a byte of them. */
static inline uintptr_t *bareprof_sampler_entry(uint32_t at) {
  return (uintptr_t *)(void *)(seam_sampler.entries + at);
}

/* The last samples, in a ring: for the two that have one. */
static inline __attribute__((always_inline)) void
bareprof_sampler_put(struct bareprof_sampler_state *state, uintptr_t pc,
                     uintptr_t lr, uintptr_t fp) {
  const struct bareprof_sampler *sampler = &seam_sampler;
  uint32_t at = state->since.next;
  uint32_t next = at + sampler->width;
  uintptr_t *entry = bareprof_sampler_entry(at);
  (void)fp;
  entry[0] = pc;
  entry[1] = lr;
  state->since.next = next == sampler->size ? 0 : next;
}

/* The header of what there is, while the sampler is held. */
static inline void bareprof_sampler_header(struct bareprof_samples *header) {
  const struct bareprof_sampler *sampler = &seam_sampler;
  const struct bareprof_sampler_state *state = sampler->state;
  const uint32_t *lost = state->since.lost;
  header->build = bareprof_build(); /* A call, before all else is at hand. */
  uint32_t there = state->since.kept, taken = there;
  header->entries = sampler->places;
  if (!(sampler->flags & BAREPROF_SAMPLES_FOLDED)) {
    if (there > header->entries)
      there = header->entries;
    header->entries = there;
  }
  do
    taken = taken + *lost < taken ? UINT32_MAX : taken + *lost;
  while (++lost != state->since.lost + BAREPROF_SAMPLER_LEVELS);
  __builtin_memcpy(header->magic,
                   "\xFA"
                   "BPS",
                   4);
  header->version = BAREPROF_SAMPLES_VERSION;
  header->flags = sampler->flags;
  header->period = state->period;
  header->lost = taken - there;
  header->taken = taken;
  header->chain = sampler->chain;
}

#endif
