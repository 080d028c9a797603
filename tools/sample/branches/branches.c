/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ranges to counts of blocks, branches to targets of calls, in contexts or not.
 */
#include "branches.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
#include "../../base/map.h"
#include "../../object/digest.h"
#include "flow.h"

struct flow_building {
  const struct branches *branches;
  struct building *building;
  struct program *program;
  const struct flow *flow;
  bool calls_probed; /* the image has probes of calls, as on x86: what has none
                        is then no call of the source any more */
  struct map names;  /* of functions without probes, by address: the symbol's
                        number, plus 1 */
};

/* ---- names ---- */

static bool note_unprobed(struct flow_building *of, uint64_t to) {
  const struct probe_symbol *symbol = probes_symbol(&of->program->probes, to);
  return !symbol || symbol->address != to ||
         probes_first(&of->program->probes, symbol) ||
         map_at(&of->names, to, 0, 0);
}

/* Of several symbols at one address, takes the first in the file, as
 * llvm-profgen does. A symbol without a size is no function: it is a label, or
 * the linker made it. */
static void name_unprobed(struct flow_building *of) {
  enum { FUNCTION = 2 };
  const struct elf *elf = &of->program->elf;
  for (uint64_t i = 0; i < elf->symbol_count && of->names.count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t *number =
        symbol.type == FUNCTION && symbol.section && symbol.size
            ? map_find(&of->names,
                       code_address(&of->program->code, symbol.value), 0, 0)
            : NULL;
    if (number && !*number)
      *number = i + 1;
  }
}

static const char *begin_building(struct flow_building *of) {
  const struct probes *probes = &of->program->probes;
  const struct map *jumps = &of->flow->jumps;
  for (size_t i = 0; i < probes->count && !of->calls_probed; i++)
    of->calls_probed = probes->list[i].type != PROBE_BLOCK;
  for (const struct map_entry *jump = map_next(jumps, NULL); jump;
       jump = map_next(jumps, jump))
    if (!note_unprobed(of, jump->key[1]))
      return out_of_memory;
  name_unprobed(of);
  return NULL;
}

/* ---- calls ---- */

/* Which call of the source an instruction is; false: not known. */
static bool source_call(const struct flow_building *of, uint64_t from,
                        struct call_place *place) {
  const struct listed *one = listing_at(&of->program->listing, from);
  if (!one || (!of->calls_probed && !one->call && !listed_jump(one)))
    return false;
  return call_place_find(of->program, from, from + one->length, place) &&
         (place->probed || !of->calls_probed);
}

/* The function that begins at an address; NULL: none does. */
static const char *callee_at(const struct flow_building *of, uint64_t to) {
  const struct probes *probes = &of->program->probes;
  const struct probe_symbol *symbol = probes_symbol(probes, to);
  if (!symbol || symbol->address != to)
    return NULL;
  const struct probe *probe = probes_first(probes, symbol);
  if (!probe) {
    const uint64_t *number = map_find(&of->names, to, 0, 0);
    return number && *number ? elf_symbol(&of->program->elf, *number - 1).name
                             : NULL;
  }
  uint64_t guid = probe_outermost(probe);
  /* A part of a function, as its cold code, is none. The linker's optimiser
   * appends to names. */
  const char *suffix = strstr(symbol->name, ".llvm.");
  size_t size = suffix ? (size_t)(suffix - symbol->name) : strlen(symbol->name);
  return md5_low64(symbol->name, size) == guid ? probes_name(probes, guid)
                                               : NULL;
}

/* Sets parts of functions (cold code that lies elsewhere) to 0 if other parts
 * have rates: these parts were not executed. Returns NULL or the error. */
static const char *zero_cold_parts(const struct flow_building *of,
                                   struct rates *rates) {
  const struct probes *probes = &of->program->probes;
  struct map run = {.limit = (size_t)1 << 26};
  const char *error = NULL;
  for (size_t i = 0; i < probes->count && !error; i++)
    if (rates->probes[i] >= 0 &&
        !map_at(&run, probes->records[probes->list[i].record].guid, 0, 0))
      error = out_of_memory;
  for (size_t i = 0; i < probes->count && !error; i++)
    if (rates->probes[i] < 0 &&
        map_find(&run, probes->records[probes->list[i].record].guid, 0, 0))
      rates->probes[i] = 0;
  map_free(&run);
  return error;
}

static const char *add_target(const struct flow_building *of,
                              const struct flow_entry *jump) {
  struct call_place place;
  const char *callee = callee_at(of, jump->end);
  if (!callee || !source_call(of, jump->begin, &place))
    return NULL;
  return call_target(of->building, call_line(of->building, &place), callee,
                     (double)jump->count, place.probed);
}

/* Without contexts: after build_probes. Returns NULL or the error. */
static const char *add_targets(const struct flow_building *of) {
  struct flow_entry *jumps;
  size_t count;
  const char *error = flow_sorted(&of->flow->jumps, &jumps, &count);
  for (size_t i = 0; i < count && !error; i++)
    error = add_target(of, &jumps[i]);
  free(jumps);
  return error ? error : of->program->listing.error;
}

