/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which function a symbol is of, the jumps between functions, and the search.
 */
#include "listed.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/map.h"
#include "../base/compare.h"
#include "../base/error.h"
#include "../object/digest.h"

/* A search goes through so many functions at most, and finds nothing then. */
enum { REACHED_MOST = 256 };
enum { VENEER_MOST = 32 }; /* bytes */

struct jump_part {
  uint32_t function, symbol;
};

struct jump_node {
  size_t first, count; /* of its hops in jumps.hops */
  bool known, whole;
};

void jumps_begin(struct jumps *jumps, struct listing *listing) {
  *jumps = (struct jumps){.listing = listing,
                          .list = {.limit = (size_t)1 << 30},
                          .hops = {.limit = (size_t)1 << 30},
                          .ways = {.limit = (size_t)1 << 28},
                          .known = {.limit = (size_t)1 << 24},
                          .left = UINT64_C(1) << 28};
}

void jumps_free(struct jumps *jumps) {
  free(jumps->functions);
  free(jumps->parts);
  free(jumps->nodes);
  free(jumps->reached);
  buffer_free(&jumps->list);
  buffer_free(&jumps->hops);
  buffer_free(&jumps->ways);
  map_free(&jumps->known);
}

/* ==== Which function a symbol is of. */

/* What a veneer's name says of where it leads: lld has __KINDThunk_NAME, GNU ld
 * __NAME_veneer, and __NAME_from_arm or __NAME_from_thumb. */
static struct bytes veneer_target(const struct probe_symbol *symbol) {
  static const char *const ends[] = {"_veneer", "_from_arm", "_from_thumb"};
  const char *name = symbol->name, *thunk = strstr(name, "Thunk_");
  const struct bytes none = {NULL, 0};
  if (strncmp(name, "__", 2) != 0 || symbol->size > VENEER_MOST)
    return none;
  if (thunk)
    return (struct bytes){(const void *)(thunk + 6), strlen(thunk + 6)};
  size_t size = strlen(name += 2);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t end = strlen(ends[i]);
    if (size > end && strcmp(name + size - end, ends[i]) == 0)
      return (struct bytes){(const void *)name, size - end};
  }
  return none;
}

/* A name that several symbols have says nothing. */
static uint32_t find_function(const struct probes *probes, uint32_t number) {
  const struct probe_symbol *symbol = &probes->symbols[number];
  const char *cold = strstr(symbol->name, ".cold");
  struct bytes name = veneer_target(symbol);
  if (cold && !probes_function(probes, symbol->guid))
    name = (struct bytes){(const void *)symbol->name,
                          (size_t)(cold - symbol->name)};
  const struct probe_symbol *function =
      name.size ? probes_only(probes, md5_low64(name.data, name.size)) : NULL;
  return function ? (uint32_t)(function - probes->symbols) : number;
}

ORDER_BY(parts_by_function, struct jump_part, x->function, x->symbol);

/* false: no memory. */
static bool find_functions(struct jumps *jumps) {
  struct listing *listing = jumps->listing;
  const struct probes *probes = listing->probes;
  size_t count = probes->symbol_count;
  if (jumps->functions || listing->error)
    return !listing->error;
  jumps->functions = calloc(count + 1, sizeof *jumps->functions);
  jumps->parts = calloc(count + 1, sizeof *jumps->parts);
  jumps->nodes = calloc(count + 1, sizeof *jumps->nodes);
  jumps->reached = calloc(count + 1, sizeof *jumps->reached);
  if (!jumps->functions || !jumps->parts || !jumps->nodes || !jumps->reached) {
    listing->error = out_of_memory;
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    jumps->functions[i] = find_function(probes, i);
    jumps->parts[i] = (struct jump_part){jumps->functions[i], i};
  }
  sort(jumps->parts, count, sizeof *jumps->parts, parts_by_function);
  return true;
}

const struct probe_symbol *jumps_function(struct jumps *jumps,
                                          const struct probe_symbol *symbol) {
  const struct probes *probes = jumps->listing->probes;
  return find_functions(jumps)
             ? &probes->symbols[jumps->functions[symbol - probes->symbols]]
             : NULL;
}

/* ==== The jumps of a function. */

const struct jump *jumps_at(const struct jumps *jumps, size_t number) {
  return (const struct jump *)(const void *)jumps->list.data + number;
}

ORDER_BY(jumps_by_function, struct jump, x->to, x->place);

