/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Stores samples as the program has chosen: in a ring, in a ring with their
 * callers, or as counts in a table. sampler.c calls one of the three functions
 * with PC, LR and frame pointer; sampler_send.c and sampler.c read the entries.
 */
#include "sampler.h"

/* ---- a ring of the last samples ---- */

void bareprof_sampler_ring(uintptr_t pc, uintptr_t lr, uintptr_t fp) {
  bareprof_sampler_take_and_keep(bareprof_sampler_put_in_ring, pc, lr, fp);
}

/* ---- a ring with callers, found by frame pointers ----
 *
 * The frame-pointer register may hold any value. So a frame is read only if it
 * is on the stack that the program has named, and above the previous frame. */

/* Offsets of the caller's frame pointer and of the return address, in words
 * from the frame pointer. */
#ifdef __riscv
enum { CALLER = -2, RETURN = -1 };
#else
enum { CALLER = 0, RETURN = 1 };
#endif

void bareprof_sampler_stack(const void *begin, const void *end) {
  if (!&hook_sampler)
    return;
  struct bareprof_sampler_state *state = hook_sampler.state;
  /* An interrupt between the stores must find an empty stack, not a mix of the
   * old and the new bounds. */
  *(volatile uintptr_t *)&state->stack_end = 0;
  *(volatile uintptr_t *)&state->stack = (uintptr_t)begin;
  *(volatile uintptr_t *)&state->stack_end = (uintptr_t)end;
}

/* Follows the frame pointers on the task's stack. After a frame that is not on
 * the stack, or not above the previous one, all callers are 0. */
static inline void put_chain(struct bareprof_sampler_state *state, uintptr_t pc,
                             uintptr_t lr, uintptr_t fp) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  uintptr_t *caller = bareprof_sampler_entry_at(state->since.next) + 2;
  uintptr_t low = state->stack;
  for (unsigned left = sampler->chain; left; left--) {
    uintptr_t at = fp + (uintptr_t)(CALLER * (intptr_t)sizeof fp);
    const uintptr_t *frame = (const uintptr_t *)at;
    uintptr_t address = 0;
    /* These tests of `at` ensure that no sum and no difference wraps. */
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
  bareprof_sampler_put_in_ring(state, pc, lr, fp);
}

void bareprof_sampler_chain(uintptr_t pc, uintptr_t lr, uintptr_t fp) {
  bareprof_sampler_take_and_keep(put_chain, pc, lr, fp);
}

/* ---- counts of pairs of PC and LR ----
 *
 * An entry has PC, LR and count; a free entry has only zeros. The hash of PC
 * and LR selects a start position, and the pair takes the first free entry of
 * the WAYS entries from there. Entries never become free again, so a search may
 * end at a free entry. The number of start positions is a power of 2; WAYS - 1
 * more entries follow the last start position. */

enum { PC, LR, COUNT, WIDTH };

/* Returns a hash of PC and LR. Neighbouring PCs, and the callers of one PC, are
 * spread evenly over the table. The hash uses shifts, because some cores lack
 * multiplication. */
static inline uint32_t hash_pair(uintptr_t pc, uintptr_t lr) {
  uint32_t a = (uint32_t)pc, b = (uint32_t)lr;
  uint32_t hash = a + (a << 2) + b + (b << 6);
  return (hash >> 1) + (hash >> 7);
}

/* Adds 1 to the entry of PC and LR, or makes one. If all WAYS entries belong to
 * other pairs, counts the PC without LR, or loses a sample. */
static inline void
count_or_lose_pc_lr_pair(struct bareprof_sampler_state *state, uintptr_t pc,
                         uintptr_t lr, uintptr_t fp) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  uint32_t mask = sampler->places - BAREPROF_SAMPLER_WAYS;
  uintptr_t *entry;
  unsigned left;
  (void)fp;
again:
  entry = bareprof_sampler_entry_at(0) + WIDTH * (hash_pair(pc, lr) & mask);
  left = BAREPROF_SAMPLER_WAYS;
  while (entry[PC] && !(entry[PC] == pc && entry[LR] == lr)) {
    if (--left == 0) {
      /* Searches again without LR, because the PC says more than the caller. */
      if (lr) {
        lr = 0;
        goto again;
      }
      /* Other pairs use all WAYS entries, so the last of these entries loses
       * one count. If its count was 1, this sample takes the entry; if not,
       * this sample is lost, too. */
      uint32_t gone = --entry[COUNT] ? 2 : 1;
      state->since.lost[0] += gone;
      state->since.kept -= gone;
      if (gone == 2)
        return;
      break;
    }
    entry += WIDTH;
    BAREPROF_KEEP(entry); /* avoids a second register, for an index */
  }
  entry[PC] = pc;
  entry[LR] = lr;
  entry[COUNT]++;
}

void bareprof_sampler_table(uintptr_t pc, uintptr_t lr, uintptr_t fp) {
  bareprof_sampler_take_and_keep(count_or_lose_pc_lr_pair, pc, lr, fp);
}
