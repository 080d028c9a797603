/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where flags for differences are stored.
 */
#include "flags_inside.h"
#include "../base/buffer.h"
#include "../base/map.h"

enum { RUN_MOST = 64, TRIES_MOST = 1 << 24 };

/* The counters' numbers: of all blocks that count them. */
static const char *count_all(struct body *body, const struct intrinsic_call *of,
                             uint64_t *values) {
  memset(values, 0, of->counters * sizeof *values);
  for (size_t i = 0; i < body->cfg.block_count; i++) {
    const struct cfg_block *block = cfg_blocks(&body->cfg) + i;
    struct intrinsic_call call;
    for (size_t k = block->begin; k < block->end; k++)
      if (call_read(body->cfg.lines[k], &call) &&
          part_same(call.function, of->function)) {
        if (call.counters != of->counters || call.index >= of->counters)
          return flags_unknown;
        values[call.index] += block->number;
      }
  }
  return NULL;
}

/* Adds a place, unless it is there, and that it counts for the call's index. */
static const char *add_place(struct body *body, struct flag_place place) {
  uint64_t *at = map_at(&body->known, differences_key(place.call.function),
                        2 * place.line + place.own, place.edge);
  const char *error = at ? NULL : out_of_memory;
  if (!error && !*at) {
    place.function = flags_function_of(body->reader, &place.call);
    error = buffer_append(&body->places, &place, sizeof place);
    *at = body_place_count(body);
  }
  if (error)
    return error;
  struct flag_use use = {(size_t)*at - 1, place.call.index};
  return buffer_append(&body->uses, &use, sizeof use);
}

/* ---- numbers ---- */

/* A number is of one of these: a block, an edge, all edges of a block except
 * those to one other block, or a run of edges to one block. The edges of one
 * part of a condition are next to each other. */
enum shape { BLOCK, EDGE, OTHERS, RUN };

/* The first of each shape stays. */
static const char *know(struct body *body, uint64_t number, enum shape shape,
                        const size_t what[2]) {
  uint64_t *at = map_at(&body->numbers, number, shape, 0);
  if (at && !*at)
    *at = (uint64_t)what[0] << 32 | (what[1] + 1);
  return at ? NULL : out_of_memory;
}

static bool knows(const struct body *body, uint64_t number, enum shape shape,
                  size_t what[2]) {
  const uint64_t *at = map_find(&body->numbers, number, shape, 0);
  if (at) {
    what[0] = (size_t)(*at >> 32);
    what[1] = (size_t)(*at & UINT32_MAX) - 1;
  }
  return at != NULL;
}

/* What flows along all edges to a block. */
static uint64_t number_to(const struct cfg *cfg, const struct cfg_block *from,
                          size_t to) {
  uint64_t number = 0;
  for (size_t i = from->edges; i < from->last; i++)
    if (cfg_edges(cfg)[i].to == to)
      number += cfg_edges(cfg)[i].number;
  return number;
}

/* A switch that chooses another case than one. */
static const char *know_others(struct body *body, size_t number) {
  const struct cfg_block *block = cfg_blocks(&body->cfg) + number;
  const char *error = NULL;
  if (block->last - block->edges < 3 ||
      !cfg_edges(&body->cfg)[block->edges].splits)
    return NULL;
  for (size_t i = block->edges; i < block->last && !error; i++) {
    const size_t what[2] = {number, cfg_edges(&body->cfg)[i].to};
    error = know(body, block->number - number_to(&body->cfg, block, what[1]),
                 OTHERS, what);
  }
  return error;
}

static const struct cfg_edge *edge_in(const struct body *body, size_t order) {
  return cfg_edges(&body->cfg) + ((const size_t *)body->in.data)[order];
}