/* Of one of its parts. */
static const char *add_jumps(struct jumps *jumps, uint32_t function,
                             uint32_t part, bool *whole) {
  const struct probes *probes = jumps->listing->probes;
  const struct listed_function *listed;
  const char *error = NULL;
  if (!listing_of(jumps->listing, &probes->symbols[part], &listed))
    return out_of_memory;
  *whole = *whole && listed->whole;
  for (size_t i = 0; i < listed->jump_count && !error; i++) {
    const struct listed_exit *exit =
        listing_exit(jumps->listing, listed->jumps + i);
    const struct probe_symbol *symbol = probes_symbol(probes, exit->to);
    const struct jump jump = {
        symbol ? jumps->functions[symbol - probes->symbols] : function,
        exit->place, exit->behind};
    if (jump.to != function)
      error = buffer_append(&jumps->list, &jump, sizeof jump);
  }
  return error;
}

static const struct jump_hop *hop_at(const struct jumps *jumps, size_t number) {
  return (const struct jump_hop *)(const void *)jumps->hops.data + number;
}

/* Jumps of one function to one place become a hop; from `first` on. */
static const char *add_hops(struct jumps *jumps, uint32_t function,
                            size_t first) {
  size_t last = jumps->list.size / sizeof(struct jump);
  const char *error = NULL;
  for (size_t i = first, next; i < last && !error; i = next) {
    for (next = i + 1;
         next < last && jumps_at(jumps, next)->to == jumps_at(jumps, i)->to;)
      next++;
    const struct jump_hop hop = {&jumps->listing->probes->symbols[function], i,
                                 next - i, jumps_at(jumps, i)->to};
    error = buffer_append(&jumps->hops, &hop, sizeof hop);
  }
  return error;
}

/* NULL: no memory. */
static const struct jump_node *node_of(struct jumps *jumps, uint32_t function) {
  struct jump_node *node = &jumps->nodes[function];
  const size_t count = jumps->listing->probes->symbol_count;
  const size_t first = jumps->list.size / sizeof(struct jump);
  const char *error = NULL;
  if (node->known)
    return node;
  node->first = jumps->hops.size / sizeof(struct jump_hop);
  node->whole = true;
  for (size_t i = search_from(jumps->parts, count, function, function);
       i < count && jumps->parts[i].function == function && !error; i++)
    error = add_jumps(jumps, function, jumps->parts[i].symbol, &node->whole);
  sort((struct jump *)(void *)jumps->list.data + first,
       jumps->list.size / sizeof(struct jump) - first, sizeof(struct jump),
       jumps_by_function);
  if (!error)
    error = add_hops(jumps, function, first);
  node->count = jumps->hops.size / sizeof(struct jump_hop) - node->first;
  node->known = true;
  if (error)
    jumps->listing->error = error;
  return error ? NULL : node;
}

/* ==== The search. */

/* Functions that jumps lead to from the first. jumps->reached has the index of
 * each, plus 1. */
struct jumps_reached {
  size_t count;
  bool whole; /* no other function can be reached */
  uint32_t list[REACHED_MOST];
  bool leads[REACHED_MOST]; /* jumps lead from there to the wanted one */
};

static void reach(struct jumps *jumps, struct jumps_reached *reached,
                  uint32_t to) {
  if (jumps->reached[to])
    return;
  if (reached->count == REACHED_MOST) {
    reached->whole = false;
    return;
  }
  reached->list[reached->count++] = to;
  jumps->reached[to] = (uint32_t)reached->count;
}

/* Whether hop number i, of all that may still be looked at, is of the node. */
static bool in_hops(struct jumps *jumps, const struct jump_node *node,
                    size_t i) {
  if (i >= node->first + node->count || !jumps->left)
    return false;
  jumps->left--;
  return true;
}

static void reach_all(struct jumps *jumps, struct jumps_reached *reached,
                      uint32_t from) {
  *reached = (struct jumps_reached){.whole = true};
  reach(jumps, reached, from);
  for (size_t at = 0; at < reached->count && reached->whole; at++) {
    const struct jump_node *node = node_of(jumps, reached->list[at]);
    for (size_t i = node ? node->first : 0; node && in_hops(jumps, node, i);
         i++)
      reach(jumps, reached, hop_at(jumps, i)->to);
    reached->whole = reached->whole && node && node->whole;
  }
}

static bool leads_on(const struct jumps *jumps,
                     const struct jumps_reached *reached, size_t hop) {
  return reached->leads[jumps->reached[hop_at(jumps, hop)->to] - 1];
}

