/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where flags for differences are stored.
 */
#include "flags_inside.h"

enum { RUN_MOST = 64 };

/* The counters' numbers: of all blocks that count them. */
static const char *count_all(struct body *body, const struct call *of,
                             uint64_t *values) {
  memset(values, 0, of->counters * sizeof *values);
  for (size_t i = 0; i < body->cfg.block_count; i++) {
    const struct cfg_block *block = cfg_blocks(&body->cfg) + i;
    struct call call;
    for (size_t k = block->begin; k < block->end; k++)
      if (call_read(body->cfg.lines[k], &call) &&
          text_same(call.function, of->function)) {
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

/* Finds the place of a number. */
static bool find(struct body *body, uint64_t number, struct flag_place *place) {
  for (size_t i = 0; i < body->cfg.block_count; i++) {
    const struct cfg_block *block = cfg_blocks(&body->cfg) + i;
    place->line = block->place;
    if (block->number == number)
      return true;
  }
  place->line = SIZE_MAX;
  for (size_t i = 0; i < body->cfg.edge_count; i++) {
    struct cfg_edge *edge = cfg_edges(&body->cfg) + i;
    if (edge->number != number || !edge->splits)
      continue;
    place->edge = i;
    return true;
  }
  return false;
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

/* A switch that chooses another case than one: on all other edges. */
static const char *place_others(struct body *body, const struct cfg_block *from,
                                const struct call *call, size_t to) {
  const char *error = NULL;
  for (size_t i = from->edges; i < from->last && !error; i++) {
    struct flag_place place = {.line = SIZE_MAX, .edge = i, .call = *call};
    if (cfg_edges(&body->cfg)[i].to != to)
      error = add_place(body, place);
  }
  return error;
}

static bool find_others(struct body *body, uint64_t number,
                        const struct call *call, const char **error) {
  for (size_t i = 0; i < body->cfg.block_count; i++) {
    const struct cfg_block *block = cfg_blocks(&body->cfg) + i;
    if (block->last - block->edges < 3 ||
        !cfg_edges(&body->cfg)[block->edges].splits)
      continue;
    for (size_t k = block->edges; k < block->last; k++) {
      size_t to = cfg_edges(&body->cfg)[k].to;
      if (block->number - number_to(&body->cfg, block, to) != number)
        continue;
      *error = place_others(body, block, call, to);
      return true;
    }
  }
  return false;
}

/* Places a flag on edges. */
static const char *place_run(struct body *body, const struct call *call,
                             const size_t *edges, size_t count) {
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    struct flag_place place = {
        .line = SIZE_MAX, .edge = edges[i], .call = *call};
    error = add_place(body, place);
  }
  return error;
}

/* Finds a run of edges that has the number, in the edges to one block: those of
 * one part of a condition are next to each other. */
static bool find_run(struct body *body, uint64_t number,
                     const struct call *call, const char **error) {
  const struct cfg_edge *edges = cfg_edges(&body->cfg);
  const size_t *in = (const size_t *)body->in.data;
  size_t count = body->cfg.edge_count;
  for (size_t i = 0; i < count; i++) {
    uint64_t sum = 0;
    for (size_t k = i; k < count && k - i < RUN_MOST; k++) {
      const struct cfg_edge *edge = &edges[in[k]];
      if (edge->to != edges[in[i]].to || !edge->splits)
        break;
      sum += edge->number;
      if (sum != number)
        continue;
      *error = place_run(body, call, in + i, k - i + 1);
      return true;
    }
  }
  return false;
}

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

/* Places the flag of a counter of the mapping; of a sum, on both parts. */
static const char *place_flag(struct body *body, const struct call *call,
                              const struct differences_of *function,
                              uint64_t counter, const uint64_t *values) {
  uint64_t todo[DIFFERENCE_PARTS] = {counter};
  for (size_t count = 1; count;) {
    struct flag_place place = {.call = *call};
    const char *error = NULL;
    counter = todo[--count];
    uint64_t number = differences_value(function, counter, values);
    if (!number)
      continue;
    if (find(body, number, &place)) {
      error = add_place(body, place);
      if (error)
        return error;
    } else if (find_others(body, number, call, &error) ||
               find_run(body, number, call, &error)) {
      if (error)
        return error;
    } else if (count + 2 > DIFFERENCE_PARTS ||
               !differences_parts(function, counter, todo + count)) {
      return "a region has no place in the code; compile it without "
             "--counters=flags";
    } else {
      count += 2;
    }
  }
  return NULL;
}

static const char *place_all(struct body *body, struct call call) {
  struct differences_of *function = flags_function_of(body->reader, &call);
  uint64_t *values = calloc(call.counters + 1, sizeof *values);
  if (!values)
    return out_of_memory;
  const char *error = count_all(body, &call, values);
  call.rest = (struct text){")", 1};
  for (size_t i = 0; i < function->count && !error; i++) {
    call.index = call.counters + i;
    error = place_flag(body, &call, function, function->list[i], values);
  }
  free(values);
  return error;
}

/* Once for each function whose counters the body has: inlined initialisers. */
const char *flags_place(struct body *body) {
  struct map done = {.limit = FLAGS_MOST};
  const char *error = list_edges(body);
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
