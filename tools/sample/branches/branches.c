/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns ranges of executed code into counts of blocks, and branches into call
 * targets, with or without contexts. flow.h describes ranges, branches and
 * contexts.
 */
#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "../../object/digest.h"
#include "../build.h"
#include "../make.h"
#include "flow.h"

/* ==== Turns ranges into samples. Ranges may overlap, so one walk over the
 * instructions of all ranges keeps a running sum of their counts. */

/* A change of the running sum at an address. */
struct range_count_step {
  uint64_t address, more, less;
};

ORDER_BY(compare_steps, struct range_count_step, x->address);

static struct range_count_step *
list_count_steps(const struct flow_entry *ranges, size_t count) {
  struct range_count_step *steps =
      need_memory(calloc(2 * count + 1, sizeof *steps));
  for (size_t i = 0; i < count; i++) {
    steps[2 * i] =
        (struct range_count_step){ranges[i].begin, ranges[i].count, 0};
    steps[2 * i + 1] =
        (struct range_count_step){ranges[i].end + 1, 0, ranges[i].count};
  }
  qsort(steps, 2 * count, sizeof *steps, compare_steps);
  return steps;
}

void branches_expand_ranges(struct samples *to, struct listing *listing,
                            const struct flow_entry *ranges, size_t count) {
  uint64_t running = 0;
  samples_begin(to);
  struct range_count_step *steps = list_count_steps(ranges, count);
  for (size_t i = 0; i + 1 < 2 * count; i++) {
    const struct listed_instruction *one;
    uint64_t begin = steps[i].address, end = steps[i + 1].address;
    running += steps[i].more - steps[i].less;
    /* The instructions between two steps have the same count. */
    while (running && begin < end &&
           (one = listing_find_at_or_after(listing, begin)) &&
           one->address < end) {
      begin = one->address + one->length;
      LIST_ADD(to->list, to->count,
               (struct sample){.pc = one->address, .count = running});
    }
  }
  free(steps);
  to->folded.list = to->list;
  to->folded.count = to->count;
  for (size_t i = 0; i < to->count; i++)
    to->total += to->list[i].count;
}

/* ==== Searches the graph of tail calls, as llvm-profgen does. */

/* A call if `caller` is 0, otherwise a jump out of the function `caller`.
 * `place` is the address of the instruction. */
struct call_or_tail_jump {
  uint64_t caller, place, callee;
};

/* Values in the map tails->known, for the number of paths between two
 * functions. From PATHS_ONE on, exactly one path exists, and the value minus
 * PATHS_ONE is the offset of this path in tails->paths. */
enum { PATHS_NONE = 1, PATHS_SEVERAL = 2, PATHS_ONE = 3 };

/* A search for the jumps that lead to the function `to`. */
struct tail_call_search {
  struct tail_calls *tails;
  uint64_t to;
  /* The functions whose jumps are followed now, and the jumps so far. */
  uint64_t visiting[TAILS_MOST], path[TAILS_MOST];
  size_t depth, length; /* number of elements in `visiting` and in `path` */
};

/* Returns a number that identifies the function at an address. The parts of a
 * function, such as cold code, have the function's number. Returns 0 if no code
 * is at the address. */
static uint64_t find_owner_guid(const struct sampled_program *program,
                                uint64_t address) {
  const struct probes *probes = &program->probes;
  const struct code_symbol *symbol = probes_find_symbol(probes, address);
  return symbol ? probes_guid_of_symbol(probes, symbol) : 0;
}

ORDER_BY(compare_tail_jumps, struct call_or_tail_jump, x->caller, x->place,
         x->callee);

static void sort_unique_jumps(struct call_or_tail_jump *tails, size_t *count) {
  size_t kept = 0;
  sort_array(tails, *count, sizeof *tails, compare_tail_jumps);
  for (size_t i = 0; i < *count; i++)
    if (!kept || compare_tail_jumps(&tails[kept - 1], &tails[i]) != 0)
      tails[kept++] = tails[i];
  *count = kept;
}

