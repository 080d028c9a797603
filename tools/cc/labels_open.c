/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Follows decisions through a function's graph, forwards: which may be open
 * before a line, on some way to it. A way that is not possible only adds.
 */
#include "labels_inside.h"

#include <stdlib.h>

#include "../base/error.h"
#include "flags_inside.h"

enum { SLOTS_MOST = 64 };

/* Before each block; reached: some way leads there. */
struct before {
  uint64_t open;
  bool reached;
};

static uint64_t bit_of(const struct label_step *step) {
  return UINT64_C(1) << step->slot;
}

/* Goes through a block. Notes which steps are within their decision, if asked.
 */
static uint64_t through(struct label_step *steps, const struct cfg_block *block,
                        uint64_t open, bool notes) {
  for (size_t i = block->begin; i < block->end; i++) {
    struct label_step *step = &steps[i];
    if (step->kind == STEP_BEGINS)
      open |= bit_of(step);
    else if (step->kind == STEP_ENDS)
      open &= ~bit_of(step);
    else if (step->kind == STEP_ADDS && notes)
      step->within |= (open & bit_of(step)) != 0;
  }
  return open;
}

/* Up to a state that all edges agree with. */
static void spread(struct label_step *steps, const struct cfg *flow,
                   struct before *list) {
  const struct cfg_block *blocks = cfg_blocks(flow);
  const struct cfg_edge *edges = cfg_edges(flow);
  list[0].reached = true;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < flow->block_count; i++) {
      if (!list[i].reached)
        continue;
      uint64_t open = through(steps, &blocks[i], list[i].open, false);
      for (size_t k = blocks[i].edges; k < blocks[i].last; k++) {
        struct before *to = &list[edges[k].to];
        more |= !to->reached || (open & ~to->open);
        to->reached = true;
        to->open |= open;
      }
    }
  }
}

/* Whether a function returns while a decision may be open. */
static bool note(struct label_step *steps, const struct cfg *flow,
                 const struct before *list) {
  const struct cfg_block *blocks = cfg_blocks(flow);
  bool leaves = false;
  for (size_t i = 0; i < flow->block_count; i++) {
    bool ends = blocks[i].edges == blocks[i].last;
    uint64_t open =
        list[i].reached ? through(steps, &blocks[i], list[i].open, true) : 0;
    leaves |= ends && open;
  }
  return leaves;
}

const char *labels_open(struct label_step *steps, const struct ir_text *lines,
                        size_t count, bool *leaves) {
  struct cfg flow;
  struct before *list = NULL;
  *leaves = false;
  for (size_t i = 0; i < count; i++)
    if (steps[i].slot >= SLOTS_MOST)
      return "it has more than 64 decisions within each other";
  const char *error = cfg_read(&flow, lines, count);
  if (!error) {
    list = calloc(flow.block_count + 1, sizeof *list);
    error = list ? NULL : out_of_memory;
  }
  if (!error && flow.block_count) {
    spread(steps, &flow, list);
    *leaves = note(steps, &flow, list);
  }
  free(list);
  cfg_free(&flow);
  return error;
}
