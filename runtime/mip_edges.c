/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Edges, which count calls by call site: the rest of the helpers
 * bareprof_mip_edge. A new edge tries 8 entries of a table, from a place that
 * is a hash. The hash uses no division and no product: on small cores these
 * would be calls.
 *
 * An edge takes an entry by compare-and-swap of its callee, then writes its
 * return address; the entry stays the same from then on. An interrupt between
 * the two, with the same edge, takes another entry: their counts are added.
 */
#include <stdbool.h>

#include "mip.h"
#include "seams.h"

enum { WAYS = 8 };

/* Of a return address: whether the caller is in Thumb state. */
#if defined __arm__
#define STATE_BIT 1u
#else
#define STATE_BIT 0u
#endif

#if __GCC_ATOMIC_INT_LOCK_FREE == 2

static inline bool swap(volatile uint32_t *word, uint32_t expected,
                        uint32_t desired) {
  return __atomic_compare_exchange_n(word, &expected, desired, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#else
/* Others than these need a lock of the program's. */
#if defined __riscv || __ARM_ARCH_PROFILE == 'M'
#include "atomic/mask.h"
#else
#include "bareprof_atomic.h"
#define bareprof_mask_interrupts bareprof_atomic_lock
#define bareprof_restore_interrupts bareprof_atomic_unlock
#endif

static bool swap(volatile uint32_t *word, uint32_t expected, uint32_t desired) {
  uintptr_t state = bareprof_mask_interrupts();
  bool equal = *word == expected;
  if (equal)
    *word = desired;
  bareprof_restore_interrupts(state);
  return equal;
}

#endif

/* From ~0, which is never, or 0 to 1; at the end no further than ~0 - 1.
 * Returns what it was. */
static uint32_t count_up(volatile uint32_t *count) {
  uint32_t old, next;
  do {
    old = *count;
    next = old + 1 ? old + 1 : 1;
  } while (next != UINT32_MAX && !swap(count, old, next));
  return old;
}

/* Not static: arch/mip_edge.S and mip_edge_index.S call it. raw: count and
 * time of a function. */
void bareprof_mip_call(volatile uint32_t *raw, uintptr_t from);
void bareprof_mip_call(volatile uint32_t *raw, uintptr_t from) {
  const struct bareprof_mip_edges *edges = &seam_mip_edges;
  uint32_t callee = (uint32_t)(uintptr_t)raw;
  uint32_t return_address = (uint32_t)from & ~STATE_BIT;
  uint32_t place =
      (return_address >> 1) + (return_address >> 8) + (callee >> 2);
  /* The time first: an interrupt gets a later one. */
  if (raw[1] == UINT32_MAX)
    raw[1] = count_up(&bareprof_mip_time);
  count_up(raw);
  if (!edges)
    return;
  for (unsigned i = 0; i < WAYS; i++) {
    volatile struct bareprof_mip_edge *edge =
        &edges->table[(place + i) & (edges->count - 1)];
    if (edge->callee == 0 && swap(&edge->callee, 0, callee))
      edge->return_address = return_address;
    if (edge->callee == callee && edge->return_address == return_address) {
      count_up(&edge->count);
      return;
    }
  }
  count_up(edges->lost);
}
