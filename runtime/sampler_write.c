/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples as a file, to a sink: the header, and the entries as they are in
 * memory. A ring that has been round begins with the one to be overwritten
 * next.
 */
#include "sampler.h"
#include "sink.h"

int bareprof_sampler_write(const struct bareprof_sink *sink) {
  const struct bareprof_sampler *sampler = &hook_sampler;
  if (!sampler || sampler->state->since.kept == 0)
    return BAREPROF_E_EMPTY;
  struct bareprof_sampler_state *state = sampler->state;
  const unsigned char *entries = sampler->entries;
  struct bareprof_samples header;
  unsigned level = bareprof_sampler_hold(state);
  uint32_t next = state->since.next;
  bareprof_sampler_header(&header);
  int error = sink->write(sink->context, &header, sizeof header);
  bool full = header.entries == sampler->places;
  if (!error && full)
    error = sink->write(sink->context, entries + next, sampler->size - next);
  if (!error && next)
    error = sink->write(sink->context, entries, next);
  bareprof_sampler_release(state, level);
  return bareprof_sink_error(error);
}
