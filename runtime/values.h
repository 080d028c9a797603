/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Describes the table of values, which the program reserves with
 * BAREPROF_VALUES. A slot holds one value of one site, a place in the code
 * whose values are profiled. The window of a site is the neighbouring slots
 * that may hold the site's values. The hooks in values.c fill the table, except
 * during a dump. values_write.c writes the values into a profile,
 * values_merge.c adds the values of a profile, values_wire.c sends slots as
 * frames.
 *
 * A free slot has owner 0. Otherwise the owner is the address of a record, a
 * multiple of 8, with bit 0 set. Bit 1 is set during a dump, in free slots too,
 * so that a hook finds neither the slot of its value nor a free slot. While a
 * hook fills a slot, the owner is a mark of that hook: an address on its stack,
 * with bit 2 set. A hook takes a slot with one compare-and-swap, and sets the
 * new owner with a second. Each compare-and-swap fails if another hook was
 * faster.
 */
#ifndef BAREPROF_RUNTIME_VALUES_H
#define BAREPROF_RUNTIME_VALUES_H

#include "bareprof_values.h"
#include "image.h"

#define BAREPROF_VALUE_OWNED ((bareprof_value_word)1)
#define BAREPROF_VALUE_FROZEN ((bareprof_value_word)2)
#define BAREPROF_VALUE_BUSY ((bareprof_value_word)4)

/* The slots that may hold a site's values. */
struct bareprof_value_window {
  const struct bareprof_value_slot *begin;
  const struct bareprof_value_slot *end;
};

#ifndef BAREPROF_FOREIGN
/* values.c: counts a value, for both hooks. Returns the slot that counts the
 * value, or NULL if the value was dropped. */
struct bareprof_value_slot *
bareprof_values_count_value(uint64_t value, void *record, uint32_t site);

/* values.c: bareprof_value_add adds `times` to a slot's count.
 * bareprof_value_swap sets *owner to desired if it equals expected, in one
 * atomic step, and returns whether it was equal. */
void bareprof_value_add(struct bareprof_value_slot *slot, uintptr_t times);
bool bareprof_value_swap(bareprof_value_word *owner, uintptr_t expected,
                         uintptr_t desired);
#endif

/* values.c: between the calls of freeze and thaw, no slot gets another owner.
 * freeze returns 0 or BAREPROF_E_BUSY. After E_BUSY the table is not frozen,
 * and thaw must not be called. In the host tool slots do not change, so both
 * macros do nothing. */
#ifdef BAREPROF_FOREIGN
#define bareprof_values_freeze(values) ((void)(values), 0)
#define bareprof_values_thaw(values) (void)(values)
#else
int bareprof_values_freeze_or_thaw(const struct bareprof_values *values,
                                   intptr_t more);
#define bareprof_values_freeze(values) bareprof_values_freeze_or_thaw(values, 1)
#define bareprof_values_thaw(values) \
  (void)bareprof_values_freeze_or_thaw(values, -1)
#endif

/* values_write.c: sends a whole profile with the value data of all records. The
 * table is frozen during the call. If the table cannot be frozen, nothing is
 * sent, and writer->error is set. */
struct bareprof_writer;
void bareprof_values_write(struct bareprof_writer *writer);

/* values.c: if boot is true, frees all slots; otherwise clears their counts. */
void bareprof_values_clear(const struct bareprof_values *values, bool boot);

/* values.c: makes slots usable that have survived a reset, which may have
 * interrupted a dump or a hook. */
void bareprof_values_wake(const struct bareprof_values *values);

/* values_wire.c: sends the slots from first up to, not including, end. */
struct bareprof_stream;
void bareprof_values_send_slots(struct bareprof_stream *stream, uint32_t first,
                                uint32_t end);

/* Translates addresses of the process that wrote a profile: `slide` is added to
 * a value if the sum is between `begin` and `end`. Only compiler-rt's tests on
 * a host use this. */
struct bareprof_slide {
  uintptr_t begin;
  uintptr_t end;
  uintptr_t slide;
};

/* values_merge.c: adds the value data of a profile of the same build. Returns
 * 0, or an error; after an error no value was added. `moved` is NULL if
 * functions have the addresses of the program that wrote the profile. */
struct bareprof_profile;
int bareprof_values_merge(const struct bareprof_profile *profile,
                          const unsigned char *data, size_t size,
                          const struct bareprof_slide *moved);

/* Returns the first slot of a site's window. A hash of owner and site selects
 * the slot. The hash is scaled from 32 bits (16 on a 32-bit core) to the number
 * of possible start positions, which needs no division. */
static inline struct bareprof_value_slot *
bareprof_value_find_window_begin(const struct bareprof_values *values,
                                 bareprof_value_word owner, uint32_t site) {
  const unsigned half = 4 * sizeof owner;
  uint32_t hash = ((uint32_t)owner + site) * UINT32_C(0x9E3779B1);
  hash >>= 32 - half;
  return values->slots + (hash * (size_t)values->homes >> half);
}

/* Returns the first slot whose owner and site are not below the given ones. In
 * the host tool, slots are sorted by owner, then by site, and all have the
 * frozen bit, as in a dump. */
#ifdef BAREPROF_FOREIGN
static inline const struct bareprof_value_slot *
bareprof_value_find_slot_from(const struct bareprof_values *values,
                              bareprof_value_word owner, uint32_t site) {
  uint32_t low = 0, high = values->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const struct bareprof_value_slot *slot = &values->slots[middle];
    if (slot->owner < owner || (slot->owner == owner && slot->site < site))
      low = middle + 1;
    else
      high = middle;
  }
  return &values->slots[low];
}
#endif

/* Returns the slots that may hold values of a site; none if `values` is NULL.
 * On the host (BAREPROF_FOREIGN), the slots are sorted by owner and site. */
static inline struct bareprof_value_window
bareprof_value_find_window(const struct bareprof_values *values,
                           bareprof_value_word owner, uint32_t site) {
  struct bareprof_value_window window = {NULL, NULL};
  if (!values)
    return window;
#ifdef BAREPROF_FOREIGN
  owner |= BAREPROF_VALUE_FROZEN;
  window.begin = bareprof_value_find_slot_from(values, owner, site);
  window.end = bareprof_value_find_slot_from(values, owner, site + 1);
#else
  window.begin = bareprof_value_find_window_begin(values, owner, site);
  window.end = window.begin + values->ways;
#endif
  return window;
}

#endif
