/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ranges to samples. They overlap: one walk from where the first begins to
 * where the last ends.
 */
#include "branches.h"

#include <stdlib.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"

static const char no_code[] =
    "more code ran than there is memory for; give fewer samples";

/* From this address on, so much more. */
struct count_step {
  uint64_t address, more, less;
};

ORDER_BY(compare_steps, struct count_step, x->address);

static const char *add_instruction(struct buffer *list, uint64_t address,
                                   uint64_t count) {
  const struct sample one = {.pc = address, .count = count};
  return buffer_append(list, &one, sizeof one);
}

/* The instructions from one step to the next one. */
static const char *walk_step(struct buffer *list, struct listing *listing,
                             uint64_t begin, uint64_t end, uint64_t count) {
  const struct listed *one;
  const char *error = NULL;
  while (!error && begin < end && (one = listing_from(listing, begin)) &&
         one->address < end) {
    begin = one->address + one->length;
    error = add_instruction(list, one->address, count);
  }
  return error ? error : listing->error;
}

static struct count_step *steps_of(const struct flow_entry *ranges,
                                   size_t count) {
  struct count_step *steps = calloc(2 * count + 1, sizeof *steps);
  for (size_t i = 0; steps && i < count; i++) {
    steps[2 * i] = (struct count_step){ranges[i].begin, ranges[i].count, 0};
    steps[2 * i + 1] =
        (struct count_step){ranges[i].end + 1, 0, ranges[i].count};
  }
  if (steps)
    qsort(steps, 2 * count, sizeof *steps, compare_steps);
  return steps;
}

const char *expand_ranges(struct samples *to, struct listing *listing,
                          const struct flow_entry *ranges, size_t count) {
  struct buffer list = {.limit = (size_t)1 << 31};
  uint64_t running = 0;
  const char *error = NULL;
  samples_begin(to);
  struct count_step *steps = steps_of(ranges, count);
  if (!steps)
    return no_code;
  for (size_t i = 0; i < 2 * count && !error; i++) {
    running += steps[i].more - steps[i].less;
    if (running && i + 1 < 2 * count)
      error = walk_step(&list, listing, steps[i].address, steps[i + 1].address,
                        running);
  }
  free(steps);
  to->list = to->folded.list = (void *)list.data;
  to->count = to->folded.count = list.size / sizeof *to->list;
  for (size_t i = 0; i < to->count; i++)
    to->total += to->list[i].count;
  return error;
}
