/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines the hooks of clang's value profiling. Instrumented code calls a hook
 * with a value, the function's record, and the site, the place in the code that
 * has the value. The hook counts the value in a slot of the table of values.
 * This file is linked if instrumented code calls a hook. bareprof_values.h says
 * what hooks guarantee, values.h how slots change owners. values_write.c, the
 * next file to read, writes the values into a profile.
 */
#include "weak_hooks.h"
#include "shared.h"
#include "values.h"

/* A slot cannot hold a higher rank or a higher site number than this. */
#define HALF_MOST ((bareprof_value_half)~0u)

#if __GCC_ATOMIC_POINTER_LOCK_FREE == 2

BAREPROF_NOINLINE bool bareprof_value_swap(bareprof_value_word *owner,
                                           uintptr_t expected,
                                           uintptr_t desired) {
  return __atomic_compare_exchange_n(owner, &expected, desired, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static inline void add_to_count_atomically(uintptr_t *count, uintptr_t times) {
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

static inline void add_to_count_atomically(uintptr_t *count, uintptr_t times) {
  uintptr_t state = bareprof_atomic_lock();
  *count += times;
  bareprof_atomic_unlock(state);
}

#endif

/* On a 32-bit core a count stops at half of its maximum. So the count cannot
 * wrap, even if other hooks add to it between test and addition. */
void bareprof_value_add(struct bareprof_value_slot *slot, uintptr_t times) {
  if (sizeof times == 8 || (intptr_t)BAREPROF_LOAD(&slot->count) >= 0)
    add_to_count_atomically(&slot->count, times);
}

static inline bool holds_value(const struct bareprof_value_slot *slot,
                               uintptr_t value, uintptr_t owner,
                               uint32_t site) {
  return BAREPROF_LOAD(&slot->value) == value &&
         BAREPROF_LOAD(&slot->owner) == owner &&
         BAREPROF_LOAD(&slot->site) == site;
}

/* Returns whether a new value may replace a value of this rank (see below); the
 * probability is 1 / rank. `ticks` serves as the random number: each call adds
 * the golden ratio's fraction of 2^32, which spreads the numbers evenly. */
static inline bool draw_value_replacement(bareprof_value_half rank) {
  const unsigned half = 8 * sizeof rank;
  uint32_t *at = &hook_values.state->ticks;
  uint32_t ticks = BAREPROF_LOAD(at) + UINT32_C(0x9E3779B9);
  BAREPROF_STORE(at, ticks);
  return (uintptr_t)(ticks >> (32 - half)) * rank >> half == 0;
}

/* A window is the neighbouring slots that may hold values of one site. Marks
 * the slot with the lowest rank in the window that ends at `end`; the caller
 * then owns the slot. The rank of a slot is its value's count plus the rank of
 * the slot's previous value, so that a new value is not the next to be
 * replaced. A free slot has rank 0. Returns the slot, and in *rank the rank
 * that is replaced; or returns NULL if the new value is dropped. */
static inline struct bareprof_value_slot *
mark_least_slot(struct bareprof_value_slot *end, uintptr_t mark,
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
      /* During a dump the value may already have a slot, which hooks do not
       * find because the slot is frozen. So the value must not get another
       * slot. */
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
    if (!least || (least_rank && !draw_value_replacement(*rank)))
      return NULL;
  } while (!bareprof_value_swap(&least->owner, least_owner, mark));
  return least;
}

/* Gives the owner `desired` to a slot that this hook has marked (values.h). If
 * a dump has begun meanwhile, the slot becomes free instead. The swap also
 * releases the stores to the slot; a dump that freezes the slot sees them. */
static BAREPROF_NOINLINE void publish_owner(bareprof_value_word *owner,
                                            uintptr_t mark, uintptr_t desired) {
  while ((BAREPROF_LOAD(owner) & ~BAREPROF_VALUE_FROZEN) == mark &&
         !bareprof_value_swap(owner, mark, desired) &&
         !bareprof_value_swap(owner, mark | BAREPROF_VALUE_FROZEN,
                              BAREPROF_VALUE_FROZEN))
    ;
}

/* Gives a slot to a value that lacks one. `end` is the end of the window of the
 * value's site. While the slot is filled, its owner is a mark (values.h).
 * Returns the value's slot, or NULL if the value was dropped. */
static BAREPROF_NOINLINE struct bareprof_value_slot *
claim_slot(uintptr_t value, uintptr_t owner, uint32_t site,
           struct bareprof_value_slot *end) {
  bareprof_value_half rank;
  uintptr_t mark = ((uintptr_t)&rank & ~(uintptr_t)7) | BAREPROF_VALUE_BUSY;
  if (site > HALF_MOST)
    return NULL;
  struct bareprof_value_slot *slot = mark_least_slot(end, mark, &rank);
  if (!slot)
    return NULL;
  BAREPROF_STORE(&slot->value, value);
  BAREPROF_STORE(&slot->count, 1);
  BAREPROF_STORE(&slot->site, (bareprof_value_half)site);
  BAREPROF_STORE(&slot->rank, rank);
  publish_owner(&slot->owner, mark, owner);
  /* A hook in an interrupt or on another core may have given the same value a
   * slot meanwhile. The first such slot stays, and gets the counts of the
   * others. */
  struct bareprof_value_slot *first = NULL, *other = end - hook_values.ways;
  for (; other != end; other++) {
    if (!holds_value(other, value, owner, site))
      continue;
    if (!first) {
      first = other;
    } else if (bareprof_value_swap(&other->owner, owner, mark)) {
      bareprof_value_add(first, BAREPROF_LOAD(&other->count));
      publish_owner(&other->owner, mark, 0);
    }
  }
  return first;
}

struct bareprof_value_slot *
bareprof_values_count_value(uint64_t value, void *record, uint32_t site) {
  uintptr_t owner = (uintptr_t)record | BAREPROF_VALUE_OWNED;
  const struct bareprof_values *values = &hook_values;
  /* Makes the compiler load the address once. Otherwise a hook takes up to 3 %
   * more instructions. */
  BAREPROF_KEEP(values);
  if (!values)
    return NULL;
  struct bareprof_value_slot *slot =
      bareprof_value_find_window_begin(values, owner, site);
  BAREPROF_KEEP(slot);
  if (!holds_value(slot, (uintptr_t)value, owner, site)) {
    unsigned left = values->ways;
    do {
      slot++;
      if (!--left)
        return claim_slot((uintptr_t)value, owner, site, slot);
    } while (!holds_value(slot, (uintptr_t)value, owner, site));
  }
  bareprof_value_add(slot, 1);
  return slot;
}

void __llvm_profile_instrument_target(uint64_t value, void *record,
                                      uint32_t site) {
  bareprof_values_count_value(value, record, site);
}

/* Returns size, from 1 to 513, with only its highest bit left. */
static inline uint32_t keep_highest_bit(uint32_t size) {
#if (UINTPTR_MAX > UINT32_MAX && !defined __riscv) || defined __ARM_FEATURE_CLZ
  return UINT32_C(1) << (31 - __builtin_clz(size));
#else
  for (unsigned shift = 1; shift < 16; shift *= 2)
    size |= size >> shift;
  return size - (size >> 1);
#endif
}

/* Counts sizes in groups; bareprof_values.h says which sizes form a group. */
void __llvm_profile_instrument_memop(uint64_t size, void *record,
                                     uint32_t site) {
  uint32_t low = size > 512 ? 513 : (uint32_t)size;
  if (low > 8) {
    uint32_t power = keep_highest_bit(low);
    low = power + (power < low);
  }
  bareprof_values_count_value(low, record, site);
}

/* ---- freezing the table during dumps ----
 *
 * During a dump the table of values is frozen, because the number of a site's
 * values is sent before the values. A hook may be preempted, and continue while
 * the dump's sink waits. So a dump sets the frozen bit in every slot, which
 * makes the compare-and-swap of a hook fail even if the hook began earlier.
 *
 * Dumps may overlap, in interrupts, in tasks and on other cores. Each dump sets
 * the frozen bits when it begins, because an earlier dump may not have set all
 * of them yet. The dump that ends last clears the bits. A dump that begins
 * during the clearing would lose some of its bits. The new dump cannot wait,
 * because it may have interrupted the dump that clears the bits. So the new
 * dump gets the error BAREPROF_E_BUSY. */

/* values->state->dumps has this value while the last dump clears the frozen
 * bits. */
#define THAWING UINTPTR_MAX

static BAREPROF_NOINLINE void
set_or_clear_frozen_bits(const struct bareprof_values *values,
                         bareprof_value_word frozen) {
  for (uint32_t i = 0; i < values->count; i++) {
    bareprof_value_word *at = &values->slots[i].owner, owner;
    do {
      owner = BAREPROF_LOAD(at);
    } while (!bareprof_value_swap(at, owner,
                                  (owner & ~BAREPROF_VALUE_FROZEN) | frozen));
  }
}

int bareprof_values_freeze_or_thaw(const struct bareprof_values *values,
                                   intptr_t more) {
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
    set_or_clear_frozen_bits(values, BAREPROF_VALUE_FROZEN);
  if (now != THAWING)
    return 0;
  set_or_clear_frozen_bits(values, 0);
  BAREPROF_STORE_RELEASE(&values->state->dumps, 0);
  return 0;
}

/* ---- slots after boot and reset ---- */

/* At boot, RAM has undefined contents, so each slot gets owner 0, which means
 * free. Later, hooks and dumps may be running, so slots keep their owners, and
 * only counts and ranks become 0. */
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

/* Repairs slots that survived a reset. The reset may have interrupted a dump;
 * its frozen bits are cleared here. The reset may have interrupted a hook; the
 * slot that the hook was filling becomes free. */
void bareprof_values_wake(const struct bareprof_values *values) {
  if (!values || !values->count)
    return;
  values->state->dumps = 0;
  for (uint32_t i = 0; i < values->count; i++) {
    bareprof_value_word *owner = &values->slots[i].owner;
    *owner = *owner & BAREPROF_VALUE_BUSY ? 0 : *owner & ~BAREPROF_VALUE_FROZEN;
  }
}

/* Links the other files of the archive that a program with values needs. */
BAREPROF_LINKS(bareprof_values_write);
BAREPROF_LINKS(bareprof_values_merge);
BAREPROF_LINKS(bareprof_header_end_with_slots);