/* Finds out from where jumps lead to that one. */
static void mark_leading(struct jumps *jumps, struct jumps_reached *reached,
                         size_t wanted) {
  bool changes = true;
  reached->leads[wanted] = true;
  while (changes) {
    changes = false;
    for (size_t i = reached->count; i-- > 0;) {
      const struct jump_node *node = &jumps->nodes[reached->list[i]];
      for (size_t k = node->first;
           !reached->leads[i] && in_hops(jumps, node, k); k++)
        if (leads_on(jumps, reached, k))
          changes = reached->leads[i] = true;
    }
  }
}

/* The jumps of a function to what leads on; only if that is one function. */
static enum jump_ways find_hop(struct jumps *jumps,
                               const struct jumps_reached *reached, size_t at,
                               struct jump_hop *hop) {
  const struct jump_node *node = &jumps->nodes[reached->list[at]];
  enum jump_ways ways = JUMPS_NONE;
  for (size_t i = node->first; in_hops(jumps, node, i); i++) {
    if (!leads_on(jumps, reached, i))
      continue;
    if (ways)
      return JUMPS_SEVERAL;
    ways = JUMPS_ONE;
    *hop = *hop_at(jumps, i);
  }
  return ways;
}

/* Appends the way from the first of those reached to jumps->ways if it is the
 * only one. From the wanted function nothing may lead back to it. */
static enum jump_ways find_reached(struct jumps *jumps,
                                   struct jumps_reached *reached,
                                   size_t wanted) {
  struct jump_hop hops[JUMPS_MOST], back;
  size_t count = 0;
  mark_leading(jumps, reached, wanted);
  if (find_hop(jumps, reached, wanted, &back) != JUMPS_NONE)
    return JUMPS_SEVERAL;
  for (size_t at = 0; at != wanted; count++) {
    if (count == JUMPS_MOST ||
        find_hop(jumps, reached, at, &hops[count]) != JUMPS_ONE)
      return JUMPS_SEVERAL;
    at = jumps->reached[hops[count].to] - 1;
  }
  if (!jumps->left)
    return JUMPS_SEVERAL;
  const char *error = buffer_append(&jumps->ways, hops, count * sizeof *hops);
  if (error)
    jumps->listing->error = error;
  return error ? JUMPS_NONE : JUMPS_ONE;
}

static enum jump_ways find_way(struct jumps *jumps, uint32_t from,
                               uint32_t to) {
  struct jumps_reached reached;
  enum jump_ways ways = JUMPS_NONE;
  reach_all(jumps, &reached, from);
  if (jumps->reached[to])
    ways = !reached.whole || !jumps->left
               ? JUMPS_SEVERAL
               : find_reached(jumps, &reached, jumps->reached[to] - 1);
  for (size_t i = 0; i < reached.count; i++)
    jumps->reached[reached.list[i]] = 0;
  return ways;
}

/* A way as jumps->known has it: the number of its first hop, of its hops, and
 * how many ways there are. */
static struct jump_way known_way(const struct jumps *jumps, uint64_t known) {
  return (struct jump_way){
      (enum jump_ways)(known & 3), (size_t)(known >> 2 & 0x7F),
      (const struct jump_hop *)(const void *)jumps->ways.data + (known >> 9)};
}

struct jump_way jumps_lead(struct jumps *jumps, uint64_t called, uint64_t to) {
  const struct probes *probes = jumps->listing->probes;
  const struct probe_symbol *first = probes_symbol(probes, called);
  const struct probe_symbol *last = probes_symbol(probes, to);
  const struct jump_way none = {JUMPS_NONE, 0, NULL};
  if (!first || first->address != called || !last || !find_functions(jumps))
    return none;
  uint32_t from = jumps->functions[first - probes->symbols];
  uint32_t wanted = jumps->functions[last - probes->symbols];
  if (from == wanted)
    return (struct jump_way){JUMPS_ONE, 0, NULL};
  const uint64_t *known = map_find(&jumps->known, from, wanted, 1);
  if (known)
    return known_way(jumps, *known);
  size_t begin = jumps->ways.size / sizeof(struct jump_hop);
  uint64_t ways = find_way(jumps, from, wanted);
  uint64_t count = jumps->ways.size / sizeof(struct jump_hop) - begin;
  uint64_t *made = map_at(&jumps->known, from, wanted, 1);
  if (!made)
    jumps->listing->error = out_of_memory;
  if (!made || jumps->listing->error)
    return none;
  *made = (uint64_t)begin << 9 | count << 2 | ways;
  return known_way(jumps, *made);
}
