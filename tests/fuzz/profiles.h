/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of the fuzz targets for readers of profiles.
 */
#ifndef PROFILES_H
#define PROFILES_H

#include "profile/model.h"
#include "input.h"

/* Returns the sum of all counts of a profile. */
static inline uint64_t sum_of(const struct profile *profile) {
  uint64_t sum = 0;
  for (size_t i = 0; i < profile->bucket_count; i++)
    for (struct function_entry *at = profile->buckets[i]; at; at = at->next)
      for (struct record_counts *c = at->counts; c; c = c->next)
        for (uint32_t j = 0; j < c->counter_count; j++)
          sum += c->counters[j];
  return sum;
}

/* The number of calls of event(). */
static unsigned events;

static inline void event(void *context, enum addition_result result,
                         const struct record_counts *counts,
                         const struct counts_addition *addition) {
  (void)context;
  must(result != ADDED && result != REFUSED_MEMORY, "events are events");
  must(!counts || counts->hash == addition->hash, "they are of their record");
  events++;
}

#endif
