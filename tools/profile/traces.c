/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The traces of a profile: the order of first calls in each run.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/storage.h"
#include "../object/digest.h"
#include "model.h"

/* Limits for the traces, and for the functions of a trace. LLVM has the same
 * defaults. */
enum { PROFILE_TRACES_MOST = 100, PROFILE_TRACE_LENGTH_MOST = 10000 };

static bool is_same_trace(const struct temporal_trace *a,
                          const struct temporal_trace *b) {
  return a->hash == b->hash && a->count == b->count &&
         !memcmp(a->functions, b->functions, a->count * sizeof *a->functions);
}

/* Removes trace number `at`. */
static void drop_trace(struct profile *profile, size_t at) {
  free(profile->traces[at].functions);
  profile->trace_count--;
  memmove(profile->traces + at, profile->traces + at + 1,
          (profile->trace_count - at) * sizeof *profile->traces);
}

/* Adds trace number `at` to an earlier equal trace, if there is one. */
static void merge_equal_trace(struct profile *profile, size_t at) {
  struct temporal_trace *traces = profile->traces;
  size_t i = 0;
  bool cut;
  while (i < at && !is_same_trace(&traces[i], &traces[at]))
    i++;
  if (i == at)
    return;
  traces[i].weight =
      count_add_limited(traces[i].weight, traces[at].weight, &cut);
  drop_trace(profile, at);
}

static void limit_traces(struct profile *profile) {
  if (profile->trace_stream <= PROFILE_TRACES_MOST)
    return;
  for (size_t i = profile->trace_count; i-- > 1;)
    merge_equal_trace(profile, i);
  while (profile->trace_count > PROFILE_TRACES_MOST) {
    size_t most = 0;
    for (size_t i = 1; i < profile->trace_count; i++)
      if (profile->traces[i].hash >= profile->traces[most].hash)
        most = i;
    drop_trace(profile, most);
  }
}

bool profile_add_trace(struct profile *profile,
                       const struct temporal_trace *trace) {
  size_t count = trace->count < PROFILE_TRACE_LENGTH_MOST
                     ? trace->count
                     : (size_t)PROFILE_TRACE_LENGTH_MOST;
  size_t size = count * sizeof *trace->functions;
  if (size == 0)
    return true;
  uint64_t *functions =
      list_make_room(&profile->traces, profile->trace_count, sizeof *trace)
          ? malloc(size)
          : NULL;
  if (!functions)
    return false;
  memcpy(functions, trace->functions, size);
  profile->traces[profile->trace_count++] = (struct temporal_trace){
      trace->weight, functions, count, md5_low64(functions, size)};
  profile_add_dropped_runs(profile, 1);
  return true;
}

void profile_add_dropped_runs(struct profile *profile, uint64_t runs) {
  bool cut;
  profile->trace_stream = count_add_limited(profile->trace_stream, runs, &cut);
  limit_traces(profile);
}
