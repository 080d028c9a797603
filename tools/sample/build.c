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

void build_free(struct building *building) { map_free(&building->frames); }

/* As deep as PROBE_DEPTH_MOST. */
struct sampled_function *build_function(struct building *building,
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
  if (!function || !found)
    return NULL;
  function->hash = described->hash;
  function->hashed = true;
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
      return no_memory;
    if (probe->index == 1)
      function->head += rates->probes[i];
  }
  return NULL;
}
