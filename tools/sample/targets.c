/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From return addresses to targets of calls.
 */
#include "targets.h"

#include <stdlib.h>
#include <string.h>

#include "../object/md5.h"
#include "jumps.h"
#include "stack.h"

static const char no_memory[] = "not enough memory; free some";

struct sharing {
  struct program *program;
  struct targets_found *found;
  struct jumps jumps;
  struct map pairs;   /* symbol, return address: samples */
  struct map callees; /* symbol: samples of those that count */
};

/* A pair of callee and return address. */
struct seen {
  const struct probe_symbol *callee;
  uint64_t returns, call, samples, of; /* of: all of the callee's */
  bool jumped;                         /* another callee jumped there */
};

struct adding {
  struct building *building;
  struct program *program;
  const struct rates *rates;
  struct targets_found *found;
};

/* How often a symbol's function was entered, and which it is. */
static double entries(const struct probes *probes, const struct rates *rates,
                      const struct probe_symbol *symbol, uint64_t *guid) {
  double sum = 0;
  *guid = 0;
  for (size_t i = probes_from(probes, symbol->address); i < probes->count;
       i++) {
    const struct probe *probe = &probes->list[i];
    if (probe->address - symbol->address >= symbol->size)
      break;
    if (probe->index != 1 || probe->frame || rates->probes[i] < 0)
      continue;
    *guid = probe->guid;
    sum += rates->probes[i];
  }
  return sum;
}

/* Of a direct call that is not this function's: whether a jump led from the
 * one that was called. If not, the return address is of an older call. */
static bool jumped_from(struct sharing *of, const struct instruction *call,
                        const struct probe_symbol *symbol) {
  const struct probe_symbol *called =
      probes_symbol(&of->program->probes, call->target);
  return called && called->address == call->target &&
         jumps_lead(&of->jumps, called, symbol->address);
}

static const char *gather(struct sharing *of, const struct samples *samples) {
  struct stack stack;
  for (size_t i = 0; i < samples->count; i++) {
    struct instruction call;
    uint64_t address;
    stack_read(&stack, of->program, samples, &samples->list[i]);
    const struct probe_symbol *symbol =
        probes_symbol(&of->program->probes, stack.frames[0]);
    if (!symbol || !stack.called)
      continue;
    bool known =
        code_call_before(&of->program->code, stack.frames[1], &call, &address);
    bool other = known && call.direct && call.target != symbol->address;
    if (!known || (other && !jumped_from(of, &call, symbol))) {
      of->found->refused += samples->list[i].count;
      continue;
    }
    size_t number = (size_t)(symbol - of->program->probes.symbols);
    uint64_t *callee = map_at(&of->callees, number, 0, 0);
    if (callee)
      *callee += samples->list[i].count;
    uint64_t *pair =
        other ? callee : map_at(&of->pairs, number, stack.frames[1], address);
    if (!pair)
      return no_memory;
    if (!other)
      *pair += samples->list[i].count;
  }
  return NULL;
}

/* ---- pairs ---- */