static const char *know_runs(struct body *body, size_t first) {
  const char *error = NULL;
  uint64_t sum = 0;
  for (size_t i = first;
       i < body->cfg.edge_count && i - first < RUN_MOST && !error; i++) {
    const struct cfg_edge *edge = edge_in(body, i);
    const size_t what[2] = {first, i - first + 1};
    if (edge->to != edge_in(body, first)->to || !edge->splits)
      break;
    error = know(body, sum += edge->number, RUN, what);
  }
  return error;
}

static const char *know_all(struct body *body) {
  const struct cfg *cfg = &body->cfg;
  const char *error = NULL;
  for (size_t i = 0; i < cfg->block_count && !error; i++) {
    const size_t what[2] = {cfg_blocks(cfg)[i].place, 0};
    error = know(body, cfg_blocks(cfg)[i].number, BLOCK, what);
    if (!error)
      error = know_others(body, i);
  }
  for (size_t i = 0; i < cfg->edge_count && !error; i++) {
    const size_t what[2] = {i, 0};
    if (cfg_edges(cfg)[i].splits)
      error = know(body, cfg_edges(cfg)[i].number, EDGE, what);
    if (!error)
      error = know_runs(body, i);
  }
  return error;
}

/* ---- places of numbers ---- */

static const char *place_edge(struct body *body,
                              const struct intrinsic_call *call, size_t edge) {
  const struct flag_place place = {
      .line = SIZE_MAX, .edge = edge, .call = *call};
  return add_place(body, place);
}

static const char *place_others(struct body *body,
                                const struct intrinsic_call *call,
                                const size_t what[2]) {
  const struct cfg_block *from = cfg_blocks(&body->cfg) + what[0];
  const char *error = NULL;
  for (size_t i = from->edges; i < from->last && !error; i++)
    if (cfg_edges(&body->cfg)[i].to != what[1])
      error = place_edge(body, call, i);
  return error;
}

static const char *place_run(struct body *body,
                             const struct intrinsic_call *call,
                             const size_t what[2]) {
  const size_t *in = (const size_t *)body->in.data;
  const char *error = NULL;
  for (size_t i = 0; i < what[1] && !error; i++)
    error = place_edge(body, call, in[what[0] + i]);
  return error;
}

/* Places a flag where the number is. false: it is nowhere. */
static bool place_number(struct body *body, const struct intrinsic_call *call,
                         uint64_t number, const char **error) {
  size_t what[2];
  if (knows(body, number, BLOCK, what)) {
    const struct flag_place place = {.line = what[0], .call = *call};
    *error = add_place(body, place);
  } else if (knows(body, number, EDGE, what)) {
    *error = place_edge(body, call, what[0]);
  } else if (knows(body, number, OTHERS, what)) {
    *error = place_others(body, call, what);
  } else if (knows(body, number, RUN, what)) {
    *error = place_run(body, call, what);
  } else {
    return false;
  }
  return true;
}

/* Places a flag where two numbers are, of which one is of a run. */
static bool place_two(struct body *body, const struct intrinsic_call *call,
                      uint64_t number, const char **error) {
  for (size_t i = 0; i < body->cfg.edge_count; i++) {
    size_t what[2] = {i, 0};
    uint64_t sum = 0;
    while (i + what[1] < body->cfg.edge_count && what[1] < RUN_MOST) {
      const struct cfg_edge *edge = edge_in(body, i + what[1]++);
      sum += edge->number;
      if (edge->to != edge_in(body, i)->to || !edge->splits ||
          body->tries++ > TRIES_MOST)
        break;
      if (number == sum || !place_number(body, call, number - sum, error))
        continue;
      *error = *error ? *error : place_run(body, call, what);
      return true;
    }
  }
  return false;
}

/* Code that leaves in the middle of an expression counts for what comes behind
 * it, too, as clang subtracts what goes on. So the number is the sum of two
 * places or three. */