static void add_call_or_tail_jump(struct tail_calls *tails,
                                  const struct map_entry *entry) {
  const struct listed_instruction *one =
      listing_find_at(&tails->program->listing, entry->key[0]);
  if (!one || (!one->call && !listed_always_jumps(one)))
    return;
  const bool call = one->call;
  const struct call_or_tail_jump tail = {
      call ? 0 : find_owner_guid(tails->program, entry->key[0]), entry->key[0],
      find_owner_guid(tails->program, entry->key[1])};
  if (!tail.callee || (!call && tail.callee == tail.caller))
    return;
  if (call) {
    LIST_ADD(tails->calls, tails->call_count, tail);
  } else {
    need_memory(map_find_or_add(&tails->targets, tail.callee, 0, 0));
    LIST_ADD(tails->jumps, tails->jump_count, tail);
  }
}

void tails_collect_calls_and_jumps(struct tail_calls *tails,
                                   struct sampled_program *program,
                                   const struct branch_flow *flow) {
  *tails = (struct tail_calls){.program = program,
                               .targets = {.limit = (size_t)1 << 24},
                               .known = {.limit = (size_t)1 << 24},
                               .paths = {.limit = (size_t)1 << 30},
                               .left = UINT64_C(1) << 28};
  for (const struct map_entry *jump = map_next_entry(&flow->jumps, NULL); jump;
       jump = map_next_entry(&flow->jumps, jump))
    add_call_or_tail_jump(tails, jump);
  sort_unique_jumps(tails->calls, &tails->call_count);
  sort_unique_jumps(tails->jumps, &tails->jump_count);
}

void tails_free(struct tail_calls *tails) {
  free(tails->calls);
  free(tails->jumps);
  map_free(&tails->targets);
  map_free(&tails->known);
  buffer_free(&tails->paths);
}

/* ---- the search ---- */

static void remember_found_path(struct tail_call_search *of, uint64_t from,
                                unsigned paths, size_t begin) {
  struct tail_calls *tails = of->tails;
  uint64_t length = of->length - begin;
  uint64_t *known = map_find_or_add(&tails->known, from, of->to, 0);
  size_t at = tails->paths.size;
  if (!known)
    return;
  if (paths == 1 &&
      (buffer_append_bytes(&tails->paths, &length, sizeof length) ||
       buffer_append_bytes(&tails->paths, &of->path[begin],
                           length * sizeof length)))
    return;
  *known = paths == 1 ? PATHS_ONE + at : paths ? PATHS_SEVERAL : PATHS_NONE;
}

/* Appends the path between two functions that an earlier search has found.
 * Returns the number of paths, as append_path_if_only_one does. */
static unsigned append_cached_path(struct tail_call_search *of,
                                   uint64_t known) {
  const struct tail_calls *tails = of->tails;
  if (known < PATHS_ONE)
    return known == PATHS_NONE ? 0 : 2;
  const uint64_t *path =
      (const void *)(tails->paths.data + (known - PATHS_ONE));
  if (path[0] > TAILS_MOST - of->length)
    return 0;
  memcpy(&of->path[of->length], path + 1, path[0] * sizeof *path);
  of->length += path[0];
  return 1;
}

/* Returns the number of paths from a function to of->to: 0, 1, or a higher
 * number for several paths. If there is only one path, appends this path.
 * Recurses at most TAILS_MOST deep. */
static unsigned append_path_if_only_one(struct tail_call_search *of,
                                        uint64_t from) {
  struct tail_calls *tails = of->tails;
  const size_t begin = of->length;
  if (from == of->to)
    return 1;
  for (size_t i = 0; i < of->depth; i++)
    if (of->visiting[i] == from)
      return 0;
  const uint64_t *known = map_find(&tails->known, from, of->to, 0);
  if (known && *known)
    return append_cached_path(of, *known);
  if (of->depth == TAILS_MOST || of->length == TAILS_MOST)
    return 0;
  size_t i = search_from(tails->jumps, tails->jump_count, caller, from);
  if (i == tails->jump_count || tails->jumps[i].caller != from)
    return 0;
  of->visiting[of->depth++] = from;
  unsigned paths = 0;
  uint64_t path[TAILS_MOST];
  size_t length = 0;
  for (; paths < 2 && i < tails->jump_count && tails->jumps[i].caller == from &&
         tails->left;
       i++, tails->left--) {
    of->length = begin;
    of->path[of->length++] = tails->jumps[i].place;
    unsigned more = append_path_if_only_one(of, tails->jumps[i].callee);
    if (more == 1) {
      length = of->length - begin;
      memcpy(path, &of->path[begin], length * sizeof *path);
    }
    paths += more;
  }
  of->depth--;
  of->length = begin;
  if (paths == 1) {
    memcpy(&of->path[begin], path, length * sizeof *path);
    of->length += length;
  }
  remember_found_path(of, from, paths, begin);
  return paths;
}

