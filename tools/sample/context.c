/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples by the way to their function, and rates of each.
 */
#include "context.h"

#include <stdlib.h>
#include <string.h>

#include "stack.h"
#include "targets.h"

static const char no_memory[] = "not enough memory; free some";

enum { WAY_MOST = 512 };

/* From the outermost to the innermost caller. */
struct way {
  struct call_frame frames[WAY_MOST];
  size_t depth;
  bool probed; /* the innermost one's call has a probe */
};

struct tagged {
  struct sample sample;
  uint64_t way; /* offset in texts, which begins with what is at offset 0 */
  size_t symbol;
};

struct contexts {
  struct building *building;
  struct program *program;
  struct rates *rates;
  struct buffer texts; /* struct way, cut after depth frames */
  struct sample_map ways;
  struct tagged *list;
  size_t count;
};

/* ---- ways ---- */

static bool same(const struct call_frame *a, const struct call_frame *b) {
  return a->function == b->function && a->probe == b->probe &&
         a->discriminator == b->discriminator;
}

/* What is at the end twice is there once. */
static void compress(struct way *way) {
  for (size_t size = 1; size <= way->depth / 2; size++) {
    const struct call_frame *last = &way->frames[way->depth - size];
    size_t i = 0;
    while (i < size && same(&last[i], &last[i] - size))
      i++;
    if (i < size)
      continue;
    way->depth -= size;
    return;
  }
}

static void push(struct way *way, const struct call_frame *frame) {
  if (way->depth == WAY_MOST)
    return;
  way->frames[way->depth++] = *frame;
  compress(way);
}

/* Whether the function that frame number i is in was called at i + 1. */
static bool find_call(const struct program *program, const struct stack *stack,
                      size_t i, struct call_place *place) {
  struct instruction call;
  uint64_t address, inner = stack->frames[i] - (i ? 1 : 0);
  const struct probe_symbol *symbol = probes_symbol(&program->probes, inner);
  return symbol &&
         code_call_before(&program->code, stack->frames[i + 1], &call,
                          &address) &&
         (!call.direct || call.target == symbol->address) &&
         targets_place(program, address, stack->frames[i + 1], place);
}

static void find_way(const struct program *program, const struct stack *stack,
                     struct way *way) {
  struct call_place place;
  size_t known = 0;
  way->depth = 0;
  way->probed = false;
  if (!stack->called)
    return;
  while (known + 1 < stack->depth && find_call(program, stack, known, &place))
    known++;
  for (size_t i = known; i-- > 0;) {
    find_call(program, stack, i, &place);
    for (size_t k = 0; k < place.depth; k++)
      push(way, &place.frames[k]);
    way->probed = place.probed;
  }
}

/* "main:3 @ foo:2", into room; what does not fit is left out. */
static void put_way(char *room, size_t size, const struct call_frame *frames,
                    size_t depth) {
  size_t at = 0;
  room[0] = 0;
  for (size_t i = 0; i < depth && at < size; i++) {
    int put = snprintf(room + at, size - at, "%s%s:%u", i ? " @ " : "",
                       frames[i].function->name, frames[i].probe);
    if (put > 0 && frames[i].discriminator && at + (size_t)put < size)
      put += snprintf(room + at + put, size - at - (size_t)put, ".%u",
                      frames[i].discriminator);
    at += put > 0 ? (size_t)put : 0;
  }
}

/* ---- rates of one way ---- */

enum { CONTEXT_ROOM = 1 << 18 };

static struct sampled_function *function_in(struct contexts *of,
                                            const struct way *way, size_t depth,
                                            const struct probe_function *is) {
  char *room = malloc(CONTEXT_ROOM);
  if (!room)
    return NULL;
  put_way(room, CONTEXT_ROOM, way->frames, depth);
  struct sampled_function *function =
      sampled_function(of->building->profile, room, is->name);
  free(room);
  if (function) {
    function->hash = is->hash;
    function->hashed = true;
  }
  return function;
}

/* The way to a probe: with what its function was inlined into. */
static bool extend(const struct probes *probes, struct way *way,
                   const struct probe_frame *frame) {
  if (!frame)
    return true;
  const struct probe_function *function = probes_function(probes, frame->guid);
  if (!function || !extend(probes, way, frame->parent))
    return false;
  push(way, &(struct call_frame){function, frame->site, frame->discriminator});
  return true;
}

static const char *add_probe(struct contexts *of, const struct way *base,
                             size_t i, double *entries) {
  const struct probe *probe = &of->building->probes->list[i];
  const struct probe_function *is =
      probes_function(of->building->probes, probe->guid);
  struct way way = *base;
  if (of->rates->probes[i] < 0 || probe->flags & PROBE_DANGLING)
    return NULL;
  if (!is || !extend(of->building->probes, &way, probe->frame)) {
    of->building->unnamed++;
    return NULL;
  }
  struct sampled_function *function = function_in(of, &way, way.depth, is);
  struct sampled_line *line =
      function ? sampled_line(
                     of->building->profile, function,
                     (struct sampled_site){probe->index, probe->discriminator})
               : NULL;
  if (!line)
    return no_memory;
  line->weight += of->rates->probes[i];
  if (probe->frame)
    function->attributes |= 1; /* was inlined */
  if (probe->index != 1)
    return NULL;
  function->head += of->rates->probes[i];
  if (!probe->frame)
    *entries += of->rates->probes[i];
  return NULL;
}

