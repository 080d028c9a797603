/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What halves.c looks at. The calls of a run are in spans that double: the
 * first 1, 3, 7, 15, ... functions. What a run needs by the end of a span
 * should be in one half, not half of it in each: x functions of a span in one
 * half are worth x log x, so that many together are worth more than as many
 * apart.
 *
 * Functions go by rank here, their place in the order of means.
 */
#ifndef BAREPROF_TOOLS_ORDER_SPANS_H
#define BAREPROF_TOOLS_ORDER_SPANS_H

#include "arrange.h"

/* A function is in a run from this span on. */
struct part {
  uint32_t run, span;
};

/* Of a run and a span, how many functions are in each half; and what it is
 * worth to move one from there to the other half, in this span and those
 * behind it. */
struct span {
  uint32_t counts[2];
  double worth[2];
};

struct halves {
  struct part *parts;   /* by rank of the function, then by run */
  size_t *first;        /* by rank: where its parts begin; and one beyond */
  struct span *spans;   /* those of a run one behind the other */
  size_t *first_span;   /* by run; and one beyond */
  double *weights;      /* by run; the largest is 1 */
  uint32_t *touched;    /* runs that have functions of the list, */
  size_t touched_count; /* so many */
  double *worth;        /* of x functions together */
  struct moved {
    double worth;
    uint32_t rank;
  } * moves; /* those of the first half, then those of the second */
};

/* list: functions by rank. Of very many runs the heaviest are taken. false: out
 * of memory; free it all the same. */
bool halves_new(struct halves *halves, const struct runs *runs,
                const uint32_t *list);
void halves_free(struct halves *halves);

static inline size_t span_count(const struct halves *halves, uint32_t run) {
  return halves->first_span[run + 1] - halves->first_span[run];
}

#endif
