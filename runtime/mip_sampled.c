/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples of calls. A function has four words:
 *
 *   calls  those up to the next sample, less 1
 *   time   the number of its first call
 *   left   how many of them are still to come, less 1
 *   site   the first sample's return address; bit 0: others were elsewhere
 *
 * A call takes 1 from left. Where it finds none left, it is a sample. So calls
 * - left is how often the function was called, exactly. At the start all are
 * ~0, and that difference is 0.
 *
 * The calls of a function are cut into spans. Each span has a sample, whose
 * call site gets the whole span. Its place in the span goes on by the golden
 * ratio from span to span: such places are spread more evenly than random ones,
 * and fall into step with no period of the program.
 *
 * A span is as long as the interval. A function's first ones are shorter, at
 * most an eighth of the calls so far: so edges of functions with few calls
 * are known, too. Of a function that was called from one place only, so far,
 * there is little to learn: its spans are longer. The length of a span is set
 * before its sample is taken; otherwise the sum would favour some call sites.
 */
#include "mip_edges.h"

enum { EXACT_SHIFT = 3, ONE_PLACE_SHIFT = 4, EARLY_SHIFT = 1 };

/* From here on calls stay as they are; the longest way to the next sample is
 * far smaller than the distance from ~0. */
#define CALLS_MOST 0xFFF00000u

static uint32_t first_span(uint32_t calls, uint32_t span) {
  while (span > 1 && span > calls >> EXACT_SHIFT)
    span >>= 1;
  return span;
}

/* How many calls it is to the sample of the next span, whose place is its
 * begin times 0.617: without a product. */
static uint32_t distance(uint32_t calls, uint32_t span, uint32_t next_span) {
  uint32_t next = (calls & (0 - span)) + span;
  uint32_t place = (next >> 1) + (next >> 3) - (next >> 7);
  return next + (place & (next_span - 1)) - calls;
}

/* Not static: the helpers call them, when a call has found none left, and at
 * each call. raw: of a function. */
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
