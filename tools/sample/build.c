/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Probes to lines of a profile: several of one number and one way in are
 * copies that the compiler made, and add up.
 */
#include "build.h"

static const char no_memory[] = "not enough memory; free some";

void build_begin(struct building *building, struct sampled *profile,
                 const struct probes *probes) {
  *building = (struct building){.profile = profile,
                                .probes = probes,
                                .frames = {.limit = (size_t)1 << 26}};
}

void build_free(struct building *building) {
  sample_map_free(&building->frames);
}

/* As deep as PROBE_DEPTH_MOST. */
struct sampled_function *build_function(struct building *building,
                                        const struct probe_frame *frame,
                                        uint64_t guid) {
  const uint64_t *known =
      sample_map_find(&building->frames, (uint64_t)(uintptr_t)frame, guid, 0);
  if (known)
    return (struct sampled_function *)(uintptr_t)*known;
  const char *name = probes_name(building->probes, guid);
  const struct probe_function *described =
      probes_function(building->probes, guid);
  struct sampled_function *function = NULL, *into;
  if (!name || !described)
    return NULL;
  if (!frame)
    function = sampled_function(building->profile, NULL, name);
  else if ((into = build_function(building, frame->parent, frame->guid)))
    function = sampled_inlined(
        building->profile, into,
        (struct sampled_site){frame->site, frame->discriminator}, name);
  uint64_t *found =
      sample_map_at(&building->frames, (uint64_t)(uintptr_t)frame, guid, 0);
  if (!function || !found)
    return NULL;
  function->hash = described->hash;
  function->hashed = true;
  *found = (uint64_t)(uintptr_t)function;
  return function;
}

const char *build_probes(struct building *building, const struct rates *rates) {
  sample_map_reserve(&building->profile->places, rates->probe_count);
  for (size_t i = 0; i < building->probes->count; i++) {
    const struct probe *probe = &building->probes->list[i];
    if (rates->probes[i] < 0 || probe->flags & PROBE_DANGLING)
      continue;
    struct sampled_function *function =
        build_function(building, probe->frame, probe->guid);
    if (!function && !probes_function(building->probes, probe->guid)) {
      building->unnamed++;
      continue;
    }
    building->doubted += (probe->flags & PROBE_TWINS) != 0;
    struct sampled_line *line =
        function ? sampled_line(building->profile, function,
                                (struct sampled_site){probe->index,
                                                      probe->discriminator})
                 : NULL;
    if (!line)
      return no_memory;
    line->weight += rates->probes[i];
    if (probe->index == 1 && !probe->frame)
      function->head += rates->probes[i];
  }
  return NULL;
}
