/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes values for the fuzz target join.c, as the hooks would leave them in a
 * firmware's slots.
 */
#ifndef SLOTS_MADE_H
#define SLOTS_MADE_H

#include <string.h>

#include "../join/make.h"
#include "input.h"

enum { SLOTS = 8 };

/* Returns how many value sites a record has. */
static unsigned sites_of(const struct firmware *firmware, unsigned record) {
  const struct target *target = &firmware->target;
  unsigned sites = 0;
  for (unsigned field = R_SITES_0; field <= R_SITES_2; field++)
    if (record_offset(target, field) != NOWHERE)
      sites += (unsigned)load(target,
                              firmware->records + firmware->record_at[record] +
                                  record_offset(target, field),
                              2);
  return sites;
}

/* Fills up to 8 slots with different values, sorted and frozen, after the free
 * slots. Returns whether one slot belongs to a site that does not exist. */
static bool choose_values(struct input *input, struct firmware *firmware,
                          bool correlated) {
  unsigned used = 0, most = take(input) % (SLOTS + 1);
  struct bareprof_value_slot slots[SLOTS];
  uint64_t base = correlated ? 0 : firmware->records_address;
  uint64_t mask = firmware->target.pointer == 4 ? UINT32_MAX : UINT64_MAX;
  uint64_t value = take_number(input, 8);
  for (unsigned record = 0; record < FUNCTIONS; record++)
    for (unsigned site = 0; site < sites_of(firmware, record); site++)
      for (unsigned n = take(input) % 4; n && used < most; n--, used++)
        slots[used] = (struct bareprof_value_slot){
            .owner = (base + firmware->record_at[record]) | 3,
            .value = (value + used) & mask,
            .count = take_number(input, 4) / 2 + 1,
            .site = site};
  bool stray = used && take(input) % 8 == 0;
  if (stray)
    slots[used - 1].site += 9;
  memset(firmware->slots, 0, sizeof firmware->slots);
  memcpy(firmware->slots + SLOTS - used, slots, used * sizeof *slots);
  return stray;
}

/* Writes the slots as they are in the target's memory. */
static void store_slots(unsigned char *to, const struct firmware *firmware) {
  const struct target *target = &firmware->target;
  unsigned pointer = target->pointer;
  for (unsigned i = 0; i < SLOTS; i++, to += 4 * pointer) {
    const struct bareprof_value_slot *slot = &firmware->slots[i];
    /* Some slots are frozen, as during a dump, others are not. */
    uint64_t frozen = i & 2;
    store(target, to, pointer, slot->owner ? slot->owner & ~frozen : i & 6);
    store(target, to + pointer, pointer, slot->value);
    store(target, to + 2 * pointer, pointer, slot->count);
    store(target, to + 3 * pointer, pointer / 2, slot->site);
  }
}

/* Writes the struct bareprof_values that says where the slots are. */
static void store_storage(unsigned char *to, const struct firmware *firmware,
                          uint64_t address) {
  const struct target *target = &firmware->target;
  unsigned pointer = target->pointer;
  store(target, to, pointer, address);
  store(target, to + 3 * pointer, 4, 8);
  store(target, to + 3 * pointer + 4, 4, SLOTS);
}

#endif