size_t tails_find_jumps_between(struct tail_calls *tails, uint64_t call,
                                uint64_t to, uint64_t jumps[TAILS_MOST]) {
  struct tail_call_search search = {.tails = tails,
                                    .to = find_owner_guid(tails->program, to)};
  size_t first = search_from(tails->calls, tails->call_count, place, call);
  size_t last = first, found = 0;
  unsigned paths = 0;
  for (; last < tails->call_count && tails->calls[last].place == call; last++)
    if (tails->calls[last].callee == search.to)
      return 0;
  if (!search.to || !map_find(&tails->targets, search.to, 0, 0))
    return 0;
  for (size_t i = first; i < last && paths < 2; i++) {
    search.length = 0;
    unsigned more = append_path_if_only_one(&search, tails->calls[i].callee);
    if (more == 1) {
      found = search.length;
      memcpy(jumps, search.path, found * sizeof *jumps);
    }
    paths += more;
  }
  return paths == 1 ? found : 0;
}

/* ==== Makes samples and profiles from ranges and branches. */

struct flow_profile_builder {
  const struct samples_settings *settings;
  struct profile_builder *building;
  struct sampled_program *program;
  const struct branch_flow *flow;
  bool calls_probed; /* the image has probes of calls, as on x86. Then a call
                        without a probe is not in the source */
  struct map names;  /* number of the symbol, plus 1, by address of a function
                        without probes */
};

/* ---- names ---- */

/* Names the functions without probes. If several symbols have one address, the
 * first symbol in the file names the function, as in llvm-profgen. A symbol
 * without a size is not a function, but a label or a symbol of the linker. */
static void name_unprobed_functions(struct flow_profile_builder *of) {
  const struct elf *elf = &of->program->elf;
  for (uint64_t i = 0; i < elf->symbol_count && of->names.count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    uint64_t *number =
        symbol.type == ELF_FUNCTION && symbol.section && symbol.size
            ? map_find(&of->names,
                       code_clear_thumb_bit(&of->program->code, symbol.value),
                       0, 0)
            : NULL;
    if (number && !*number)
      *number = i + 1;
  }
}

static void list_and_name_unprobed_callees(struct flow_profile_builder *of) {
  const struct probes *probes = &of->program->probes;
  const struct map *jumps = &of->flow->jumps;
  for (size_t i = 0; i < probes->count && !of->calls_probed; i++)
    of->calls_probed = probes->list[i].type != PROBE_BLOCK;
  for (const struct map_entry *jump = map_next_entry(jumps, NULL); jump;
       jump = map_next_entry(jumps, jump)) {
    const struct code_symbol *symbol = probes_find_symbol(probes, jump->key[1]);
    if (symbol && symbol->address == jump->key[1] &&
        !probes_first_in_symbol(probes, symbol))
      need_memory(map_find_or_add(&of->names, symbol->address, 0, 0));
  }
  name_unprobed_functions(of);
}

/* ---- calls ---- */

/* Finds the call in the source from which a call instruction was compiled.
 * Returns false if the call is not known. */
static bool find_source_call(const struct flow_profile_builder *of,
                             uint64_t from, struct call_location *place) {
  const struct listed_instruction *one =
      listing_find_at(&of->program->listing, from);
  if (!one || (!of->calls_probed && !one->call && !listed_always_jumps(one)))
    return false;
  return call_location_find(of->program, from, from + one->length, place) &&
         (place->probed || !of->calls_probed);
}

