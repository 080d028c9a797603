/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Probes to lines of a profile: several of one number and one way in are
 * copies that the compiler made, and add up. Addresses of calls to calls of the
 * source, and these to the names of contexts.
 */
#include "build.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/map.h"
#include "../object/digest.h"
#include "branches/flow.h"

void build_begin(struct building *building, struct sampled *profile,
                 const struct probes *probes) {
  *building = (struct building){.profile = profile,
                                .probes = probes,
                                .frames = {.limit = (size_t)1 << 26}};
}

void build_free(struct building *building) { map_free(&building->frames); }

static struct sampled_function *described_as(struct sampled_function *function,
                                             const struct probe_function *is) {
  if (function) {
    function->hash = is->hash;
    function->hashed = true;
  }
  return function;
}

/* The function of that GUID as it was inlined by that way; NULL: no memory, or
 * nobody knows its name. As deep as PROBE_DEPTH_MOST. */
static struct sampled_function *build_function(struct building *building,
                                               const struct probe_frame *frame,
                                               uint64_t guid) {
  const uint64_t *known =
      map_find(&building->frames, (uint64_t)(uintptr_t)frame, guid, 0);
  if (known)
    return (struct sampled_function *)(uintptr_t)*known;
  const struct probe_function *described =
      probes_described(building->probes, guid);
  struct sampled_function *function = NULL, *into;
  if (!described)
    return NULL;
  /* A call without a number is nowhere in the caller's profile. */
  if (!frame || (!frame->site && !frame->discriminator))
    function = sampled_function(building->profile, NULL, described->name);
  else if ((into = build_function(building, frame->parent, frame->guid)))
    function = sampled_inlined(
        building->profile, into,
        (struct sampled_site){frame->site, frame->discriminator},
        described->name);
  uint64_t *found =
      map_at(&building->frames, (uint64_t)(uintptr_t)frame, guid, 0);
  if (!found || !described_as(function, described))
    return NULL;
  *found = (uint64_t)(uintptr_t)function;
  return function;
}

/* Whether its function and all its callers have names and checksums. */
static bool is_described(const struct probes *probes,
                         const struct probe *probe) {
  for (const struct probe_frame *at = probe->frame; at; at = at->parent)
    if (!probes_described(probes, at->guid))
      return false;
  return probes_described(probes, probe->guid);
}

const char *build_probes(struct building *building, const struct rates *rates) {
  for (size_t i = 0; i < building->probes->count; i++) {
    const struct probe *probe = &building->probes->list[i];
    if (rates->probes[i] < 0 || probe->flags & PROBE_DANGLING)
      continue;
    struct sampled_function *function =
        build_function(building, probe->frame, probe->guid);
    if (!function && !is_described(building->probes, probe)) {
      building->unnamed++;
      continue;
    }
    building->doubted += (probe->flags & PROBE_TWINS) != 0;
    const struct sampled_site site = {probe->index, probe->discriminator};
    if (!function ||
        !sampled_add(building->profile, function, site, rates->probes[i]))
      return out_of_memory;
    if (probe->index == 1)
      function->head += rates->probes[i];
  }
  return NULL;
}

/* ==== From the address of a call to the call in the source. */

/* The number of a probe in a discriminator; 0: it is another one. */
static uint32_t probe_of(uint32_t discriminator) {
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
static const struct probe_function *
outermost_function(const struct probes *probes, uint64_t call) {
  const struct probe_symbol *symbol = probes_symbol(probes, call);
  const struct probe *first = symbol ? probes_first(probes, symbol) : NULL;
  return first ? probes_function(probes, probe_outermost(first)) : NULL;
}

/* ---- a call by its line ---- */

/* How many probes at most are looked at to find an inlined function's name. */
enum { NEIGHBOURS = 8192 };

/* Returns the GUID of the function that the first frames of place call, if the
 * probe came there by these calls; otherwise 0. */
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

/* Returns the function inlined at the call of place's first frames, by the
 * nearest of its probes. If a call's pointer was compared with several
 * functions, all of them are inlined at the site. NULL: there is none. */
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
    /* -g1 has no name for a function without inlined calls. */
    frame->function = i ? inlinee(&program->probes, call, place, i, from->name)
                        : outermost_function(&program->probes, call);
    frame->probe = probe_of(from->discriminator);
    frame->discriminator = 0;
    if (!frame->probe || !frame->function)
      return false;
  }
  place->depth = depth;
  place->probed = false;
  return true;
}

bool call_place_find(const struct program *program, uint64_t call,
                     uint64_t returns, struct call_place *place) {
  if (!place_of_probe(&program->probes, call, place) &&
      !place_of_line(program, call, returns, place))
    return false;
  for (size_t i = 0; i < place->depth; i++)
    if (!place->frames[i].function)
      return false;
  return true;
}

