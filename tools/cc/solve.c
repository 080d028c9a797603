/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The first arcs to each state make a tree. All others get random numbers;
 * those of the tree then follow, from the last state on. Numbers are modulo
 * 2^64.
 */
#include "flags_inside.h"

#include <stdlib.h>

#include "../base/error.h"
#include "../base/buffer.h"
#include "../base/map.h"

enum { MOST = 1 << 30 };
#define NO_EDGE SIZE_MAX

/* A block, while the variable has a value. */
struct block_state {
  size_t block;
  uint64_t value; /* 0: not known */
  size_t arc;     /* of the tree */
  uint64_t sum;   /* what flows out, less what flows in */
  bool ends;      /* a way from here leads to the function's end */
};

struct value_arc {
  size_t from, to; /* states */
  size_t edge;     /* NO_EDGE: from the function's end to its begin */
  uint64_t number;
  bool fresh; /* nothing is missing where it comes from */
};

struct solve_work {
  struct cfg *flow;
  struct buffer states, arcs;
  struct map known;
  size_t state_count, arc_count;
  uint64_t seed;
};

static struct block_state *states(const struct solve_work *work) {
  return (struct block_state *)work->states.data;
}

static struct value_arc *arcs(const struct solve_work *work) {
  return (struct value_arc *)work->arcs.data;
}

/* splitmix64 */
static uint64_t random_number(struct solve_work *work) {
  uint64_t z = work->seed += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

static const char *add_arc(struct solve_work *work, size_t from, size_t to,
                           size_t edge) {
  struct value_arc arc = {.from = from,
                          .to = to,
                          .edge = edge,
                          .number = random_number(work),
                          .fresh = edge != NO_EDGE &&
                                   cfg_edges(work->flow)[edge].unwinds};
  work->arc_count++;
  return buffer_add(&work->arcs, &arc, sizeof arc);
}

/* Adds the arc of an edge, and its state if that is new. */
static const char *follow(struct solve_work *work, size_t from, size_t edge,
                          uint64_t value) {
  size_t block = cfg_edges(work->flow)[edge].to;
  uint64_t *number = map_at(&work->known, block, value, 0);
  const char *error = NULL;
  if (!number)
    return out_of_memory;
  if (!*number) {
    struct block_state state = {.block = block, .value = value};
    state.arc = work->arc_count;
    *number = ++work->state_count;
    error = buffer_add(&work->states, &state, sizeof state);
  }
  return error ? error : add_arc(work, from, (size_t)*number - 1, edge);
}

/* Whether the variable chooses one of these edges. */
static bool is_chosen(const struct cfg *flow, const struct cfg_block *block,
                      uint64_t value) {
  for (size_t i = block->edges; i < block->last; i++)
    if (cfg_edges(flow)[i].chosen && cfg_edges(flow)[i].value == value)
      return true;
  return false;
}

static const char *follow_all(struct solve_work *work, size_t number) {
  const struct cfg_block *block =
      cfg_blocks(work->flow) + states(work)[number].block;
  uint64_t value = block->sets ? block->value : states(work)[number].value;
  bool chosen = is_chosen(work->flow, block, value);
  const char *error = NULL;
  for (size_t i = block->edges; i < block->last && !error; i++) {
    const struct cfg_edge *edge = &cfg_edges(work->flow)[i];
    if (value && edge->chosen && edge->value != value)
      continue;
    if (value && edge->other && chosen)
      continue;
    error = follow(work, number, i, value);
  }
  if (!error && block->edges == block->last)
    error = add_arc(work, number, 0, NO_EDGE);
  return error;
}

/* A loop without end ends in its last state. */
static const char *end_all(struct solve_work *work) {
  const char *error = NULL;
  for (size_t last = work->state_count; last && !error;) {
    for (bool more = true; more;) {
      more = false;
      for (size_t i = work->arc_count; i--;) {
        const struct value_arc *arc = &arcs(work)[i];
        bool ends = arc->edge == NO_EDGE || states(work)[arc->to].ends;
        more |= ends && !states(work)[arc->from].ends;
        states(work)[arc->from].ends |= ends;
      }
    }
    while (last && states(work)[last - 1].ends)
      last--;
    if (last)
      error = add_arc(work, last - 1, 0, NO_EDGE);
  }
  return error;
}

static void solve(struct solve_work *work) {
  struct block_state *list = states(work);
  for (size_t i = 0; i < work->arc_count; i++) {
    const struct value_arc *arc = &arcs(work)[i];
    if (arc->edge != NO_EDGE && list[arc->to].arc == i && arc->to)
      continue;
    list[arc->from].sum += arc->fresh ? 0 : arc->number;
    list[arc->to].sum -= arc->number;
  }
  for (size_t i = work->state_count; i-- > 1;) {
    struct value_arc *arc = &arcs(work)[list[i].arc];
    arc->number = list[i].sum;
    list[arc->from].sum += arc->fresh ? 0 : arc->number;
  }
  for (size_t i = 0; i < work->arc_count; i++) {
    const struct value_arc *arc = &arcs(work)[i];
    if (!arc->fresh)
      cfg_blocks(work->flow)[list[arc->from].block].number += arc->number;
    if (arc->edge != NO_EDGE)
      cfg_edges(work->flow)[arc->edge].number += arc->number;
  }
}

const char *cfg_solve(struct cfg *flow) {
  struct solve_work work = {.flow = flow,
                            .states = {.limit = MOST},
                            .arcs = {.limit = MOST},
                            .known = {.limit = MOST}};
  struct block_state first = {.arc = NO_EDGE};
  uint64_t *number = map_at(&work.known, 0, 0, 0);
  const char *error = number ? NULL : out_of_memory;
  if (!error)
    error = buffer_append(&work.states, &first, sizeof first);
  if (!error)
    *number = work.state_count = 1;
  for (size_t i = 0; i < work.state_count && !error; i++)
    error = follow_all(&work, i);
  if (!error)
    error = end_all(&work);
  if (!error)
    solve(&work);
  buffer_free(&work.states);
  buffer_free(&work.arcs);
  map_free(&work.known);
  return error;
}
