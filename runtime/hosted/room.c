/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The values of a hosted module: storage for them, made at the start, as large
 * as the module needs. compiler-rt has one node for a value, from pools of the
 * objects and one of its own; eight slots for each of these leave every site
 * the values that it has there: 24, or what LLVM_VP_MAX_NUM_VALS_PER_SITE
 * says, up to 255, which is also for objects that have no pools
 * (-vp-static-alloc=false). Who asks for a number gets the most frequent ones:
 * four times as many are watched.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "../seams.h"
#include "hosted.h"

enum { MOST = 24, MOST_MAX = 255, WATCHED = 4, SLOTS_FOR_NODE = 8 };

/* storage.c, or the program's own. */
BAREPROF_LINKS(bareprof_values);
BAREPROF_LINKS(bareprof_values_write);
BAREPROF_LINKS(bareprof_values_merge);

static uint32_t most = MOST; /* values of a site, in the profile */

/* Drops the least frequent values of a site. */
static void prune(bareprof_value_word owner, uint32_t site) {
  struct bareprof_value_slot *begin =
      bareprof_value_home(&seam_hosted_storage, owner, site);
  for (;;) {
    uint32_t found = 0;
    struct bareprof_value_slot *least = NULL;
    for (uint32_t i = 0; i < seam_hosted_storage.ways; i++) {
      struct bareprof_value_slot *slot = begin + i;
      if (slot->owner != (owner | BAREPROF_VALUE_FROZEN) || slot->site != site)
        continue;
      found++;
      if (!least || slot->count < least->count)
        least = slot;
    }
    if (found <= most)
      return;
    least->owner = BAREPROF_VALUE_FROZEN;
  }
}

static uint32_t sites_of(const struct bareprof_layout *layout,
                         const unsigned char *record) {
  uint32_t sites = 0;
  for (unsigned kind = 0; kind < layout->kinds; kind++)
    sites += bareprof_load16(&bareprof_hosted_image,
                             record + layout->counts_at + 4 + 2 * kind);
  return sites;
}

static void prune_all(const struct bareprof_dump *dump) {
  const unsigned char *record = dump->image->records.begin;
  for (size_t i = 0; i < dump->record_count;
       i++, record += dump->layout->record_size)
    for (uint32_t site = sites_of(dump->layout, record); site--;)
      prune((uintptr_t)record | BAREPROF_VALUE_OWNED, site);
}

void bareprof_hosted_write_values(struct bareprof_dump *dump) {
  const struct bareprof_values *values = dump->image->values;
  bool pruned = values && values == &seam_hosted_storage && values->ways > most;
  if (pruned)
    dump->error = bareprof_values_freeze(values);
  if (dump->error)
    return;
  if (pruned)
    prune_all(dump);
  bareprof_values_write(dump);
  if (pruned)
    bareprof_values_thaw(values);
}

/* All value sites of the module. */
static size_t count_sites(void) {
  const struct bareprof_span *records = &bareprof_hosted_image.records;
  const struct bareprof_layout *layout =
      bareprof_layout_find(&bareprof_hosted_image);
  size_t sites = 0;
  const unsigned char *at = records->begin;
  for (; layout && (size_t)(records->end - at) >= layout->record_size;
       at += layout->record_size)
    sites += sites_of(layout, at);
  return sites;
}

/* How many values a site may have, and how many slots a window has. */
static uint32_t choose_ways(size_t *nodes) {
  const char *said = getenv("LLVM_VP_MAX_NUM_VALS_PER_SITE");
  bool own = said && *said;
  int number = own ? atoi(said) : MOST;
  if (bareprof_hosted_has_no_nodes()) {
    size_t sites = count_sites();
    *nodes += 2 * sites;
    if (!own && sites) {
      number = MOST_MAX;
      own = true;
    }
  }
  most = number < 1 ? 1 : number > MOST_MAX ? MOST_MAX : (uint32_t)number;
  return own ? WATCHED * most : most;
}

/* Before any other constructor of the module, as those count, and behind the
 * one of identity.c. */
static void init(void) {
  if (!&seam_hosted_storage)
    return;
  size_t nodes = bareprof_hosted_nodes();
  uint32_t ways = choose_ways(&nodes);
  size_t count = nodes * SLOTS_FOR_NODE;
  if (count > UINT32_MAX)
    count = UINT32_MAX;
  struct bareprof_value_slot *slots =
      mmap(NULL, count * sizeof *slots, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (slots == MAP_FAILED)
    return;
  seam_hosted_storage.slots = slots;
  seam_hosted_storage.ways = ways;
  seam_hosted_storage.homes = count - ways + 1;
  seam_hosted_storage.count = (uint32_t)count;
}

static void (*const first)(void)
    __attribute__((section(".init_array.00001"), used)) = init;
