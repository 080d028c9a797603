/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Frames to the name of a context.
 */
#include "way.h"

#include <stdlib.h>
#include <string.h>

#include "flow.h"

static bool same_frame(const void *list, size_t left, size_t right) {
  const struct call_frame *frames = list;
  const struct call_frame *a = &frames[left], *b = &frames[right];
  return a->function == b->function && a->probe == b->probe &&
         a->discriminator == b->discriminator;
}

static void move_frame(void *list, size_t to, size_t from) {
  struct call_frame *frames = list;
  frames[to] = frames[from];
}

void way_compress(struct way *way) {
  const struct flow_list list = {way->frames, same_frame, move_frame};
  way->depth = flow_compress(&list, way->depth);
}

void way_push(struct way *way, const struct call_frame *frame) {
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

/* As deep as PROBE_DEPTH_MOST. */
bool way_inline(struct way *way, const struct probes *probes,
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
                                      const struct way *way, size_t depth,
                                      const struct probe_function *is) {
  char *room = malloc(CONTEXT_ROOM);
  if (!room)
    return NULL;
  put_way(room, CONTEXT_ROOM, way->frames, depth);
  struct sampled_function *function =
      sampled_function(building->profile, room, is->name);
  free(room);
  if (function) {
    function->hash = is->hash;
    function->hashed = true;
  }
  return function;
}

const char *way_call(struct building *building, const struct way *way,
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
  struct sampled_target *target =
      line ? sampled_target(building->profile, line, name) : NULL;
  if (!target)
    return "not enough memory; free some";
  target->weight += count;
  if (!counted)
    line->weight += count;
  return NULL;
}
