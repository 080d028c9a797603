/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the profile of an image costs: RAM, flash, stack, and an estimate of
 * the bytes on the wire. All in bytes, from the ELF. What is not in here is
 * the code that counts: it is not apart from the code that it counts in.
 */
#ifndef DOCTOR_COSTS_H
#define DOCTOR_COSTS_H

#include "facts.h"

struct costs {
  /* RAM. */
  uint64_t counters, bitmap, values, guard;
  /* Flash; 0 for what is not loaded. runtime: functions and constants that
   * have the runtime's names, and static functions among them. */
  uint64_t records, names, vtables, maps, initial, runtime;
  /* A whole dump as BINARY, from and to. */
  uint64_t lean[2], full[2];
  /* What the headers promise of the largest call linked, 0: nothing. */
  unsigned stack;
};

struct costs costs_of(const struct facts *facts);

static inline uint64_t costs_ram(const struct costs *costs) {
  return costs->counters + costs->bitmap + costs->values + costs->guard;
}

static inline uint64_t costs_flash(const struct costs *costs) {
  return costs->records + costs->names + costs->vtables + costs->maps +
         costs->initial + costs->runtime;
}

/* What a lean image would have less in flash. */
static inline uint64_t costs_saved(const struct costs *costs) {
  return costs->records + costs->names + costs->vtables + costs->maps +
         costs->initial;
}

#endif
