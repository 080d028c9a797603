/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples by the way to their function, and rates of each.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/buffer.h"
#include "../base/map.h"
#include "../base/error.h"
#include "build.h"

struct tagged {
  struct sample sample;
  uint64_t way; /* offset in texts, which begins with what is at offset 0 */
  size_t symbol;
};

struct contexts {
  struct building *building;
  struct program *program;
  struct rates *rates;
  struct buffer texts; /* struct call_path */
  struct map ways;
  struct map jumped; /* functions that were not called from there */
  struct tagged *list;
  size_t count;
};

/* ---- ways ---- */

static bool same_call(const struct call_place *a, const struct call_place *b) {
  bool same = a->depth == b->depth;
  for (size_t i = 0; i < a->depth && same; i++)
    same = a->frames[i].function == b->frames[i].function &&
           a->frames[i].probe == b->frames[i].probe &&
           a->frames[i].discriminator == b->frames[i].discriminator;
  return same;
}

/* So many jumps of one call, which the compiler has copied, are looked at. */
enum { COPIES_MOST = 64 };

/* The call that jumps from one function to another are. false: it is unknown,
 * or they are several. */
static bool find_tail(const struct program *program, const struct jump_hop *hop,
                      struct call_place *place) {
  struct call_place other;
  for (size_t i = 0; i < hop->count; i++) {
    if (i == COPIES_MOST)
      return false;
    const struct jump *jump = jumps_at(&program->jumps, hop->first + i);
    if (!call_place_find(program, jump->place, jump->behind,
                         i ? &other : place) ||
        (i && !same_call(place, &other)))
      return false;
  }
  return true;
}

/* Adds to the way the calls that led from frame number i + 1 to the function of
 * frame i: the one that returns there, then tail calls. false: one of them is
 * unknown. way may be NULL. */
static bool find_calls(const struct contexts *of, const struct stack *stack,
                       size_t i, struct call_path *way) {
  struct program *program = of->program;
  struct instruction call;
  struct call_place place;
  struct jump_way tails = {JUMPS_ONE, 0, NULL};
  uint64_t address, inner = stack->frames[i] - (i ? 1 : 0);
  const uint64_t returns = stack->frames[i + 1];
  const struct probe_symbol *symbol = probes_symbol(&program->probes, inner);
  if (!symbol || !(symbol = jumps_function(&program->jumps, symbol)) ||
      !code_call_before(&program->code, returns, &call, &address))
    return false;
  if (call.direct)
    tails = jumps_lead(&program->jumps, call.target, inner);
  else if (map_find(&of->jumped, symbol->address, returns, 0))
    return false;
  if (tails.ways != JUMPS_ONE)
    return false;
  bool known = call_place_find(program, address, returns, &place);
  for (size_t k = 0; known; k++) {
    if (way)
      way_push_all(way, &place);
    if (way)
      way->probed = place.probed;
    if (k == tails.count)
      break;
    known = find_tail(program, &tails.hops[k], &place);
  }
  return known;
}

/* On main's side the way ends where calls are unknown. */
static void find_way(const struct contexts *of, const struct stack *stack,
                     struct call_path *way) {
  size_t known = 0;
  way->depth = 0;
  way->probed = false;
  if (!stack->called)
    return;
  while (known + 1 < stack->depth && find_calls(of, stack, known, NULL))
    known++;
  while (known-- > 0)
    find_calls(of, stack, known, way);
  way_compress(way);
}

/* ---- rates of one way ---- */

/* *entries: of the symbol's function itself. */
static const char *add_probe(struct contexts *of, const struct tagged *group,
                             size_t i, double *entries) {
  const struct probe *probe = &of->building->probes->list[i];
  const struct call_path *way = (const void *)(of->texts.data + group->way);
  const double rate = of->rates->probes[i];
  if (rate < 0 || probe->flags & PROBE_DANGLING)
    return NULL;
  if (probe->index == 1 && !probe->frame &&
      probes_function(of->building->probes, probe->guid))
    *entries += rate;
  return way_count(of->building, way, group->way + 1, probe, rate);
}