static int by_place(const void *left, const void *right) {
  const struct seen *a = left, *b = right;
  if (a->returns != b->returns)
    return a->returns < b->returns ? -1 : 1;
  return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* NULL: no memory. */
static struct seen *list_pairs(const struct sharing *of) {
  struct seen *list = calloc(of->pairs.count + 1, sizeof *list);
  size_t count = 0;
  for (const struct map_entry *entry = list ? map_next(&of->pairs, NULL) : NULL;
       entry; entry = map_next(&of->pairs, entry)) {
    const uint64_t *all = map_find(&of->callees, entry->key[0], 0, 0);
    list[count++] = (struct seen){&of->program->probes.symbols[entry->key[0]],
                                  entry->key[1],
                                  entry->key[2],
                                  entry->value,
                                  all ? *all : entry->value,
                                  false};
  }
  if (list)
    qsort(list, count, sizeof *list, by_place);
  return list;
}

/* Callees at one place that is not looked at for jumps if it has more. */
enum { CALLEES_MOST = 256 };

/* At one place: whom another callee jumps to was not called there, as far as
 * can be told. If each of two jumps to the other, the one that is seen more
 * often was. */
static void mark_jumped(struct sharing *of, struct seen *list, size_t count) {
  for (size_t i = 0; i < count && count <= CALLEES_MOST; i++)
    for (size_t k = 0; k < count && !list[i].jumped; k++) {
      const struct seen *a = &list[i], *b = &list[k];
      if (i == k || !jumps_lead(&of->jumps, b->callee, a->callee->address))
        continue;
      list[i].jumped = b->samples > a->samples ||
                       !jumps_lead(&of->jumps, a->callee, b->callee->address);
    }
}

static const char *add(void *context, const struct targets_pair *pair) {
  const struct adding *of = context;
  struct call_place place;
  uint64_t guid;
  of->found->jumped += pair->jumped;
  if (pair->jumped)
    return NULL;
  double count = entries(&of->program->probes, of->rates, pair->callee, &guid);
  const char *name = probes_name(&of->program->probes, guid);
  if (!guid || !name)
    return NULL;
  of->found->pairs++;
  if (!targets_place(of->program, pair->call, pair->returns, &place)) {
    of->found->unknown++;
    return NULL;
  }
  count *= pair->share;
  struct sampled_line *line = targets_line(of->building, &place);
  struct sampled_target *target =
      line ? sampled_target(of->building->profile, line, name) : NULL;
  if (!target)
    return no_memory;
  target->weight += count;
  if (!place.probed)
    line->weight += count;
  return NULL;
}

static const char *take_all(struct sharing *of,
                            const char *(*take)(void *,
                                                const struct targets_pair *),
                            void *context) {
  struct seen *list = list_pairs(of);
  const char *error = list ? NULL : no_memory;
  for (size_t i = 0, next; i < of->pairs.count && !error; i = next) {
    next = i + 1;
    while (next < of->pairs.count && list[next].returns == list[i].returns)
      next++;
    mark_jumped(of, &list[i], next - i);
    for (size_t k = i; k < next && !error; k++) {
      const struct seen *seen = &list[k];
      const struct targets_pair pair = {
          seen->callee, seen->call, seen->returns,
          (double)seen->samples / (double)seen->of, seen->jumped};
      error = take(context, &pair);
    }
  }
  free(list);
  return error;
}

const char *targets_each(struct program *program, const struct samples *samples,
                         struct targets_found *found,
                         const char *(*take)(void *context,
                                             const struct targets_pair *pair),
                         void *context) {
  struct sharing of = {.program = program,
                       .found = found,
                       .pairs = {.limit = (size_t)1 << 26},
                       .callees = {.limit = (size_t)1 << 26}};
  *found = (struct targets_found){0};
  jumps_begin(&of.jumps, program);
  const char *error = gather(&of, samples);
  if (!error)
    error = take_all(&of, take, context);
  jumps_free(&of.jumps);
  map_free(&of.pairs);
  map_free(&of.callees);
  return error;
}

const char *targets_add(struct building *building, struct program *program,
                        const struct samples *samples,
                        const struct rates *rates,
                        struct targets_found *found) {
  struct adding of = {building, program, rates, found};
  return targets_each(program, samples, found, add, &of);
}

/* ==== From the address of a call to the call in the source. */

uint32_t targets_probe_of(uint32_t discriminator) {
  if ((discriminator & 7) != 7)
    return 0;
  return discriminator >> 3 & (discriminator & 1u << 28 ? 0x1FFF : 0xFFFF);
}

/* ---- the call ---- */

static bool place_of_probe(const struct probes *probes, uint64_t call,
                           struct call_place *place) {
  size_t i = probes_from(probes, call), depth = 1;
  while (i < probes->count && probes->list[i].address == call &&
         probes->list[i].type == PROBE_BLOCK)
    i++;
  if (i >= probes->count || probes->list[i].address != call)
    return false;
  const struct probe *probe = &probes->list[i];
  for (const struct probe_frame *at = probe->frame; at; at = at->parent)
    depth++;
  if (depth > DWARF_FRAMES)
    return false;
  place->depth = depth;
  place->probed = true;
  place->frames[--depth] = (struct call_frame){
      probes_function(probes, probe->guid), probe->index, probe->discriminator};
  for (const struct probe_frame *at = probe->frame; at; at = at->parent)
    place->frames[--depth] = (struct call_frame){
        probes_function(probes, at->guid), at->site, at->discriminator};
  return true;
}

/* The function that the code of a symbol is of, by its first probe. */
static const struct probe_function *outermost(const struct probes *probes,
                                              uint64_t call) {
  const struct probe_symbol *symbol = probes_symbol(probes, call);
  const struct probe *first = symbol ? probes_first(probes, symbol) : NULL;
  return first ? probes_function(probes, probe_outermost(first)) : NULL;
}

/* ---- a call by its line ---- */

/* How many probes at most are looked at to find an inlined function's name. */
enum { NEIGHBOURS = 8192 };

/* What a probe says of the function that the first frames of place call: its
 * GUID, if the probe came there by these calls; else 0. */
static uint64_t callee_by(const struct probe *probe,
                          const struct call_place *place, size_t depth) {
  size_t deeper = 0;
  uint64_t guid = probe->guid;
  for (const struct probe_frame *at = probe->frame; at; at = at->parent)
    deeper++;
  if (deeper < depth)
    return 0;
  for (const struct probe_frame *at = probe->frame; at; at = at->parent) {
    if (deeper-- > depth) {
      guid = at->guid;
      continue;
    }
    const struct call_frame *frame = &place->frames[deeper];
    if (at->guid != frame->function->guid || at->site != frame->probe)
      return 0;
  }
  return guid;
}

/* The function that was inlined where the first frames of place call it, as
 * the nearest of its probes has it: a site whose pointer was compared with
 * several functions has inlined all of these. NULL: none is there. */
static const struct probe_function *inlined_by(const struct probes *probes,
                                               uint64_t call,
                                               const struct call_place *place,
                                               size_t depth) {
  const struct probe_symbol *symbol = probes_symbol(probes, call);
  if (!symbol)
    return NULL;
  size_t first = probes_from(probes, symbol->address);
  size_t last = probes_from(probes, symbol->address + symbol->size);
  size_t above = probes_from(probes, call + 1), below = above;
  for (unsigned left = NEIGHBOURS; left && (below > first || above < last);
       left--) {
    bool down = below > first &&
                (above == last || call - probes->list[below - 1].address <=
                                      probes->list[above].address - call);
    const struct probe *probe = &probes->list[down ? --below : above++];
    uint64_t guid = callee_by(probe, place, depth);
    if (guid)
      return probes_function(probes, guid);
  }
  return NULL;
}

/* By the probes first: -g1 alone has no linkage name of what was inlined, and
 * the name in the source may be another function's. */
static const struct probe_function *inlinee(const struct probes *probes,
                                            uint64_t call,
                                            const struct call_place *place,
                                            size_t depth, const char *name) {
  const struct probe_function *found = inlined_by(probes, call, place, depth);
  return found ? found : probes_function(probes, md5_low64(name, strlen(name)));
}

static bool place_of_line(const struct program *program, uint64_t call,
                          uint64_t returns, struct call_place *place) {
  struct dwarf_frame frames[DWARF_FRAMES];
  size_t depth =
      program->lined
          ? dwarf_frames(&program->scopes, &program->lines, returns - 1, frames)
          : 0;
  if (!depth || frames[depth - 1].inlined)
    return false;
  for (size_t i = 0; i < depth; i++) {
    const struct dwarf_frame *from = &frames[depth - 1 - i];
    struct call_frame *frame = &place->frames[i];
    /* Of a function that nothing is inlined into, -g1 says no name. */
    frame->function = i ? inlinee(&program->probes, call, place, i, from->name)
                        : outermost(&program->probes, call);
    frame->probe = targets_probe_of(from->discriminator);
    frame->discriminator = 0;
    if (!frame->probe || !frame->function)
      return false;
  }
  place->depth = depth;
  place->probed = false;
  return true;
}

bool targets_place(const struct program *program, uint64_t call,
                   uint64_t returns, struct call_place *place) {
  if (!place_of_probe(&program->probes, call, place) &&
      !place_of_line(program, call, returns, place))
    return false;
  for (size_t i = 0; i < place->depth; i++)
    if (!place->frames[i].function)
      return false;
  return true;
}

struct sampled_line *targets_line(struct building *building,
                                  const struct call_place *place) {
  struct sampled_function *function = NULL;
  struct sampled_site site = {0, 0};
  for (size_t i = 0; i < place->depth; i++) {
    const struct call_frame *frame = &place->frames[i];
    /* A call without a number is nowhere in the caller's profile. */
    function =
        i && (site.line || site.discriminator)
            ? sampled_inlined(building->profile, function, site,
                              frame->function->name)
            : sampled_function(building->profile, NULL, frame->function->name);
    if (!function)
      return NULL;
    function->hash = frame->function->hash;
    function->hashed = true;
    site = (struct sampled_site){frame->probe, frame->discriminator};
  }
  return sampled_line(building->profile, function, site);
}
