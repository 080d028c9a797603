/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Open addressing, at most half full.
 */
#include "table.h"

#include <stdlib.h>

struct probe_slot {
  uint64_t key;
  uint32_t above; /* the number and 1; 0: free */
};

static struct probe_slot *slot_of(const struct probe_table *table,
                                  uint64_t key) {
  uint32_t at = (uint32_t)key & (table->room - 1);
  while (table->slots[at].above && table->slots[at].key != key)
    at = (at + 1) & (table->room - 1);
  return &table->slots[at];
}

static bool grow(struct probe_table *table) {
  struct probe_table bigger = {.room = table->room ? table->room * 2 : 64,
                               .count = table->count};
  bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
  for (uint32_t i = 0; bigger.slots && i < table->room; i++)
    if (table->slots[i].above)
      *slot_of(&bigger, table->slots[i].key) = table->slots[i];
  if (!bigger.slots)
    return false;
  free(table->slots);
  *table = bigger;
  return true;
}

const char *probe_table_number(struct probe_table *table, uint64_t key,
                               uint32_t *number, bool *is_new) {
  if (table->count >= table->room / 2 && !grow(table))
    return "not enough memory; free some";
  struct probe_slot *slot = slot_of(table, key);
  *is_new = !slot->above;
  if (*is_new)
    *slot = (struct probe_slot){key, ++table->count};
  *number = slot->above - 1;
  return NULL;
}

void probe_table_free(struct probe_table *table) {
  free(table->slots);
  *table = (struct probe_table){0};
}
