/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What readers have to say of single functions, while the file as a whole is
 * good: shapes that do not agree, sums that were cut, counts that cannot be.
 */
#ifndef BAREPROF_TOOLS_PROFILE_EVENTS_H
#define BAREPROF_TOOLS_PROFILE_EVENTS_H

#include "model.h"

struct read_events {
  /* Any result but ADDED and REFUSED_MEMORY. counts is what the profile has of
   * the function, or NULL; addition is what the file has. */
  void (*event)(void *context, enum addition_result result,
                const struct counts *counts, const struct addition *addition);
  void *context;
};

/* Events may be NULL: nobody listens. */
static inline void read_event(const struct read_events *events,
                              enum addition_result result,
                              const struct counts *counts,
                              const struct addition *addition) {
  if (events && events->event && result != ADDED)
    events->event(events->context, result, counts, addition);
}

#endif
