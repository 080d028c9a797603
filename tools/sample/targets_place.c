/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From the address of a call to the call in the source.
 */
#include <string.h>

#include "../object/md5.h"
#include "targets.h"

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