/* The last call of the way has the function of that symbol as its target. */
static const char *add_call(struct contexts *of, const struct call_path *way,
                            size_t first, double entries) {
  const struct probes *probes = of->building->probes;
  const char *name = probes_name(probes, probe_outermost(&probes->list[first]));
  if (!name || entries <= 0)
    return NULL;
  return way_call(of->building, way, name, entries, way->probed);
}

static const char *add_group(struct contexts *of, size_t begin, size_t end,
                             enum attribution attribution) {
  const struct probes *probes = of->building->probes;
  const struct probe_symbol *symbol = &probes->symbols[of->list[begin].symbol];
  size_t first = probes_from(probes, symbol->address);
  size_t last = probes_from(probes, symbol->address + symbol->size);
  struct samples some = {.count = end - begin};
  const struct call_path *way =
      (const void *)(of->texts.data + of->list[begin].way);
  double entries = 0;
  if (first == last)
    return NULL;
  some.list = calloc(some.count, sizeof *some.list);
  if (!some.list)
    return out_of_memory;
  for (size_t i = begin; i < end; i++)
    some.list[i - begin] = of->list[i].sample;
  const char *error =
      rates_find_again(of->rates, of->program, &some, attribution);
  free(some.list);
  for (size_t i = first; i < last && !error; i++)
    error = add_probe(of, &of->list[begin], i, &entries);
  rates_forget(of->rates, first, last);
  return error ? error : add_call(of, way, first, entries);
}

/* ---- all ---- */

ORDER_BY(tagged_by_way, struct tagged, x->symbol, x->way, x->sample.pc);

static const char *tag_sample(struct contexts *of,
                              const struct samples *samples,
                              const struct sample *sample) {
  struct stack stack;
  struct call_path way;
  uint64_t key = 0, *known;
  memset(&way, 0, sizeof way);
  stack_read(&stack, of->program, samples, sample);
  const struct probe_symbol *symbol =
      probes_symbol(&of->program->probes, stack.frames[0]);
  if (!symbol)
    return NULL;
  find_way(of, &stack, &way);
  for (size_t i = 0; i < way.depth; i++) {
    known = map_at(&of->ways, key + 1, way.frames[i].function->guid,
                   (uint64_t)way.frames[i].probe << 32 |
                       way.frames[i].discriminator);
    if (!known)
      return out_of_memory;
    if (!*known)
      *known = of->ways.count;
    key = *known;
  }
  known = map_at(&of->ways, 0, key, way.probed);
  if (!known)
    return out_of_memory;
  if (!*known) {
    *known = of->texts.size + 1;
    const char *error = buffer_append(&of->texts, &way, sizeof way);
    if (error)
      return error;
  }
  of->list[of->count++] = (struct tagged){
      *sample, *known - 1, (size_t)(symbol - of->program->probes.symbols)};
  return NULL;
}

static const char *note_jumped(void *context, const struct targets_pair *pair) {
  struct contexts *of = context;
  if (!pair->jumped)
    return NULL;
  return map_at(&of->jumped, pair->callee->address, pair->returns, 0)
             ? NULL
             : out_of_memory;
}

const char *context_build(struct building *building, struct program *program,
                          const struct samples *samples, struct rates *rates,
                          enum attribution attribution) {
  struct contexts of = {.building = building,
                        .program = program,
                        .rates = rates,
                        .texts = {.limit = (size_t)1 << 31},
                        .ways = {.limit = (size_t)1 << 26},
                        .jumped = {.limit = (size_t)1 << 26}};
  struct targets_found found;
  const char *error = targets_each(program, samples, &found, note_jumped, &of);
  of.list = calloc(samples->count + 1, sizeof *of.list);
  if (!of.list)
    error = out_of_memory;
  rates_forget(rates, 0, building->probes->count);
  for (size_t i = 0; i < samples->count && !error; i++)
    error = tag_sample(&of, samples, &samples->list[i]);
  sort(of.list, of.count, sizeof *of.list, tagged_by_way);
  for (size_t i = 0, next; i < of.count && !error; i = next) {
    next = i + 1;
    while (next < of.count && of.list[next].symbol == of.list[i].symbol &&
           of.list[next].way == of.list[i].way)
      next++;
    error = add_group(&of, i, next, attribution);
  }
  free(of.list);
  buffer_free(&of.texts);
  map_free(&of.ways);
  map_free(&of.jumped);
  return error;
}
