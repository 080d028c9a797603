/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The hooks of value profiling: instrumented code gives them a value, its
 * record and its site, and they count it in a slot. Linked when instrumented
 * code calls a hook. bareprof_values.h documents the guarantees, values.h how
 * slots change owners. values_write.c is next on the way to a profile.
 */
#include "weak_hooks.h"
#include "shared.h"
#include "values.h"

/* The most that a rank or a site can be. */
#define HALF_MOST ((bareprof_value_half)~0u)

#if __GCC_ATOMIC_POINTER_LOCK_FREE == 2

BAREPROF_NOINLINE bool bareprof_value_swap(bareprof_value_word *owner,
                                           uintptr_t expected,
                                           uintptr_t desired) {
  return __atomic_compare_exchange_n(owner, &expected, desired, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static inline void add(uintptr_t *count, uintptr_t times) {
  __atomic_fetch_add(count, times, __ATOMIC_RELAXED);
}

#else
#include "bareprof_options.h"

BAREPROF_NOINLINE bool bareprof_value_swap(bareprof_value_word *owner,
                                           uintptr_t expected,
                                           uintptr_t desired) {
  uintptr_t state = bareprof_atomic_lock();
  bool equal = *owner == expected;
  if (equal)
    *owner = desired;
  bareprof_atomic_unlock(state);
  return equal;
}

static inline void add(uintptr_t *count, uintptr_t times) {
  uintptr_t state = bareprof_atomic_lock();
  *count += times;
  bareprof_atomic_unlock(state);
}

#endif

/* On a 32-bit core a count stops at half of the maximum, so that hooks that
 * interrupt between test and addition cannot make it wrap. */
void bareprof_value_add(struct bareprof_value_slot *slot, uintptr_t times) {
  if (sizeof times == 8 || (intptr_t)BAREPROF_LOAD(&slot->count) >= 0)
    add(&slot->count, times);
}

static inline bool holds(const struct bareprof_value_slot *slot,
                         uintptr_t value, uintptr_t owner, uint32_t site) {
  return BAREPROF_LOAD(&slot->value) == value &&
         BAREPROF_LOAD(&slot->owner) == owner &&
         BAREPROF_LOAD(&slot->site) == site;
}

/* Whether a new value may replace a value of that rank: with a probability of 1
 * / rank. The ticks step by the golden ratio, so that as fractions they spread
 * evenly between 0 and 1. */
static inline bool may_replace(bareprof_value_half rank) {
  const unsigned half = 8 * sizeof rank;
  uint32_t *at = &hook_values.state->ticks;
  uint32_t ticks = BAREPROF_LOAD(at) + UINT32_C(0x9E3779B9);
  BAREPROF_STORE(at, ticks);
  return (uintptr_t)(ticks >> (32 - half)) * rank >> half == 0;
}

/* Marks the slot with the least rank in the window before end. A rank is a
 * count plus the rank that the value replaced, so that a new value is not the
 * next to be replaced. A free slot has rank 0. Returns the slot, or NULL if the
 * new value is dropped. */
static inline struct bareprof_value_slot *
mark_least(struct bareprof_value_slot *end, uintptr_t mark,
           bareprof_value_half *rank) {
  struct bareprof_value_slot *least = NULL;
  uintptr_t least_owner = 0;
  do {
    uintptr_t least_rank = UINTPTR_MAX;
    struct bareprof_value_slot *slot = end - hook_values.ways;
    for (; slot != end; slot++) {
      uintptr_t owner = BAREPROF_LOAD(&slot->owner), its_rank = 0;
      if (owner)
        its_rank = BAREPROF_LOAD(&slot->count) + BAREPROF_LOAD(&slot->rank);
      /* During a dump the value may already have a slot, which is frozen. */
      if (owner & BAREPROF_VALUE_FROZEN)
        return NULL;
      if (its_rank >= least_rank || owner & BAREPROF_VALUE_BUSY)
        continue;
      least = slot;
      least_owner = owner;
      least_rank = its_rank;
    }
    *rank = HALF_MOST;
    if (least_rank < HALF_MOST)
      *rank = (bareprof_value_half)least_rank;
    if (!least || (least_rank && !may_replace(*rank)))
      return NULL;
  } while (!bareprof_value_swap(&least->owner, least_owner, mark));
  return least;
}

/* Gives a marked slot its owner, or none if a dump has begun. */
static BAREPROF_NOINLINE void publish(bareprof_value_word *owner,
                                      uintptr_t mark, uintptr_t desired) {
  while ((BAREPROF_LOAD(owner) & ~BAREPROF_VALUE_FROZEN) == mark &&
         !bareprof_value_swap(owner, mark, desired) &&
         !bareprof_value_swap(owner, mark | BAREPROF_VALUE_FROZEN,
                              BAREPROF_VALUE_FROZEN))
    ;
}

/* Gives a slot of the window before end to a value that has none. */
static BAREPROF_NOINLINE struct bareprof_value_slot *
miss(uintptr_t value, uintptr_t owner, uint32_t site,
     struct bareprof_value_slot *end) {
  bareprof_value_half rank;
  uintptr_t mark = ((uintptr_t)&rank & ~(uintptr_t)7) | BAREPROF_VALUE_BUSY;
  if (site > HALF_MOST)
    return NULL;
  struct bareprof_value_slot *slot = mark_least(end, mark, &rank);
  if (!slot)
    return NULL;
  BAREPROF_STORE(&slot->value, value);
  BAREPROF_STORE(&slot->count, 1);
  BAREPROF_STORE(&slot->site, (bareprof_value_half)site);
  BAREPROF_STORE(&slot->rank, rank);
  publish(&slot->owner, mark, owner);
  /* A hook with the same value, in an interrupt or on another core, may have
   * made a slot meanwhile: the first slot stays. */
  struct bareprof_value_slot *first = NULL, *other = end - hook_values.ways;
  for (; other != end; other++) {
    if (!holds(other, value, owner, site))
      continue;
    if (!first) {
      first = other;
    } else if (bareprof_value_swap(&other->owner, owner, mark)) {
      bareprof_value_add(first, BAREPROF_LOAD(&other->count));
      publish(&other->owner, mark, 0);
    }
  }
  return first;
}

struct bareprof_value_slot *bareprof_values_count(uint64_t value, void *record,
                                                  uint32_t site) {
  uintptr_t owner = (uintptr_t)record | BAREPROF_VALUE_OWNED;
  const struct bareprof_values *values = &hook_values;
  /* Computed once: without, a hook takes up to 3 % more instructions. */
  BAREPROF_KEEP(values);
  if (!values)
    return NULL;
  struct bareprof_value_slot *slot = bareprof_value_home(values, owner, site);
  BAREPROF_KEEP(slot);
  if (!holds(slot, (uintptr_t)value, owner, site)) {
    unsigned left = values->ways;
    do {
      slot++;
      if (!--left)
        return miss((uintptr_t)value, owner, site, slot);
    } while (!holds(slot, (uintptr_t)value, owner, site));
  }
  bareprof_value_add(slot, 1);
  return slot;
}

void __llvm_profile_instrument_target(uint64_t value, void *record,
                                      uint32_t site) {
  bareprof_values_count(value, record, site);
}

/* The highest bit of a size of 1 to 513. */
static inline uint32_t highest_bit(uint32_t size) {
#if (UINTPTR_MAX > UINT32_MAX && !defined __riscv) || defined __ARM_FEATURE_CLZ
  return UINT32_C(1) << (31 - __builtin_clz(size));
#else
  for (unsigned shift = 1; shift < 16; shift *= 2)
    size |= size >> shift;
  return size - (size >> 1);
#endif
}

/* See bareprof_values.h for the sizes. */
void __llvm_profile_instrument_memop(uint64_t size, void *record,
                                     uint32_t site) {
  uint32_t low = size > 512 ? 513 : (uint32_t)size;
  if (low > 8) {
    uint32_t power = highest_bit(low);
    low = power + (power < low);
  }
  bareprof_values_count(low, record, site);
}

/* ---- dumps ----
 *
 * Freezes the table of values during a dump. The number of a site's values is
 * sent before the values, and a task that is preempted within a hook may go on
 * while a sink waits. So every slot is marked, and hooks that began earlier
 * come too late.
 *
 * Dumps may overlap: interrupts, tasks, cores. The first dump marks the slots,
 * and so does each dump that begins while the first may not be done. The last
 * dump to end clears the marks. If another dump began during that, some of its
 * marks would be cleared, and it cannot wait: it may have interrupted the dump
 * that clears. So it is refused.
 */

/* The state's `dumps` has this value while the last dump clears the marks. */
#define THAWING UINTPTR_MAX

/* Sets the frozen bit in all slots, or clears it. */
static BAREPROF_NOINLINE void set_all(const struct bareprof_values *values,
                                      bareprof_value_word frozen) {
  for (uint32_t i = 0; i < values->count; i++) {
    bareprof_value_word *at = &values->slots[i].owner, owner;
    do {
      owner = BAREPROF_LOAD(at);
    } while (!bareprof_value_swap(at, owner,
                                  (owner & ~BAREPROF_VALUE_FROZEN) | frozen));
  }
}

int bareprof_values_dumps(const struct bareprof_values *values, intptr_t more) {
  uintptr_t was, now;
  if (!values->count)
    return 0;
  do {
    was = BAREPROF_LOAD(&values->state->dumps);
    if (was == THAWING)
      return BAREPROF_E_BUSY;
    now = was + (uintptr_t)more;
    if (now == 0)
      now = THAWING;
  } while (!bareprof_value_swap(&values->state->dumps, was, now));
  if (more > 0)
    set_all(values, BAREPROF_VALUE_FROZEN);
  if (now != THAWING)
    return 0;
  set_all(values, 0);
  BAREPROF_STORE_RELEASE(&values->state->dumps, 0);
  return 0;
}

/* ---- the initial value ---- */

/* RAM has undefined contents at boot; a slot without an owner is free. Later,
 * hooks and dumps may be running: slots keep their owners, and slots whose
 * count is 0 are replaced first. */
void bareprof_values_clear(const struct bareprof_values *values, bool boot) {
  if (!values || !values->count)
    return;
  if (boot)
    values->state->dumps = 0;
  struct bareprof_value_slot *slot = values->slots;
  for (uint32_t left = values->count; left; left--, slot++) {
    if (boot)
      *(volatile bareprof_value_word *)&slot->owner = 0;
    BAREPROF_STORE(&slot->count, 0);
    BAREPROF_STORE(&slot->rank, 0);
  }
}

/* The reset may have interrupted a dump, whose frozen bits go, or a hook, whose
 * slot becomes free. */
void bareprof_values_wake(const struct bareprof_values *values) {
  if (!values || !values->count)
    return;
  values->state->dumps = 0;
  for (uint32_t i = 0; i < values->count; i++) {
    bareprof_value_word *owner = &values->slots[i].owner;
    *owner = *owner & BAREPROF_VALUE_BUSY ? 0 : *owner & ~BAREPROF_VALUE_FROZEN;
  }
}

/* The other members that a program with values needs. */
BAREPROF_LINKS(bareprof_values_write);
BAREPROF_LINKS(bareprof_values_merge);
BAREPROF_LINKS(bareprof_values_header);
