/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * See table.h. Reads the slots, and is not the runtime's: only where a site's
 * window begins comes from there.
 */
#include "table.h"

uint64_t records[8] __attribute__((aligned(8)));
void (*volatile table_hook)(uint64_t, void *,
                            uint32_t) = __llvm_profile_instrument_target;

typedef const struct bareprof_value_slot slot_t;

static slot_t *table_end(void) {
  return bareprof_values.slots + bareprof_values.count;
}

void table_clear(void) {
  *bareprof_values.state = (struct bareprof_values_state){0};
  for (uint32_t i = 0; i < bareprof_values.count; i++)
    bareprof_values.slots[i] = (struct bareprof_value_slot){0};
}

static int same(slot_t *a, slot_t *b) {
  return a->owner == b->owner && a->site == b->site && a->value == b->value;
}

static int in_window(slot_t *slot) {
  slot_t *window = bareprof_value_find_window_begin(&bareprof_values,
                                                    slot->owner, slot->site);
  return window >= bareprof_values.slots && slot >= window &&
         slot < window + bareprof_values.ways &&
         window + bareprof_values.ways <= table_end();
}

unsigned table_faults(void) {
  unsigned faults = bareprof_values.state->dumps != 0;
  for (slot_t *slot = bareprof_values.slots; slot != table_end(); slot++) {
    if (slot->owner == 0)
      continue;
    uintptr_t record = slot->owner - 1 - (uintptr_t)records;
    if (record >= sizeof records || record % 8 || !in_window(slot))
      faults++;
    for (slot_t *other = slot + 1; other != table_end(); other++)
      faults += same(slot, other);
  }
  return faults;
}

uint64_t table_count(unsigned record, uint32_t site, uint64_t value) {
  uint64_t sum = 0;
  for (slot_t *slot = bareprof_values.slots; slot != table_end(); slot++)
    if (slot->owner == (uintptr_t)&records[record] + 1 && slot->site == site &&
        slot->value == value)
      sum += slot->count;
  return sum;
}

uint64_t table_sum(void) {
  uint64_t sum = 0;
  for (slot_t *slot = bareprof_values.slots; slot != table_end(); slot++)
    sum += slot->owner ? slot->count : 0;
  return sum;
}

unsigned table_used(void) {
  unsigned used = 0;
  for (slot_t *slot = bareprof_values.slots; slot != table_end(); slot++)
    used += slot->owner != 0;
  return used;
}