/* Returns the name of the function that begins at an address, or NULL. */
static const char *find_callee_name(const struct flow_profile_builder *of,
                                    uint64_t to) {
  const struct probes *probes = &of->program->probes;
  const struct code_symbol *symbol = probes_find_symbol(probes, to);
  if (!symbol || symbol->address != to)
    return NULL;
  const struct probe *probe = probes_first_in_symbol(probes, symbol);
  if (!probe) {
    const uint64_t *number = map_find(&of->names, to, 0, 0);
    return number && *number ? elf_symbol(&of->program->elf, *number - 1).name
                             : NULL;
  }
  uint64_t guid = probe_outermost_guid(probe);
  /* A part of a function, such as its cold code, gets no name, because the
   * part's symbol has another GUID. ThinLTO appends .llvm. to names. */
  const char *suffix = strstr(symbol->name, ".llvm.");
  size_t size = suffix ? (size_t)(suffix - symbol->name) : strlen(symbol->name);
  return md5_low64(symbol->name, size) == guid
             ? probes_function_name(probes, guid)
             : NULL;
}

/* Sets rates of probes to 0. If some parts of a function were executed, its
 * other parts (such as cold code in another place) get the rate 0. */
static void zero_rates_of_cold_parts(const struct flow_profile_builder *of,
                                     struct rates *rates) {
  const struct probes *probes = &of->program->probes;
  struct map run = {.limit = (size_t)1 << 26};
  for (size_t i = 0; i < probes->count; i++)
    if (rates->probes[i] >= 0)
      need_memory(map_find_or_add(
          &run, probes->records[probes->list[i].record].guid, 0, 0));
  for (size_t i = 0; i < probes->count; i++)
    if (rates->probes[i] < 0 &&
        map_find(&run, probes->records[probes->list[i].record].guid, 0, 0))
      rates->probes[i] = 0;
  map_free(&run);
}

/* Adds call targets to a profile without contexts, after builder_add_probes. */
static void add_branch_targets(const struct flow_profile_builder *of) {
  size_t count;
  struct flow_entry *jumps = flow_list_sorted_entries(&of->flow->jumps, &count);
  for (size_t i = 0; i < count; i++) {
    struct call_location place;
    const char *callee = find_callee_name(of, jumps[i].end);
    if (callee && find_source_call(of, jumps[i].begin, &place))
      builder_add_target(of->building,
                         builder_find_or_make_call_line(of->building, &place),
                         callee, (double)jumps[i].count, place.probed);
  }
  free(jumps);
}

/* ==== Makes a context-sensitive profile from ranges and branches. The counts
 * are the same as in llvm-profgen: ranges count blocks, branches count calls,
 * and each entry of an inlined function also counts as a call of this function.
 */

enum { CALLS_MOST = FLOW_DEPTH_MOST + 4 * TAILS_MOST };

/* The profile, and the context that is being added. */
struct branch_context_builder {
  const struct flow_profile_builder *of;
  struct rates *rates;
  struct tail_calls tails;
  uint32_t context;
  const struct code_symbol *symbol;
  uint64_t left;           /* number of instructions that contexts may still
                              have */
  struct call_path prefix; /* the calls that lead to `symbol` in the context */
  struct call_path path;
  uint64_t calls[CALLS_MOST];
};

/* ---- call paths ---- */

/* Writes the calls that lead to an address to in->calls, innermost first. If
 * there are too many, leaves out the outermost calls. Returns the number. */
static size_t list_context_calls(struct branch_context_builder *in,
                                 uint64_t to) {
  const struct branch_flow *flow = in->of->flow;
  uint64_t jumps[TAILS_MOST];
  size_t count = 0;
  for (uint32_t at = in->context; at && count + TAILS_MOST < CALLS_MOST;) {
    const struct context_node *node = &flow->nodes[at];
    size_t between =
        tails_find_jumps_between(&in->tails, node->call, to, jumps);
    while (between-- > 0)
      in->calls[count++] = jumps[between];
    in->calls[count++] = to = node->call;
    at = node->outer;
  }
  return count;
}