/* ==== A context-sensitive profile of ranges and branches. Counts are as in
 * llvm-profgen: blocks by ranges, calls by branches, and entries of inlined
 * functions also as calls of them. */

enum { CALLS_MOST = FLOW_DEPTH_MOST + 4 * TAILS_MOST };

struct context_building {
  const struct flow_building *of;
  struct rates *rates;
  struct tails tails;
  uint32_t context;
  const struct probe_symbol *symbol;
  uint64_t left;           /* instructions that contexts may still have */
  struct call_path prefix; /* what leads to symbol in context */
  struct call_path way;
  uint64_t calls[CALLS_MOST];
};

/* ---- ways ---- */

/* Puts the calls that lead to an address in in->calls, the innermost first;
 * the outermost are cut. How many. */
static size_t find_calls(struct context_building *in, uint64_t to) {
  const struct flow *flow = in->of->flow;
  uint64_t jumps[TAILS_MOST];
  size_t count = 0;
  for (uint32_t at = in->context; at && count + TAILS_MOST < CALLS_MOST;) {
    const struct flow_node *node = flow_node(flow, at);
    size_t between = tails_between(&in->tails, node->call, to, jumps);
    while (between-- > 0)
      in->calls[count++] = jumps[between];
    in->calls[count++] = to = node->call;
    at = node->outer;
  }
  return count;
}

/* Cut at the innermost call of which it is not known which it is. */
static void find_prefix(struct context_building *in,
                        const struct probe_symbol *symbol) {
  struct call_place place;
  if (symbol == in->symbol)
    return;
  size_t count = find_calls(in, symbol->address), known = 0;
  in->symbol = symbol;
  in->prefix.depth = 0;
  while (known < count && source_call(in->of, in->calls[known], &place))
    known++;
  while (known-- > 0) {
    source_call(in->of, in->calls[known], &place);
    way_push_all(&in->prefix, &place);
  }
}

/* The probes of functions that ran, which did not run themselves. */
static const char *add_zero(struct context_building *in,
                            const struct probe *probe) {
  struct building *building = in->of->building;
  struct sampled_function *known =
      way_counted(building, in->context + UINT64_C(1), probe);
  return !known || sampled_line(building->profile, known,
                                (struct sampled_site){probe->index,
                                                      probe->discriminator})
             ? NULL
             : out_of_memory;
}

static const char *add_block(struct context_building *in,
                             const struct probe *probe, double count) {
  struct building *building = in->of->building;
  building->doubted += (probe->flags & PROBE_TWINS) != 0 &&
                       probes_function(building->probes, probe->guid);
  return way_count(building, &in->prefix, in->context + UINT64_C(1), probe,
                   count);
}

static const char *add_symbol(struct context_building *in,
                              const struct probe_symbol *symbol,
                              const struct samples *some) {
  const struct probes *probes = &in->of->program->probes;
  const size_t first = probes_from(probes, symbol->address);
  const size_t last = probes_from(probes, symbol->address + symbol->size);
  find_prefix(in, symbol);
  const char *error = rates_find_again(in->rates, in->of->program, some,
                                       in->of->branches->attribution);
  for (size_t i = first; i < last && !error; i++)
    if (in->rates->probes[i] > 0 && probes->list[i].type == PROBE_BLOCK &&
        !(probes->list[i].flags & PROBE_DANGLING))
      error = add_block(in, &probes->list[i], in->rates->probes[i]);
  for (size_t i = first; i < last && !error; i++)
    if (!(probes->list[i].flags & PROBE_DANGLING))
      error = add_zero(in, &probes->list[i]);
  rates_forget(in->rates, first, last);
  return error;
}

static const char *add_ranges(struct context_building *in,
                              const struct flow_entry *ranges, size_t count) {
  const struct probes *probes = &in->of->program->probes;
  struct samples all;
  const char *error =
      expand_ranges(&all, &in->of->program->listing, ranges, count);
  if (!error && all.count > in->left)
    error = "its contexts have more code than a program runs; correct them";
  in->left -= error ? 0 : all.count;
  for (size_t i = 0, next; i < all.count && !error; i = next) {
    const struct probe_symbol *symbol = probes_symbol(probes, all.list[i].pc);
    next = i + 1;
    while (symbol && next < all.count &&
           all.list[next].pc - symbol->address < symbol->size)
      next++;
    const struct samples some = {.list = all.list + i, .count = next - i};
    if (symbol)
      error = add_symbol(in, symbol, &some);
  }
  samples_free(&all);
  return error;
}

/* ---- calls ---- */

/* A frame that says what place is inlined into. */
static struct sampled_function *caller_of(struct context_building *in,
                                          const struct call_place *place) {
  const struct call_frame *last = &place->frames[place->depth - 1];
  in->way = in->prefix;
  for (size_t i = 0; i + 1 < place->depth; i++)
    way_push(&in->way, &place->frames[i]);
  way_compress(&in->way);
  struct sampled_function *function =
      way_function(in->of->building, &in->way, in->way.depth, last->function);
  if (function && place->depth > 1)
    function->attributes |= 1; /* was inlined */
  return function;
}

