/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines functions that use the table of edges. An edge counts the calls of
 * one function from one call site. mip_edges.c adds every call to the table,
 * mip_sampled.c adds samples; a program uses one of the two. A hash selects 8
 * neighbouring entries, and a new edge takes the first free entry of these. The
 * hash uses shifts, because small cores would call functions to multiply or
 * divide.
 *
 * To take an entry, code writes the callee with a compare-and-swap, then the
 * return address. If an interrupt between these two stores counts a call of the
 * same edge, that call takes another entry. The host adds the counts of both
 * entries.
 */
#ifndef BAREPROF_RUNTIME_MIP_EDGES_H
#define BAREPROF_RUNTIME_MIP_EDGES_H

#include <stdbool.h>

#include "mip.h"
#include "weak_hooks.h"

enum { BAREPROF_MIP_WAYS = 8 };

/* This bit of a return address marks Thumb state. */
#if defined __arm__
#define STATE_BIT 1u
#else
#define STATE_BIT 0u
#endif

#if __GCC_ATOMIC_INT_LOCK_FREE == 2

static inline bool compare_and_swap(volatile uint32_t *word, uint32_t expected,
                                    uint32_t desired) {
  return __atomic_compare_exchange_n(word, &expected, desired, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#else
/* Without atomic instructions, RISC-V and M-profile cores mask interrupts;
 * other cores need a lock that the program defines. */
#if defined __riscv || __ARM_ARCH_PROFILE == 'M'
#include "atomic/mask.h"
#else
#include "bareprof_options.h"
#define bareprof_mask_interrupts bareprof_atomic_lock
#define bareprof_restore_interrupts bareprof_atomic_unlock
#endif

static inline bool compare_and_swap(volatile uint32_t *word, uint32_t expected,
                                    uint32_t desired) {
  uintptr_t state = bareprof_mask_interrupts();
  bool equal = *word == expected;
  if (equal)
    *word = desired;
  bareprof_restore_interrupts(state);
  return equal;
}

#endif

/* Adds to a count of calls. At first, a function's count is ~0 (all ones), and
 * an edge's count is 0. Both stop at the maximum, ~0 - 1. */
static inline void add_to_call_count(volatile uint32_t *count, uint32_t by) {
  uint32_t old, base, next;
  do {
    old = *count;
    base = old + 1 ? old : 0;
    next = base < UINT32_MAX - by ? base + by : UINT32_MAX - 1;
  } while (next != old && !compare_and_swap(count, old, next));
}

/* Adds to a word, which may wrap, and returns the old value of the word. */
static inline uint32_t fetch_add(volatile uint32_t *word, uint32_t value) {
#if __GCC_ATOMIC_INT_LOCK_FREE == 2
  return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#else
  uint32_t old;
  do
    old = *word;
  while (!compare_and_swap(word, old, old + value));
  return old;
#endif
}

/* Gives a function's first call a number before the call is counted, so that
 * first calls in an interrupt get later numbers. raw points to the function's
 * count and time. */
static inline void number_first_call(volatile uint32_t *raw) {
  if (raw[1] == UINT32_MAX)
    raw[1] = fetch_add(&bareprof_mip_time, 1);
}

/* Returns a pointer to the count of a function's calls from one call site, or
 * NULL if other edges use all 8 entries that the edge could take. */
static inline volatile uint32_t *
find_or_add_edge(const struct bareprof_mip_edges *edges, volatile uint32_t *raw,
                 uintptr_t from) {
  uint32_t callee = (uint32_t)(uintptr_t)raw;
  uint32_t return_address = (uint32_t)from & ~STATE_BIT;
  uint32_t place =
      (return_address >> 1) + (return_address >> 8) + (callee >> 2);
  for (unsigned i = 0; i < BAREPROF_MIP_WAYS; i++) {
    volatile struct bareprof_mip_call *edge =
        &edges->table[(place + i) & (edges->count - 1)];
    if (edge->callee == 0 && compare_and_swap(&edge->callee, 0, callee)) {
      edge->count = 0; /* not 0 if bareprof_mip_reset interrupted a count */
      edge->return_address = return_address;
    }
    if (edge->callee == callee && edge->return_address == return_address)
      return &edge->count;
  }
  return NULL;
}

#endif