/* Sets in->prefix for a symbol. The prefix starts after the innermost call
 * whose place in the source is not known. */
static void set_context_prefix(struct branch_context_builder *in,
                               const struct code_symbol *symbol) {
  struct call_location place;
  if (symbol == in->symbol)
    return;
  size_t count = list_context_calls(in, symbol->address), known = 0;
  in->symbol = symbol;
  in->prefix.depth = 0;
  while (known < count && find_source_call(in->of, in->calls[known], &place))
    known++;
  while (known-- > 0) {
    find_source_call(in->of, in->calls[known], &place);
    call_path_push_frames(&in->prefix, &place);
  }
}

/* Adds a count of 0 for a probe, if the probe's function has run in this
 * context. A line that exists already keeps its count. */
static void add_zero_count(struct branch_context_builder *in,
                           const struct probe *probe) {
  struct profile_builder *building = in->of->building;
  struct sampled_function *known =
      call_path_find_probe_function(building, in->context + UINT64_C(1), probe);
  if (known)
    sampled_find_or_make_line(
        building->profile, known,
        (struct sampled_site){probe->index, probe->discriminator});
}

static void add_symbol_counts(struct branch_context_builder *in,
                              const struct code_symbol *symbol,
                              const struct samples *some) {
  const struct probes *probes = &in->of->program->probes;
  struct profile_builder *building = in->of->building;
  const size_t first = probes_index_from(probes, symbol->address);
  const size_t last = probes_index_from(probes, symbol->address + symbol->size);
  set_context_prefix(in, symbol);
  rates_set_from_samples(in->rates, in->of->program, some,
                         in->of->settings->attribution);
  for (size_t i = first; i < last; i++) {
    const struct probe *probe = &probes->list[i];
    if (in->rates->probes[i] <= 0 || probe->type != PROBE_BLOCK ||
        probe->flags & PROBE_DANGLING)
      continue;
    building->doubted += (probe->flags & PROBE_TWINS) != 0 &&
                         probes_find_function(probes, probe->guid);
    call_path_add_probe_count(building, &in->prefix, in->context + UINT64_C(1),
                              probe, in->rates->probes[i]);
  }
  for (size_t i = first; i < last; i++)
    if (!(probes->list[i].flags & PROBE_DANGLING))
      add_zero_count(in, &probes->list[i]);
  rates_reset(in->rates, first, last);
}

/* Adds the counts of ranges to the profile. Returns NULL or the error. */
static const char *add_range_counts(struct branch_context_builder *in,
                                    const struct flow_entry *ranges,
                                    size_t count) {
  const struct probes *probes = &in->of->program->probes;
  struct samples all;
  branches_expand_ranges(&all, &in->of->program->listing, ranges, count);
  bool fits = all.count <= in->left;
  in->left -= fits ? all.count : 0;
  for (size_t i = 0, next; i < all.count && fits; i = next) {
    const struct code_symbol *symbol =
        probes_find_symbol(probes, all.list[i].pc);
    next = i + 1;
    while (symbol && next < all.count &&
           all.list[next].pc - symbol->address < symbol->size)
      next++;
    const struct samples some = {.list = all.list + i, .count = next - i};
    if (symbol)
      add_symbol_counts(in, symbol, &some);
  }
  samples_free(&all);
  return fits ? NULL
              : "the contexts cover more code than one program can contain; "
                "correct the contexts";
}

/* ---- calls ---- */

/* Returns the function that contains a call, in the call's context. */
static struct sampled_function *
find_or_make_caller_function(struct branch_context_builder *in,
                             const struct call_location *place) {
  const struct probed_call_site *last = &place->frames[place->depth - 1];
  in->path = in->prefix;
  for (size_t i = 0; i + 1 < place->depth; i++)
    call_path_push(&in->path, &place->frames[i]);
  call_path_drop_repeats(&in->path);
  struct sampled_function *function = call_path_find_or_make_function(
      in->of->building, &in->path, in->path.depth, last->function);
  if (place->depth > 1)
    function->attributes |= 1; /* the function was inlined */
  return function;
}

