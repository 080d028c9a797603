/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Storage for the values of a hosted module, as large as the module needs.
 * compiler-rt has one node for a value, from pools of the objects and one of
 * its own. Here eight slots for each node keep the values of every site that
 * compiler-rt keeps: 24, or LLVM_VP_MAX_NUM_VALS_PER_SITE, up to 255. The same
 * limit applies to objects without pools (-vp-static-alloc=false). A program
 * that sets a number gets the most frequent values: four times as many are
 * watched.
 *
 * If objects have pools, the storage is made at the start, without the
 * program's allocator. If they have none, calloc gives the storage at the first
 * value, as programs with their own allocator expect.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "weak_hooks.h"
#include "shared.h"
#include "hosted.h"

enum { MOST = 24, MOST_MAX = 255, WATCHED = 4, SLOTS_FOR_NODE = 8 };

/* storage.c, or the program's own. */
BAREPROF_LINKS(bareprof_values);
BAREPROF_LINKS(bareprof_values_write);
BAREPROF_LINKS(bareprof_values_merge);

static uint32_t most = MOST; /* values of a site, in the profile */
static size_t nodes;         /* values of all sites, in compiler-rt */

/* Drops the least frequent values of a site. */
static void prune(bareprof_value_word owner, uint32_t site) {
  struct bareprof_value_slot *begin =
      bareprof_value_find_window_begin(&hook_hosted_storage, owner, site);
  for (;;) {
    uint32_t found = 0;
    struct bareprof_value_slot *least = NULL;
    for (uint32_t i = 0; i < hook_hosted_storage.ways; i++) {
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

static void prune_all(const struct bareprof_profile *profile) {
  const unsigned char *record = profile->image->records.begin;
  for (size_t i = 0; i < profile->record_count;
       i++, record += profile->layout->record_size)
    for (uint32_t site = sites_of(profile->layout, record); site--;)
      prune((uintptr_t)record | BAREPROF_VALUE_OWNED, site);
}

/* Slots do not run out as nodes do. However, a program with many values may
 * lose the rarest: one message says how to get more slots. */
static void warn_of_many(const struct bareprof_values *values) {
  static bool warned;
  size_t found = 0;
  for (uint32_t i = 0; i < values->count; i++)
    found += BAREPROF_LOAD(&values->slots[i].owner) & BAREPROF_VALUE_OWNED &&
             BAREPROF_LOAD(&values->slots[i].count);
  if (found <= nodes || warned || bareprof_hosted_has_no_nodes())
    return;
  warned = true;
  bareprof_hosted_report("Warning",
                         "Running out of static counters: the objects have "
                         "nodes for fewer values, and the rarest may be "
                         "missing; compile with -mllvm "
                         "-vp-counters-per-site=<n> to have more",
                         NULL);
}

void bareprof_hosted_write_values(struct bareprof_writer *writer) {
  const struct bareprof_values *values = writer->profile.image->values;
  bool ours = values && values == &hook_hosted_storage;
  bool pruned = ours && values->ways > most;
  if (pruned)
    writer->error = bareprof_values_freeze(values);
  if (writer->error)
    return;
  if (pruned)
    prune_all(&writer->profile);
  if (ours)
    warn_of_many(values);
  bareprof_values_write(writer);
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
static uint32_t choose_ways(size_t *room) {
  const char *said = getenv("LLVM_VP_MAX_NUM_VALS_PER_SITE");
  bool own = said && *said;
  uint32_t number = own ? (uint32_t)atoi(said) : MOST;
  if (bareprof_hosted_has_no_nodes()) {
    size_t sites = count_sites();
    *room += 2 * sites;
    if (!own && sites) {
      number = MOST_MAX;
      own = true;
    }
  }
  most = number < 1 ? 1 : number > MOST_MAX ? MOST_MAX : number;
  return own ? WATCHED * most : most;
}

/* The size is written before the image tells of the storage. */
static void have_slots(struct bareprof_value_slot *slots, size_t count,
                       uint32_t ways) {
  hook_hosted_storage.slots = slots;
  hook_hosted_storage.ways = ways;
  hook_hosted_storage.homes = count - ways + 1;
  hook_hosted_storage.count = (uint32_t)count;
}

/* EARLY: the constructor has not run. NONE: values are dropped. */
enum { EARLY, ASKED_FOR, MAKING, MADE, NONE };
static int state = EARLY;

static size_t wanted; /* slots */
static uint32_t wanted_ways;

/* Of threads that come at once, the others drop their values; so does a hook
 * in what calloc calls. */
bool bareprof_hosted_make_values(void) {
  int expected = ASKED_FOR;
  if (!__atomic_compare_exchange_n(&state, &expected, MAKING, false,
                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return expected == MADE;
  struct bareprof_value_slot *slots = calloc(wanted, sizeof *slots);
  if (slots) {
    have_slots(slots, wanted, wanted_ways);
    BAREPROF_STORE_RELEASE(&bareprof_hosted_image.values, &hook_hosted_storage);
  }
  BAREPROF_STORE_RELEASE(&state, slots ? MADE : NONE);
  return slots != NULL;
}

/* Before any other constructor of the module, as those count, and behind the
 * one of identity.c. */
static void init(void) {
  state = MADE;
  if (!&hook_hosted_storage)
    return;
  nodes = bareprof_hosted_nodes();
  size_t room = nodes;
  wanted_ways = choose_ways(&room);
  wanted = room * SLOTS_FOR_NODE;
  if (wanted > UINT32_MAX)
    wanted = UINT32_MAX;
  if (bareprof_hosted_has_no_nodes()) {
    bareprof_hosted_image.values = NULL;
    state = ASKED_FOR;
    return;
  }
  struct bareprof_value_slot *slots =
      mmap(NULL, wanted * sizeof *slots, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (slots != MAP_FAILED)
    have_slots(slots, wanted, wanted_ways);
}

static void (*const first)(void)
    __attribute__((section(".init_array.00001"), used)) = init;
