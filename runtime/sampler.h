/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the sampler's files share. sampler.c takes samples and writes them as a
 * file, sampler_store.c stores them, sampler_send.c sends them as frames. An
 * interrupt comes in through arch/sampler.S.
 *
 * The state is shared with interrupts, and its level guards it. An interrupt
 * runs to its end before the interrupted code goes on, and restores the level
 * that it found. So a plain load, store and store of the level suffice, on any
 * core. An interrupt between load and store leaves no trace; a later interrupt
 * finds a higher level. Only one context at a time changes the data of a level.
 */
#ifndef BAREPROF_RUNTIME_SAMPLER_H
#define BAREPROF_RUNTIME_SAMPLER_H

#include "image_build_id.h"
#include "weak_hooks.h"

#ifdef __arm__
_Static_assert(offsetof(struct bareprof_sampler, take) == 24, "the entry's");
#endif

/* The program's sampler, or NULL. The address is in a register, so that it is
 * not computed twice. */
static inline const struct bareprof_sampler *bareprof_sampler_given(void) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  __asm__("" : "+r"(sampler));
  return sampler;
}

/* The compiler must not move accesses across; the core sees its own accesses in
 * order. */
#define BAREPROF_SAMPLER_FENCE() __asm__ volatile("" ::: "memory")

/* Between hold and release, new samples only count as lost. */
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

/* sampler.c: counts a sample as lost at that level, and releases. */
void bareprof_sampler_lose(struct bareprof_sampler_state *state,
                           unsigned level);

/* The common part of taking a sample, for each way of storing: inline, to save
 * a second call. */
typedef void bareprof_sampler_keep(struct bareprof_sampler_state *state,
                                   uintptr_t pc, uintptr_t lr, uintptr_t fp);
static inline __attribute__((always_inline)) void
bareprof_sampler_take_by(bareprof_sampler_keep *keep, uintptr_t pc,
                         uintptr_t lr, uintptr_t fp) {
  struct bareprof_sampler_state *state = hook_sampler.state;
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

/* The entry at a byte offset. */
static inline uintptr_t *bareprof_sampler_entry(uint32_t at) {
  return (uintptr_t *)(void *)(hook_sampler.entries + at);
}

/* Puts a sample into the ring, for RING and CHAIN. */
static inline __attribute__((always_inline)) void
bareprof_sampler_put(struct bareprof_sampler_state *state, uintptr_t pc,
                     uintptr_t lr, uintptr_t fp) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  uint32_t at = state->since.next;
  uint32_t next = at + sampler->width;
  uintptr_t *entry = bareprof_sampler_entry(at);
  (void)fp;
  entry[0] = pc;
  entry[1] = lr;
  state->since.next = next == sampler->size ? 0 : next;
}

/* The header for the current samples, while the sampler is held. */
static inline void bareprof_sampler_header(struct bareprof_samples *header) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  const struct bareprof_sampler_state *state = sampler->state;
  const uint32_t *lost = state->since.lost;
  /* A call: first, before other values occupy registers. */
  header->build = bareprof_build();
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