static void add_jump_count(struct branch_context_builder *in,
                           const struct flow_entry *jump) {
  struct profile_builder *building = in->of->building;
  struct call_location place;
  if (!find_source_call(in->of, jump->begin, &place))
    return;
  set_context_prefix(in,
                     probes_find_symbol(&in->of->program->probes, jump->begin));
  const struct probed_call_site *last = &place.frames[place.depth - 1];
  struct sampled_line *line = sampled_find_or_make_line(
      building->profile, find_or_make_caller_function(in, &place),
      (struct sampled_site){last->probe, 0});
  line->weight += (double)jump->count;
  const char *callee = find_callee_name(in->of, jump->end);
  if (callee)
    builder_add_target(building, line, callee, (double)jump->count, true);
}

/* ---- all contexts ---- */

struct branch_entry_cursor {
  struct flow_entry *list;
  size_t count, at;
};

/* Returns the number of the next entries that have this context. */
static size_t count_context_entries(const struct branch_entry_cursor *entries,
                                    uint32_t context) {
  size_t next = entries->at;
  while (next < entries->count && entries->list[next].context == context)
    next++;
  return next - entries->at;
}

static uint32_t get_next_context(const struct branch_entry_cursor *entries) {
  return entries->at < entries->count ? entries->list[entries->at].context
                                      : UINT32_MAX;
}

/* Adds the ranges and the jumps of the next context. */
static const char *add_context_counts(struct branch_context_builder *in,
                                      struct branch_entry_cursor *ranges,
                                      struct branch_entry_cursor *jumps) {
  const uint32_t a = get_next_context(ranges), b = get_next_context(jumps);
  const char *error = NULL;
  in->context = a < b ? a : b;
  in->symbol = NULL;
  const size_t some = count_context_entries(ranges, in->context);
  if (some)
    error = add_range_counts(in, ranges->list + ranges->at, some);
  ranges->at += some;
  for (size_t left = count_context_entries(jumps, in->context); left; left--)
    add_jump_count(in, &jumps->list[jumps->at++]);
  return error;
}

/* Makes a profile with contexts. rates must come from rates_compute; this
 * function destroys them. Returns NULL or the error. */
static const char *build_context_profile(const struct flow_profile_builder *of,
                                         struct rates *rates) {
  struct branch_entry_cursor ranges = {0}, jumps = {0};
  struct branch_context_builder *in = need_memory(calloc(1, sizeof *in));
  const char *error = NULL;
  *in = (struct branch_context_builder){
      .of = of, .rates = rates, .left = UINT64_C(1) << 30};
  ranges.list = flow_list_sorted_entries(&of->flow->ranges, &ranges.count);
  jumps.list = flow_list_sorted_entries(&of->flow->jumps, &jumps.count);
  tails_collect_calls_and_jumps(&in->tails, of->program, of->flow);
  rates_reset(rates, 0, of->program->probes.count);
  while (!error && (ranges.at < ranges.count || jumps.at < jumps.count))
    error = add_context_counts(in, &ranges, &jumps);
  tails_free(&in->tails);
  free(in);
  free(ranges.list);
  free(jumps.list);
  return error;
}

/* ==== Makes a profile with call targets, or with contexts. */

const char *branches_build_profile(const struct samples_settings *settings,
                                   struct sampled_program *program,
                                   const struct branch_flow *flow,
                                   struct profile_builder *building,
                                   struct rates *rates) {
  struct flow_profile_builder of = {.settings = settings,
                                    .building = building,
                                    .program = program,
                                    .flow = flow,
                                    .names = {.limit = (size_t)1 << 24}};
  const char *error = NULL;
  list_and_name_unprobed_callees(&of);
  if (settings->context) {
    error = build_context_profile(&of, rates);
  } else {
    zero_rates_of_cold_parts(&of, rates);
    builder_add_probes(building, rates);
    if (!settings->no_targets)
      add_branch_targets(&of);
  }
  map_free(&of.names);
  return error;
}

void branches_raise_line_counts(struct sampled_profile *profile) {
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