static bool place_sum(struct body *body, const struct intrinsic_call *call,
                      uint64_t number, const char **error) {
  if (place_two(body, call, number, error))
    return true;
  for (size_t i = 0; i < body->cfg.edge_count; i++) {
    const struct cfg_edge *edge = cfg_edges(&body->cfg) + i;
    if (!edge->splits || !edge->number ||
        !place_two(body, call, number - edge->number, error))
      continue;
    *error = *error ? *error : place_edge(body, call, i);
    return true;
  }
  return false;
}

/* ---- all ---- */

/* Lists the edges by the blocks that they lead to. */
static const char *list_edges(struct body *body) {
  const struct cfg *cfg = &body->cfg;
  size_t *begin = calloc(cfg->block_count + 1, sizeof *begin), sum = 0;
  size_t *in = malloc((cfg->edge_count + 1) * sizeof *in);
  for (size_t i = 0; begin && i < cfg->edge_count; i++)
    begin[cfg_edges(cfg)[i].to]++;
  for (size_t i = 0; begin && i < cfg->block_count; i++)
    begin[i] = sum += begin[i];
  for (size_t i = cfg->edge_count; begin && in && i--;)
    in[--begin[cfg_edges(cfg)[i].to]] = i;
  const char *error = out_of_memory;
  if (begin && in)
    error = buffer_append(&body->in, in, cfg->edge_count * sizeof *in);
  free(begin);
  free(in);
  return error;
}

/* Values of counters. */
struct counted_place {
  const struct differences_of *function;
  uint64_t *plain, *sums;
};

/* Places the flag of a counter of the mapping; of a sum, on both parts. */
static const char *place_flag(struct body *body,
                              const struct intrinsic_call *call,
                              const struct counted_place *counted,
                              const struct difference *difference) {
  uint64_t todo[DIFFERENCE_PARTS] = {difference->counter}, counter;
  const char *error = NULL;
  for (size_t count = 1; count && !error;) {
    counter = todo[--count];
    uint64_t number = differences_value(counted->function, counter,
                                        counted->plain, counted->sums);
    if (!number || place_number(body, call, number, &error))
      continue;
    if (count + 2 <= DIFFERENCE_PARTS &&
        differences_parts(counted->function, counter, todo + count))
      count += 2;
    else if (!place_sum(body, call, number, &error) && difference->wide)
      error = "a region has no place in the code; compile it without "
              "--counters=flags, or leave its source out with --ignore";
  }
  return error;
}

static const char *place_all(struct body *body, struct intrinsic_call call) {
  struct differences_of *function = flags_function_of(body->reader, &call);
  struct counted_place counted = {.function = function};
  counted.plain = calloc(call.counters + 1, sizeof *counted.plain);
  if (!counted.plain)
    return out_of_memory;
  const char *error = count_all(body, &call, counted.plain);
  counted.sums = differences_sums(function, counted.plain);
  if (!counted.sums)
    error = out_of_memory;
  call.rest = (struct part){")", 1};
  for (size_t i = 0; i < function->count && !error; i++) {
    call.index = call.counters + i;
    error = place_flag(body, &call, &counted, &function->list[i]);
  }
  free(counted.plain);
  free(counted.sums);
  return error;
}

/* Once for each function whose counters the body has: inlined initialisers. */
const char *flags_place(struct body *body) {
  struct map done = {.limit = FLAGS_MOST};
  const char *error = list_edges(body);
  if (!error)
    error = know_all(body);
  for (size_t i = 0; i < body->cfg.line_count && !error; i++) {
    struct flag_place place = {.line = i, .own = true};
    if (!call_read(body->cfg.lines[i], &place.call))
      continue;
    /* A step that was written anew has not been looked at before. */
    const struct differences_of *function =
        flags_function_of(body->reader, &place.call);
    if (!function || function->counters != place.call.counters) {
      error = flags_unknown;
      break;
    }
    uint64_t *at = map_at(&done, differences_key(place.call.function), 0, 0);
    if (!at)
      error = out_of_memory;
    else if (!(*at)++)
      error = place_all(body, place.call);
    if (!error)
      error = add_place(body, place);
  }
  map_free(&done);
  return error;
}
