/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From return addresses to targets of calls.
 */
#include "targets.h"

#include <string.h>

#include "../base/md5.h"
#include "stack.h"

static const char no_memory[] = "not enough memory; free some";

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
  size_t first = symbol ? probes_from(probes, symbol->address) : probes->count;
  if (first == probes->count ||
      probes->list[first].address - symbol->address >= symbol->size)
    return NULL;
  uint64_t guid = probes->list[first].guid;
  for (const struct probe_frame *frame = probes->list[first].frame; frame;
       frame = frame->parent)
    guid = frame->guid;
  return probes_function(probes, guid);
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
    /* Of a function that nothing is inlined into, -g1 says no name. */
    place->frames[i].function =
        i ? probes_function(&program->probes,
                            md5_low64(from->name, strlen(from->name)))
          : outermost(&program->probes, call);
    place->frames[i].probe = targets_probe_of(from->discriminator);
    place->frames[i].discriminator = 0;
    if (!place->frames[i].probe)
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

/* The line of the profile that a call has. NULL: no memory. */
static struct sampled_line *line_of(struct building *building,
                                    const struct call_place *place) {
  struct sampled_function *function = NULL;
  struct sampled_site site = {0, 0};
  for (size_t i = 0; i < place->depth; i++) {
    const struct call_frame *frame = &place->frames[i];
    function =
        i ? sampled_inlined(building->profile, function, site,
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

/* ---- the callee ---- */

struct sharing {
  struct program *program;
  struct targets_found *found;
  struct sample_map pairs;   /* symbol, return address: samples */
  struct sample_map callees; /* symbol: samples of those that count */
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
    if (!code_call_before(&of->program->code, stack.frames[1], &call,
                          &address) ||
        (call.direct && call.target != symbol->address)) {
      of->found->refused++;
      continue;
    }
    size_t number = (size_t)(symbol - of->program->probes.symbols);
    uint64_t *pair =
        sample_map_at(&of->pairs, number, stack.frames[1], address);
    uint64_t *callee = sample_map_at(&of->callees, number, 0, 0);
    if (!pair || !callee)
      return no_memory;
    *pair += samples->list[i].count;
    *callee += samples->list[i].count;
  }
  return NULL;
}

static const char *add(void *context, const struct targets_pair *pair) {
  const struct adding *of = context;
  struct call_place place;
  uint64_t guid;
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
  struct sampled_line *line = line_of(of->building, &place);
  struct sampled_target *target =
      line ? sampled_target(of->building->profile, line, name) : NULL;
  if (!target)
    return no_memory;
  target->weight += count;
  if (!place.probed)
    line->weight += count;
  return NULL;
}

const char *targets_each(struct program *program, const struct samples *samples,
                         struct targets_found *found,
                         const char *(*take)(void *context,
                                             const struct targets_pair *pair),
                         void *context) {
  struct sharing of = {
      program, found, {.limit = (size_t)1 << 26}, {.limit = (size_t)1 << 26}};
  *found = (struct targets_found){0};
  const char *error = gather(&of, samples);
  for (size_t i = 0; i < of.pairs.places && !error; i++) {
    const struct sample_entry *entry = &of.pairs.entries[i];
    const uint64_t *all =
        entry->used ? sample_map_find(&of.callees, entry->key[0], 0, 0) : NULL;
    if (!all)
      continue;
    const struct targets_pair pair = {&program->probes.symbols[entry->key[0]],
                                      entry->key[2], entry->key[1],
                                      (double)entry->value / (double)*all};
    error = take(context, &pair);
  }
  sample_map_free(&of.pairs);
  sample_map_free(&of.callees);
  return error;
}

const char *targets_add(struct building *building, struct program *program,
                        const struct samples *samples,
                        const struct rates *rates,
                        struct targets_found *found) {
  struct adding of = {building, program, rates, found};
  return targets_each(program, samples, found, add, &of);
}
