/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of a file, by name.
 */
#include <stdlib.h>

#include "../base/md5.h"
#include "lower_inside.h"

struct lower_slot {
  uint64_t guid;
  uint32_t function; /* PROBE_NO_BODY: free */
};

static const char no_memory[] = "not enough memory; free some";

static struct lower_slot *slot_of(const struct lowering *l, uint64_t guid) {
  uint32_t at = (uint32_t)guid & (l->room - 1);
  while (l->table[at].function != PROBE_NO_BODY && l->table[at].guid != guid)
    at = (at + 1) & (l->room - 1);
  return &l->table[at];
}

static const char *grow(struct lowering *l) {
  struct lowering bigger = {.room = l->room ? l->room * 2 : 64};
  bigger.table = malloc(bigger.room * sizeof *bigger.table);
  if (!bigger.table)
    return no_memory;
  for (uint32_t i = 0; i < bigger.room; i++)
    bigger.table[i].function = PROBE_NO_BODY;
  for (uint32_t i = 0; i < l->room; i++)
    if (l->table[i].function != PROBE_NO_BODY)
      *slot_of(&bigger, l->table[i].guid) = l->table[i];
  free(l->table);
  l->table = bigger.table;
  l->room = bigger.room;
  return NULL;
}

const char *lower_function(struct lowering *l, struct piece word,
                           uint32_t *number) {
  struct piece name = lower_name(word);
  const char *error = l->function_count >= l->room / 2 ? grow(l) : NULL;
  if (error)
    return error;
  struct lower_function made = {.name = word,
                                .guid = md5_low64(name.at, name.size),
                                .place = l->places.now};
  struct lower_slot *slot = slot_of(l, made.guid);
  if (slot->function == PROBE_NO_BODY) {
    error = buffer_append(&l->functions, &made, sizeof made);
    if (error)
      return error;
    *slot = (struct lower_slot){made.guid, l->function_count++};
  }
  *number = slot->function;
  return NULL;
}