struct sampled_line *call_line(struct building *building,
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
    if (!described_as(function, frame->function))
      return NULL;
    site = (struct sampled_site){frame->probe, frame->discriminator};
  }
  return sampled_line(building->profile, function, site);
}

const char *call_target(struct building *building, struct sampled_line *line,
                        const char *name, double count, bool counted) {
  struct sampled_target *target =
      line ? sampled_target(building->profile, line, name) : NULL;
  if (!target)
    return out_of_memory;
  target->weight += count;
  if (!counted)
    line->weight += count;
  return NULL;
}

/* ==== Ways: calls of the source to the name of a context. */

void way_compress(struct call_path *way) {
  way->depth = flow_compress(way->frames, sizeof *way->frames, way->depth);
}

void way_push(struct call_path *way, const struct call_frame *frame) {
  if (!frame->probe) {
    way->depth = 0;
    return;
  }
  if (way->depth == WAY_MOST)
    way_compress(way);
  if (way->depth == WAY_MOST) {
    way->depth = WAY_MOST / 2;
    memmove(way->frames, way->frames + WAY_MOST / 2,
            way->depth * sizeof *way->frames);
  }
  way->frames[way->depth++] = *frame;
}

void way_push_all(struct call_path *way, const struct call_place *place) {
  for (size_t i = 0; i < place->depth; i++)
    way_push(way, &place->frames[i]);
}

/* Adds what the code of a probe was inlined into. false: a function has no
 * descriptor. As deep as PROBE_DEPTH_MOST. */
static bool way_inline(struct call_path *way, const struct probes *probes,
                       const struct probe_frame *frame) {
  if (!frame)
    return true;
  const struct probe_function *function = probes_described(probes, frame->guid);
  if (!function || !way_inline(way, probes, frame->parent))
    return false;
  way_push(way,
           &(struct call_frame){function, frame->site, frame->discriminator});
  return true;
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

enum { CONTEXT_ROOM = 1 << 18 };

struct sampled_function *way_function(struct building *building,
                                      const struct call_path *way, size_t depth,
                                      const struct probe_function *is) {
  char *room = malloc(CONTEXT_ROOM);
  if (!room)
    return NULL;
  put_way(room, CONTEXT_ROOM, way->frames, depth);
  struct sampled_function *function =
      sampled_function(building->profile, room, is->name);
  free(room);
  return described_as(function, is);
}

const char *way_call(struct building *building, const struct call_path *way,
                     const char *name, double count, bool counted) {
  if (!way->depth)
    return NULL;
  const struct call_frame *last = &way->frames[way->depth - 1];
  struct sampled_function *caller =
      way_function(building, way, way->depth - 1, last->function);
  struct sampled_line *line =
      caller ? sampled_line(
                   building->profile, caller,
                   (struct sampled_site){last->probe, last->discriminator})
             : NULL;
  return call_target(building, line, name, count, counted);
}

/* ---- probes by ways ---- */

struct sampled_function *way_counted(const struct building *building,
                                     uint64_t number,
                                     const struct probe *probe) {
  const uint64_t *known =
      map_find(&building->frames, (uint64_t)(uintptr_t)probe->frame,
               probe->guid, number);
  return known ? (struct sampled_function *)(uintptr_t)*known : NULL;
}

/* As way_counted, made if there was none; *way is the way to it then. */
static struct sampled_function *make_counted(struct building *building,
                                             struct call_path *way,
                                             uint64_t number,
                                             const struct probe *probe) {
  struct sampled_function *function =
      way_function(building, way, way->depth,
                   probes_function(building->probes, probe->guid));
  uint64_t *known = map_at(&building->frames, (uint64_t)(uintptr_t)probe->frame,
                           probe->guid, number);
  if (!function || !known)
    return NULL;
  if (probe->frame)
    function->attributes |= 1; /* was inlined */
  *known = (uint64_t)(uintptr_t)function;
  return function;
}

const char *way_count(struct building *building, const struct call_path *base,
                      uint64_t number, const struct probe *probe,
                      double count) {
  struct sampled_function *function = way_counted(building, number, probe);
  bool is_entry = probe->index == 1 && probe->frame && count > 0;
  struct call_path way;
  if (!function || is_entry) {
    way = *base;
    if (!probes_function(building->probes, probe->guid) ||
        !way_inline(&way, building->probes, probe->frame)) {
      building->unnamed++;
      return NULL;
    }
    way_compress(&way);
  }
  if (!function)
    function = make_counted(building, &way, number, probe);
  struct sampled_line *line =
      function ? sampled_line(
                     building->profile, function,
                     (struct sampled_site){probe->index, probe->discriminator})
               : NULL;
  if (!line)
    return out_of_memory;
  line->weight += count;
  if (probe->index == 1)
    function->head += count;
  /* A call that is no instruction: it counts as often as what it reaches. */
  return is_entry ? way_call(building, &way, function->name, count, false)
                  : NULL;
}
