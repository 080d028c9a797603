/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples of calls. The helpers bareprof_mip_step, _step_index and _sample call
 * this file; mip_edges.h has the table of edges. A function has four words:
 *
 *   calls  number of calls up to and including the next sample, less 1
 *   time   the number of its first call
 *   left   number of calls until the next sample, less 1
 *   site   the first sample's return address; bit 0: others had another one
 *
 * A call subtracts 1 from left. A call that finds 0 there is a sample. So calls
 * - left is exactly how often the function was called. All words are ~0 at
 * first, and that difference is 0.
 *
 * The calls of a function are divided into spans. Each span has one sample, and
 * the sample's call site is credited with the whole span. The sample's offset
 * in its span advances by the golden ratio from span to span. Such offsets are
 * spread more evenly than random ones, and do not fall into step with the
 * program.
 *
 * A span is as long as the interval. A function's first spans are shorter, at
 * most an eighth of the calls so far, so that edges of rare functions are
 * known, too. While all samples had the same call site, spans are longer. A
 * span's length is fixed before its sample is taken; otherwise the estimate
 * would be biased.
 */
#include "mip_edges.h"

enum { EXACT_SHIFT = 3, ONE_PLACE_SHIFT = 4, EARLY_SHIFT = 1 };

/* From here on `calls` does not change. The longest distance to the next sample
 * is far smaller than the distance to ~0. */
#define CALLS_MOST 0xFFF00000u

static uint32_t first_span(uint32_t calls, uint32_t span) {
  while (span > 1 && span > calls >> EXACT_SHIFT)
    span >>= 1;
  return span;
}

/* The number of calls to the sample of the next span. The sample's offset is
 * the start of the span times 0.617, computed with shifts. */
static uint32_t distance(uint32_t calls, uint32_t span, uint32_t next_span) {
  uint32_t next = (calls & (0 - span)) + span;
  uint32_t place = (next >> 1) + (next >> 3) - (next >> 7);
  return next + (place & (next_span - 1)) - calls;
}

/* Helpers call the first when a call is a sample, the second at each call. raw:
 * the four words of a function. */
void bareprof_mip_sampled(volatile uint32_t *raw, uintptr_t from);
void bareprof_mip_stepped(volatile uint32_t *raw, uintptr_t from);

void bareprof_mip_sampled(volatile uint32_t *raw, uintptr_t from) {
  const struct bareprof_mip_edges *edges = &hook_mip_edges;
  uint32_t calls = raw[0] + 1, place = (uint32_t)from & ~1u;
  note_first(raw);
  if (calls > CALLS_MOST) {
    plus(&raw[2], 1u << 30);
    return;
  }
  bool same = raw[3] == place, elsewhere = raw[3] & 1;
  uint32_t most = edges ? edges->interval : 1u << 12;
  uint32_t span = first_span(calls, most), next_span = span;
  if (!elsewhere && raw[3] != UINT32_MAX) {
    span <<= span == most ? ONE_PLACE_SHIFT : EARLY_SHIFT;
    next_span = same ? span : next_span;
  }
  if (raw[3] == UINT32_MAX)
    raw[3] = place;
  else if (!same)
    raw[3] |= 1;
  uint32_t next = distance(calls, span, next_span);
  plus(&raw[0], next);
  plus(&raw[2], next);
  if (!edges)
    return;
  volatile uint32_t *count = find_edge(edges, raw, from);
  if (count)
    plus(count, span); /* At most about as many as the function's calls. */
  else
    count_up(edges->lost, span);
}

void bareprof_mip_stepped(volatile uint32_t *raw, uintptr_t from) {
  int32_t left = (int32_t)raw[2] - 1;
  raw[2] = (uint32_t)left;
  if (left < 0)
    bareprof_mip_sampled(raw, from);
}
