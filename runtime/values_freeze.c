/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
#include "shared.h"
#include "values.h"

/* In the place of the number of dumps: the last one is clearing the marks. */
#define THAWING UINTPTR_MAX

/* Sets the bit in all slots, or clears it. */
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
