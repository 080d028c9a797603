/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The initial value of all that an image has, where values are linked: takes
 * the place of what counters.c has under these names.
 */
#include "shared.h"
#include "values.h"

/* RAM at the start, whatever is in it. A free slot is one without owner. */
void bareprof_values_clear(const struct bareprof_values *values) {
  if (!values || !values->count)
    return;
  values->state->dumps = 0;
  for (uint32_t i = 0; i < values->count; i++)
    *(volatile bareprof_value_word *)&values->slots[i].owner = 0;
}

void bareprof_fill_image(const struct bareprof_image *image) {
  bareprof_fill_counts(image);
  bareprof_values_clear(image->values);
}

/* Hooks and dumps may be under way: slots keep their owners, and those with
 * nothing counted are the first to go. */
void bareprof_refill_image(const struct bareprof_image *image) {
  const struct bareprof_values *values = image->values;
  bareprof_fill_counts(image);
  for (uint32_t i = 0; values && i < values->count; i++) {
    BAREPROF_STORE(&values->slots[i].count, 0);
    BAREPROF_STORE(&values->slots[i].rank, 0);
  }
}

/* Kept from before a reset of the core, which may have come in a dump, or in
 * a hook. */
void bareprof_values_wake(const struct bareprof_values *values) {
  if (values->count)
    values->state->dumps = 0;
  for (uint32_t i = 0; i < values->count; i++) {
    bareprof_value_word *owner = &values->slots[i].owner;
    *owner = *owner & BAREPROF_VALUE_BUSY ? 0 : *owner & ~BAREPROF_VALUE_FROZEN;
  }
}