/* The last call of the way has the function of that symbol as its target. */
static const char *add_call(struct contexts *of, const struct way *way,
                            size_t first, double entries) {
  const struct probe *probe = &of->building->probes->list[first];
  const struct probe_frame *frame = probe->frame;
  uint64_t guid = probe->guid;
  for (; frame; frame = frame->parent)
    guid = frame->guid;
  const char *name = probes_name(of->building->probes, guid);
  if (!way->depth || !name || entries <= 0)
    return NULL;
  const struct call_frame *last = &way->frames[way->depth - 1];
  struct sampled_function *caller =
      function_in(of, way, way->depth - 1, last->function);
  struct sampled_line *line =
      caller ? sampled_line(
                   of->building->profile, caller,
                   (struct sampled_site){last->probe, last->discriminator})
             : NULL;
  struct sampled_target *target =
      line ? sampled_target(of->building->profile, line, name) : NULL;
  if (!target)
    return no_memory;
  target->weight += entries;
  if (!way->probed)
    line->weight += entries;
  return NULL;
}

static const char *add_group(struct contexts *of, size_t begin, size_t end,
                             enum attribution attribution) {
  const struct probes *probes = of->building->probes;
  const struct probe_symbol *symbol = &probes->symbols[of->list[begin].symbol];
  size_t first = probes_from(probes, symbol->address);
  size_t last = probes_from(probes, symbol->address + symbol->size);
  struct samples some = {.count = end - begin};
  const struct way *way = (const void *)(of->texts.data + of->list[begin].way);
  double entries = 0;
  if (first == last)
    return NULL;
  some.list = calloc(some.count, sizeof *some.list);
  if (!some.list)
    return no_memory;
  for (size_t i = begin; i < end; i++)
    some.list[i - begin] = of->list[i].sample;
  const char *error = rates_find_again(of->rates, probes, &of->program->code,
                                       &some, attribution);
  free(some.list);
  for (size_t i = first; i < last && !error; i++)
    error = add_probe(of, way, i, &entries);
  rates_forget(of->rates, first, last);
  return error ? error : add_call(of, way, first, entries);
}

/* ---- all ---- */

static int by_way(const void *left, const void *right) {
  const struct tagged *a = left, *b = right;
  if (a->symbol != b->symbol)
    return a->symbol < b->symbol ? -1 : 1;
  if (a->way != b->way)
    return a->way < b->way ? -1 : 1;
  return a->sample.pc < b->sample.pc ? -1 : a->sample.pc > b->sample.pc;
}

static const char *tag(struct contexts *of, const struct samples *samples,
                       const struct sample *sample) {
  struct stack stack;
  struct way way;
  uint64_t key = 0, *known;
  memset(&way, 0, sizeof way);
  stack_read(&stack, of->program, samples, sample);
  const struct probe_symbol *symbol =
      probes_symbol(&of->program->probes, stack.frames[0]);
  if (!symbol)
    return NULL;
  find_way(of->program, &stack, &way);
  for (size_t i = 0; i < way.depth; i++) {
    known = sample_map_at(&of->ways, key + 1, way.frames[i].function->guid,
                          (uint64_t)way.frames[i].probe << 32 |
                              way.frames[i].discriminator);
    if (!known)
      return no_memory;
    if (!*known)
      *known = of->ways.count;
    key = *known;
  }
  known = sample_map_at(&of->ways, 0, key, way.probed);
  if (!known)
    return no_memory;
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

const char *context_build(struct building *building, struct program *program,
                          const struct samples *samples, struct rates *rates,
                          enum attribution attribution) {
  struct contexts of = {building,
                        program,
                        rates,
                        {.limit = (size_t)1 << 31},
                        {.limit = (size_t)1 << 26},
                        NULL,
                        0};
  const char *error = NULL;
  of.list = calloc(samples->count + 1, sizeof *of.list);
  if (!of.list)
    return no_memory;
  rates_forget(rates, 0, building->probes->count);
  for (size_t i = 0; i < samples->count && !error; i++)
    error = tag(&of, samples, &samples->list[i]);
  qsort(of.list, of.count, sizeof *of.list, by_way);
  for (size_t i = 0, next; i < of.count && !error; i = next) {
    next = i + 1;
    while (next < of.count && of.list[next].symbol == of.list[i].symbol &&
           of.list[next].way == of.list[i].way)
      next++;
    error = add_group(&of, i, next, attribution);
  }
  free(of.list);
  buffer_free(&of.texts);
  sample_map_free(&of.ways);
  return error;
}
