/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The initial value of slots, at the start and later.
 */
#include "shared.h"
#include "values.h"

/* At the start RAM has anything in it. A free slot is one without owner.
 * Later, hooks and dumps may be under way: slots keep their owners, and those
 * with nothing counted are the first to go. */
void bareprof_values_clear(const struct bareprof_values *values, bool start) {
  if (!values || !values->count)
    return;
  if (start)
    values->state->dumps = 0;
  struct bareprof_value_slot *slot = values->slots;
  for (uint32_t left = values->count; left; left--, slot++) {
    if (start)
      *(volatile bareprof_value_word *)&slot->owner = 0;
    BAREPROF_STORE(&slot->count, 0);
    BAREPROF_STORE(&slot->rank, 0);
  }
}

/* Kept from before a reset of the core, which may have come in a dump, or in
 * a hook. */
void bareprof_values_wake(const struct bareprof_values *values) {
  if (!values || !values->count)
    return;
  values->state->dumps = 0;
  for (uint32_t i = 0; i < values->count; i++) {
    bareprof_value_word *owner = &values->slots[i].owner;
    *owner = *owner & BAREPROF_VALUE_BUSY ? 0 : *owner & ~BAREPROF_VALUE_FROZEN;
  }
}
