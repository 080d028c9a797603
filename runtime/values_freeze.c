/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Holds the table of values for the time of a dump. The number of a site's
 * values goes out before the values do, and a task that is preempted within
 * a hook may go on while a sink waits: so every slot is marked, and whatever
 * a hook has begun before comes too late.
 */
#include "values.h"

/* Sets the bit in all slots, or clears it. */
static void set_all(const struct bareprof_values *values,
                    bareprof_value_word frozen) {
  for (uint32_t i = 0; i < values->count; i++) {
    bareprof_value_word *at = &values->slots[i].owner, owner;
    do {
      owner = *(volatile bareprof_value_word *)at;
    } while (!bareprof_value_swap(
        at, owner, (owner & ~BAREPROF_VALUE_FROZEN) | frozen));
  }
}

void bareprof_values_freeze(const struct bareprof_values *values) {
  if (values->count)
    values->state->dumps++;
  set_all(values, BAREPROF_VALUE_FROZEN);
}

/* The last of several dumps, one in an interrupt of the other, thaws. */
void bareprof_values_thaw(const struct bareprof_values *values) {
  if (values->count && --values->state->dumps == 0)
    set_all(values, 0);
}
