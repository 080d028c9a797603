/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the functions that the sampler's files share. sampler.c takes
 * samples and writes them as a file, sampler_store.c stores them,
 * sampler_send.c sends them as frames. arch/sampler.S is the entry of the
 * timer's interrupt.
 *
 * Interrupts use the sampler's state, too; the field `level` guards the state.
 * Code loads the level, stores a higher level, uses the state, and stores the
 * old level again. An interrupt ends before the interrupted code continues, and
 * restores the level that it found; so plain loads and stores are enough on any
 * core. After the first store, an interrupt finds the higher level and counts
 * its sample as lost. So only one context at a time changes the samples.
 */
#ifndef BAREPROF_RUNTIME_SAMPLER_H
#define BAREPROF_RUNTIME_SAMPLER_H

#include "image.h"
#include "weak_hooks.h"

#ifdef __arm__
_Static_assert(offsetof(struct bareprof_sampler, take) == 24, "sampler.S");
#endif

/* Returns the program's sampler, or NULL. The asm keeps the address in a
 * register, so that the compiler computes the address only once. */
static inline const struct bareprof_sampler *bareprof_sampler_find(void) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  BAREPROF_KEEP(sampler);
  return sampler;
}

/* Keeps the compiler from moving memory accesses across the fence. The core
 * needs no instruction, because it sees its own accesses in order. */
#define BAREPROF_SAMPLER_FENCE() __asm__ volatile("" ::: "memory")

/* These functions hold and release the sampler. While the sampler is held, a
 * new sample is not stored, but counted as lost. */
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

/* sampler.c: counts a lost sample for this level, and releases the sampler. */
void bareprof_sampler_release_lost(struct bareprof_sampler_state *state,
                                   unsigned level);

/* Takes a sample, and calls `keep` to store the sample in a ring, with a chain
 * of callers, or in a table. The function is inline, which saves a second call
 * in each interrupt. */
typedef void bareprof_sampler_keep(struct bareprof_sampler_state *state,
                                   uintptr_t pc, uintptr_t lr, uintptr_t fp);
static inline __attribute__((always_inline)) void
bareprof_sampler_take_and_keep(bareprof_sampler_keep *keep, uintptr_t pc,
                               uintptr_t lr, uintptr_t fp) {
  struct bareprof_sampler_state *state = hook_sampler.state;
  if (!state->running)
    return;
  unsigned level = bareprof_sampler_hold(state);
  if (level || state->since.kept == UINT32_MAX) {
    bareprof_sampler_release_lost(state, level);
    return;
  }
  state->since.kept++;
  keep(state, pc, lr, fp);
  bareprof_sampler_release(state, 0);
}

/* Returns the entry at a byte offset. */
static inline uintptr_t *bareprof_sampler_entry_at(uint32_t at) {
  return (uintptr_t *)(void *)(hook_sampler.entries + at);
}

/* Stores a sample in the ring; BAREPROF_SAMPLER_RING and _CHAIN have a ring. */
static inline __attribute__((always_inline)) void
bareprof_sampler_put_in_ring(struct bareprof_sampler_state *state, uintptr_t pc,
                             uintptr_t lr, uintptr_t fp) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  uint32_t at = state->since.next;
  uint32_t next = at + sampler->width;
  uintptr_t *entry = bareprof_sampler_entry_at(at);
  (void)fp;
  entry[0] = pc;
  entry[1] = lr;
  state->since.next = next == sampler->size ? 0 : next;
}

/* Fills the header for the current samples. The caller has called
 * bareprof_sampler_hold. */
static inline void
bareprof_sampler_fill_header(struct bareprof_samples *header) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  const struct bareprof_sampler_state *state = sampler->state;
  const uint32_t *lost = state->since.lost;
  /* The call comes first, before other values occupy registers. */
  header->build = bareprof_build_id_hash();
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
