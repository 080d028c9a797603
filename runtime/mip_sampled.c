/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Takes samples of calls for the table of edges (mip_edges.h). The helpers
 * bareprof_mip_step, bareprof_mip_step_index and bareprof_mip_sample call the
 * functions here. The raw section has four words for each function:
 *
 *   calls  index of the call that will be the next sample; indexes begin at 0
 *   time   number of the first call among the first calls of all functions
 *   left   number of calls before the call that will be the next sample
 *   site   return address of the function's first sample; bit 0 is set if a
 *          later sample had another return address
 *
 * Each call subtracts 1 from left. A call that finds 0, or ~0, is a sample.
 * So calls - left is the exact number of calls, up to CALLS_MOST. At first all
 * words are ~0 (all ones), and calls - left is 0.
 *
 * The calls of a function are divided into spans of consecutive calls. Each
 * span has one sample; all calls of the span are added to the count of the
 * sample's call site. The sample's offset in its span advances by the golden
 * ratio from span to span. Such offsets are spread more evenly than random
 * ones, and do not fall into step with the program. A function's first spans
 * overlap, because its second call finds ~0, too. So its edges get 1 or 2 calls
 * too many, which the host corrects with the exact number of calls.
 *
 * A span is usually as long as the interval that the program chose. A
 * function's first spans are shorter, at most an eighth of the calls so far, so
 * that rarely called functions get edges, too. While all samples of a function
 * have the same call site, its spans are longer. The length of a span is fixed
 * before its sample is taken. If the sample could change the length, the
 * estimate would be biased.
 */
#include "mip_edges.h"

/* The indexes of a function's words. */
enum { CALLS, TIME, LEFT, SITE };

/* This bit of a site says that the function has several call sites. */
#define SEVERAL_SITES 1u

/* An early span is at most calls >> EXACT_SHIFT. While a function has only one
 * call site, a full span is shifted left by ONE_PLACE_SHIFT, an early span by
 * EARLY_SHIFT. */
enum { EXACT_SHIFT = 3, ONE_PLACE_SHIFT = 4, EARLY_SHIFT = 1 };

/* Above this value, `calls` does not change any more, and the host takes it for
 * the number of calls. Two samples are never as far apart as this value is from
 * ~0, so `calls` never gets to ~0. Then samples are LATE_CALLS apart. */
#define CALLS_MOST 0xFFF00000u
#define LATE_CALLS (1u << 30)

/* The interval of a program without a table of edges. */
#define DEFAULT_INTERVAL (1u << 12)

static uint32_t shorten_early_span(uint32_t calls, uint32_t span) {
  while (span > 1 && span > calls >> EXACT_SHIFT)
    span >>= 1;
  return span;
}

/* Returns the number of calls from this sample to the next, which is in the
 * next span. The next sample's offset in its span is the start of that span
 * times 0.617, modulo the span's length; shifts compute the product. */
static uint32_t count_calls_until_sample(uint32_t calls, uint32_t span,
                                         uint32_t next_span) {
  uint32_t next = (calls & (0 - span)) + span;
  uint32_t place = (next >> 1) + (next >> 3) - (next >> 7);
  return next + (place & (next_span - 1)) - calls;
}

/* Helpers call bareprof_mip_sampled for a call that is a sample, and
 * bareprof_mip_stepped for each call. raw points to the function's words. */
void bareprof_mip_sampled(volatile uint32_t *raw, uintptr_t from);
void bareprof_mip_stepped(volatile uint32_t *raw, uintptr_t from);

void bareprof_mip_sampled(volatile uint32_t *raw, uintptr_t from) {
  const struct bareprof_mip_edges *edges = &hook_mip_edges;
  uint32_t calls = raw[CALLS] + 1, place = (uint32_t)from & ~SEVERAL_SITES;
  number_first_call(raw);
  if (calls > CALLS_MOST) {
    fetch_add(&raw[LEFT], LATE_CALLS);
    return;
  }
  bool same = raw[SITE] == place, elsewhere = raw[SITE] & SEVERAL_SITES;
  uint32_t most = edges ? edges->interval : DEFAULT_INTERVAL;
  uint32_t span = shorten_early_span(calls, most), next_span = span;
  if (!elsewhere && raw[SITE] != UINT32_MAX) {
    span <<= span == most ? ONE_PLACE_SHIFT : EARLY_SHIFT;
    next_span = same ? span : next_span;
  }
  if (raw[SITE] == UINT32_MAX)
    raw[SITE] = place;
  else if (!same)
    raw[SITE] |= SEVERAL_SITES;
  uint32_t next = count_calls_until_sample(calls, span, next_span);
  fetch_add(&raw[CALLS], next);
  fetch_add(&raw[LEFT], next);
  if (!edges)
    return;
  volatile uint32_t *count = find_or_add_edge(edges, raw, from);
  if (count)
    fetch_add(count, span); /* the sum is about the number of calls, so it
                               cannot wrap */
  else
    add_to_call_count(edges->lost, span);
}

void bareprof_mip_stepped(volatile uint32_t *raw, uintptr_t from) {
  int32_t left = (int32_t)raw[LEFT] - 1;
  raw[LEFT] = (uint32_t)left;
  if (left < 0)
    bareprof_mip_sampled(raw, from);
}