static const char *add_jump(struct context_building *in,
                            const struct flow_entry *jump) {
  struct sampled *profile = in->of->building->profile;
  struct call_place place;
  if (!source_call(in->of, jump->begin, &place))
    return NULL;
  find_prefix(in, probes_symbol(&in->of->program->probes, jump->begin));
  const struct call_frame *last = &place.frames[place.depth - 1];
  struct sampled_function *caller = caller_of(in, &place);
  struct sampled_line *line =
      caller
          ? sampled_line(profile, caller, (struct sampled_site){last->probe, 0})
          : NULL;
  if (!line)
    return out_of_memory;
  line->weight += (double)jump->count;
  const char *callee = callee_at(in->of, jump->end);
  return callee ? call_target(in->of->building, line, callee,
                              (double)jump->count, true)
                : NULL;
}

/* ---- all ---- */

struct branch_entries {
  struct flow_entry *list;
  size_t count, at;
};

/* How many are of the context that the next one has. */
static size_t group_size(const struct branch_entries *entries,
                         uint32_t context) {
  size_t next = entries->at;
  while (next < entries->count && entries->list[next].context == context)
    next++;
  return next - entries->at;
}

static uint32_t context_at(const struct branch_entries *entries) {
  return entries->at < entries->count ? entries->list[entries->at].context
                                      : UINT32_MAX;
}

static const char *add_context(struct context_building *in,
                               struct branch_entries *ranges,
                               struct branch_entries *jumps) {
  const uint32_t a = context_at(ranges), b = context_at(jumps);
  const char *error = NULL;
  in->context = a < b ? a : b;
  in->symbol = NULL;
  const size_t some = group_size(ranges, in->context);
  if (some)
    error = add_ranges(in, ranges->list + ranges->at, some);
  ranges->at += some;
  for (size_t left = group_size(jumps, in->context); left && !error; left--)
    error = add_jump(in, &jumps->list[jumps->at++]);
  return error;
}

/* All, in contexts. rates are as rates_find made them, and are destroyed.
 * Returns NULL or the error. */
static const char *build_contexts(const struct flow_building *of,
                                  struct rates *rates) {
  struct branch_entries ranges = {0}, jumps = {0};
  struct context_building *in = calloc(1, sizeof *in);
  const char *error = in ? NULL : out_of_memory;
  if (!error)
    *in = (struct context_building){
        .of = of, .rates = rates, .left = UINT64_C(1) << 30};
  if (!error)
    error = flow_sorted(&of->flow->ranges, &ranges.list, &ranges.count);
  if (!error)
    error = flow_sorted(&of->flow->jumps, &jumps.list, &jumps.count);
  if (!error)
    error = tails_begin(&in->tails, of->program, of->flow);
  rates_forget(rates, 0, of->program->probes.count);
  while (!error && (ranges.at < ranges.count || jumps.at < jumps.count))
    error = add_context(in, &ranges, &jumps);
  if (in) {
    tails_free(&in->tails);
  }
  free(in);
  free(ranges.list);
  free(jumps.list);
  return error ? error : of->program->listing.error;
}

/* ==== Branches to ranges, to rates, to a profile. */

const char *branches_find(struct branches *branches) {
  const struct flow *flow = &branches->samples->flow;
  struct listing *listing = &branches->program->listing;
  struct flow_entry *ranges;
  size_t count;
  samples_begin(&branches->ran);
  const char *error = flow_sorted(&flow->ranges, &ranges, &count);
  if (!error)
    error = expand_ranges(&branches->ran, listing, ranges, count);
  free(ranges);
  return error;
}

void branches_free(struct branches *branches) { samples_free(&branches->ran); }

const char *branches_build(const struct branches *branches,
                           struct building *building, struct rates *rates) {
  struct flow_building of = {.branches = branches,
                             .building = building,
                             .program = branches->program,
                             .flow = &branches->samples->flow,
                             .names = {.limit = (size_t)1 << 24}};
  const char *error = begin_building(&of);
  if (!error && branches->context)
    error = build_contexts(&of, rates);
  else if (!error)
    error = zero_cold_parts(&of, rates);
  if (!error && !branches->context)
    error = build_probes(building, rates);
  if (!error && !branches->context && !branches->no_targets)
    error = add_targets(&of);
  map_free(&of.names);
  return error;
}

void branches_raise_calls(struct sampled *profile) {
  for (struct sampled_function *function = profile->functions; function;
       function = function->next)
    for (struct sampled_line *line = function->lines; line; line = line->next) {
      uint64_t sum = 0;
      for (const struct sampled_target *to = line->targets; to; to = to->next)
        sum += to->count;
      if (line->count < sum)
        line->count = sum;
    }
}
