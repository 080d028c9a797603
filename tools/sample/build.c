/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns probes into lines of a profile, and addresses of calls into call sites
 * of the source and names of contexts. Probes with the same index and the same
 * inlining are copies that the compiler made, so their counts are added up.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../object/digest.h"
#include "branches/flow.h"
#include "build.h"

/* ==== Reads the stack of a sample: its link register and its chain of callers.
 */

static void push_stack_frame(struct sample_stack *stack, uint64_t address) {
  if (stack->depth < sizeof stack->frames / sizeof *stack->frames)
    stack->frames[stack->depth++] = address;
}

/* Returns whether ra follows a call of the function at pc, or a call of a
 * function from which jumps lead to pc. */
static bool is_return_address(struct sampled_program *program, uint64_t pc,
                              uint64_t ra) {
  struct instruction call;
  uint64_t address;
  return code_find_call_before(&program->code, ra, &call, &address) &&
         (!call.direct || !probes_find_symbol(&program->probes, pc) ||
          jumps_find_path(&program->jumps, call.target, pc).path_count);
}

void sample_stack_build(struct sample_stack *stack,
                        struct sampled_program *program,
                        const struct samples *samples,
                        const struct sample *sample) {
  const struct elf_code *code = &program->code;
  uint64_t pc = code_clear_thumb_bit(code, sample->pc);
  uint64_t ra = code_clean_return_address(code, sample->ra, pc);
  uint32_t chain = sample->chain;
  stack->depth = 0;
  push_stack_frame(stack, pc);
  stack->called = chain != 0;
  enum link_state state =
      sample->ra ? listing_get_link_state(&program->listing, pc) : LINK_LOST;
  if ((state == LINK_LIVES && !chain) ||
      (state != LINK_LOST && is_return_address(program, pc, ra))) {
    push_stack_frame(stack, ra);
    stack->called = true;
    /* If a leaf function has a frame, its return address is also in the chain.
     */
    if (chain && code_clean_return_address(code, samples->chains[chain].address,
                                           pc) == ra)
      chain = samples->chains[chain].outer;
  }
  for (; chain; chain = samples->chains[chain].outer)
    push_stack_frame(stack, code_clean_return_address(
                                code, samples->chains[chain].address, pc));
}

/* ==== Finds the targets of calls from return addresses. */

/* The numbers of samples, with which the entries of a callee are distributed
 * over its calls. */
struct call_pair_counts {
  struct sampled_program *program;
  struct target_statistics *found;
  struct map pairs;   /* number of samples for each combination of callee's
                         symbol, return address and call */
  struct map callees; /* number of samples with a valid return address, for each
                         callee's symbol */
};

/* A pair is a callee and a return address. */
struct callee_return_pair {
  const struct code_symbol *callee;
  uint64_t returns, call, samples;
  uint64_t callee_samples; /* number of samples of the callee, in all pairs */
  bool jumped;             /* another callee jumped to this callee */
};

struct target_adder {
  struct profile_builder *building;
  struct sampled_program *program;
  const struct rates *rates;
  struct target_statistics *found;
};

/* Returns the rate at which a symbol is entered. *guid becomes the GUID of the
 * symbol's function, or 0. */
static double sum_entry_rates(const struct probes *probes,
                              const struct rates *rates,
                              const struct code_symbol *symbol,
                              uint64_t *guid) {
  double sum = 0;
  *guid = 0;
  for (size_t i = probes_index_from(probes, symbol->address); i < probes->count;
       i++) {
    const struct probe *probe = &probes->list[i];
    if (probe->address - symbol->address >= symbol->size)
      break;
    if (probe->index != 1 || probe->inlining || rates->probes[i] < 0)
      continue;
    *guid = probe->guid;
    sum += rates->probes[i];
  }
  return sum;
}

static void collect_call_pair_counts(struct call_pair_counts *of,
                                     const struct samples *samples) {
  struct sample_stack stack;
  for (size_t i = 0; i < samples->count; i++) {
    struct instruction call;
    uint64_t address;
    sample_stack_build(&stack, of->program, samples, &samples->list[i]);
    const struct code_symbol *symbol =
        probes_find_symbol(&of->program->probes, stack.frames[0]);
    if (!symbol || !stack.called)
      continue;
    /* If no jumps lead from the called function to the sample's function, the
     * return address is left over from an older call. */
    struct jump_path path = {JUMPS_ONE, 0, NULL};
    bool known = code_find_call_before(&of->program->code, stack.frames[1],
                                       &call, &address);
    if (known && call.direct)
      path = jumps_find_path(&of->program->jumps, call.target, stack.frames[0]);
    if (!known || !path.path_count) {
      of->found->refused += samples->list[i].count;
      continue;
    }
    /* If jumps lead to the sample's function, the sample counts for the
     * function, but not for the call. */
    const bool other = path.path_count == JUMPS_SEVERAL || path.count;
    symbol = jumps_get_function(&of->program->jumps, symbol);
    size_t number = (size_t)(symbol - of->program->probes.symbols);
    uint64_t *callee = need_memory(map_find_or_add(&of->callees, number, 0, 0));
    *callee += samples->list[i].count;
    if (other)
      continue;
    uint64_t *pair = need_memory(
        map_find_or_add(&of->pairs, number, stack.frames[1], address));
    *pair += samples->list[i].count;
  }
}

/* ---- pairs ---- */

ORDER_BY(compare_pairs, struct callee_return_pair, x->returns,
         (uintptr_t)x->callee);

static struct callee_return_pair *
list_call_pairs(const struct call_pair_counts *of) {
  struct callee_return_pair *list =
      need_memory(calloc(of->pairs.count + 1, sizeof *list));
  size_t count = 0;
  for (const struct map_entry *entry = map_next_entry(&of->pairs, NULL); entry;
       entry = map_next_entry(&of->pairs, entry))
    list[count++] = (struct callee_return_pair){
        &of->program->probes.symbols[entry->key[0]],
        entry->key[1],
        entry->key[2],
        entry->value,
        *map_find(&of->callees, entry->key[0], 0, 0),
        false};
  qsort(list, count, sizeof *list, compare_pairs);
  return list;
}

/* If a return address has more callees than this, jumps between these callees
 * are not searched. */
enum { CALLEES_MOST = 256 };

static bool jumps_lead_between(struct call_pair_counts *of,
                               const struct code_symbol *from,
                               const struct code_symbol *to) {
  return jumps_find_path(&of->program->jumps, from->address, to->address)
      .path_count;
}

/* Marks callees of one return address to which another callee jumps, because
 * the call at this address probably did not call the marked callees. If two
 * callees jump to each other, the callee with more samples counts as called. */
static void mark_callees_reached_by_jumps(struct call_pair_counts *of,
                                          struct callee_return_pair *list,
                                          size_t count) {
  for (size_t i = 0; i < count && count <= CALLEES_MOST; i++)
    for (size_t k = 0; k < count && !list[i].jumped; k++) {
      const struct callee_return_pair *a = &list[i], *b = &list[k];
      if (i == k || !jumps_lead_between(of, b->callee, a->callee))
        continue;
      list[i].jumped = b->samples > a->samples ||
                       !jumps_lead_between(of, a->callee, b->callee);
    }
}

static void add_target_of_call_pair(void *context,
                                    const struct call_callee_pair *pair) {
  const struct target_adder *of = context;
  struct call_location place;
  uint64_t guid;
  of->found->jumped += pair->jumped;
  if (pair->jumped)
    return;
  double count =
      sum_entry_rates(&of->program->probes, of->rates, pair->callee, &guid);
  const char *name = probes_function_name(&of->program->probes, guid);
  if (!guid || !name)
    return;
  of->found->pairs++;
  if (call_location_find(of->program, pair->call, pair->returns, &place))
    builder_add_target(of->building,
                       builder_find_or_make_call_line(of->building, &place),
                       name, count * pair->share, place.probed);
  else
    of->found->unknown++;
}

void targets_for_each_pair(struct sampled_program *program,
                           const struct samples *samples,
                           struct target_statistics *found,
                           target_visitor *take, void *context) {
  struct call_pair_counts of = {.program = program,
                                .found = found,
                                .pairs = {.limit = (size_t)1 << 26},
                                .callees = {.limit = (size_t)1 << 26}};
  *found = (struct target_statistics){0};
  collect_call_pair_counts(&of, samples);
  struct callee_return_pair *list = list_call_pairs(&of);
  for (size_t i = 0, next; i < of.pairs.count; i = next) {
    next = i + 1;
    while (next < of.pairs.count && list[next].returns == list[i].returns)
      next++;
    mark_callees_reached_by_jumps(&of, &list[i], next - i);
    for (size_t k = i; k < next; k++) {
      const struct callee_return_pair *seen = &list[k];
      const struct call_callee_pair pair = {
          seen->callee, seen->call, seen->returns,
          (double)seen->samples / (double)seen->callee_samples, seen->jumped};
      take(context, &pair);
    }
  }
  free(list);
  map_free(&of.pairs);
  map_free(&of.callees);
}

void builder_add_targets(struct profile_builder *building,
                         struct sampled_program *program,
                         const struct samples *samples,
                         const struct rates *rates,
                         struct target_statistics *found) {
  struct target_adder of = {building, program, rates, found};
  targets_for_each_pair(program, samples, found, add_target_of_call_pair, &of);
}

/* ==== Groups samples by call path, and computes the rates of each group. */

/* A sample and its call path. */
struct sample_with_path {
  struct sample sample;
  size_t path; /* index of the path in context_builder.paths */
  size_t symbol;
};

/* A struct call_path without the room for more frames. */
struct sampled_path {
  size_t first, depth; /* range of the frames in context_builder.frames */
  bool probed;
};

struct context_builder {
  struct profile_builder *building;
  struct sampled_program *program;
  struct rates *rates;
  struct sampled_path *paths;
  struct probed_call_site *frames; /* the frames of all paths */
  size_t path_count, frame_count;
  struct map path_numbers; /* numbers of the call paths; the key is the
                              frames */
  struct map jumped; /* pairs of a function and a return address, if another
                        callee jumped to the function */
  struct sample_with_path *list;
  size_t count;
};

/* ---- call paths ---- */

static bool is_same_call(const struct call_location *a,
                         const struct call_location *b) {
  bool same = a->depth == b->depth;
  for (size_t i = 0; i < a->depth && same; i++)
    same = a->frames[i].function == b->frames[i].function &&
           a->frames[i].probe == b->frames[i].probe &&
           a->frames[i].discriminator == b->frames[i].discriminator;
  return same;
}

/* The most copies of a jump for which the call of its hop is searched. */
enum { COPIES_MOST = 64 };

/* Finds the call in the source from which the jumps of a hop were compiled.
 * Returns false if the call is unknown, or if there are several calls. */
static bool find_hop_call(const struct sampled_program *program,
                          const struct jump_hop *hop,
                          struct call_location *place) {
  struct call_location other;
  for (size_t i = 0; i < hop->count; i++) {
    if (i == COPIES_MOST)
      return false;
    const struct function_jump *jump = &program->jumps.list[hop->first + i];
    if (!call_location_find(program, jump->place, jump->next,
                            i ? &other : place) ||
        (i && !is_same_call(place, &other)))
      return false;
  }
  return true;
}

/* Adds calls to a path: the calls that led from frame i + 1 to the function of
 * frame i. The calls are the one that returns to frame i + 1, then tail calls.
 * Returns false if one of these calls is unknown. path may be NULL. */
static bool append_or_check_frame_calls(const struct context_builder *of,
                                        const struct sample_stack *stack,
                                        size_t i, struct call_path *path) {
  struct sampled_program *program = of->program;
  struct instruction call;
  struct call_location place;
  struct jump_path tails = {JUMPS_ONE, 0, NULL};
  uint64_t address, inner = stack->frames[i] - (i ? 1 : 0);
  const uint64_t returns = stack->frames[i + 1];
  const struct code_symbol *symbol =
      probes_find_symbol(&program->probes, inner);
  if (!symbol ||
      !code_find_call_before(&program->code, returns, &call, &address))
    return false;
  symbol = jumps_get_function(&program->jumps, symbol);
  if (call.direct)
    tails = jumps_find_path(&program->jumps, call.target, inner);
  else if (map_find(&of->jumped, symbol->address, returns, 0))
    return false;
  if (tails.path_count != JUMPS_ONE)
    return false;
  bool known = call_location_find(program, address, returns, &place);
  for (size_t k = 0; known; k++) {
    if (path)
      call_path_push_frames(path, &place);
    if (path)
      path->probed = place.probed;
    if (k == tails.count)
      break;
    known = find_hop_call(program, &tails.hops[k], &place);
  }
  return known;
}

/* Finds the call path of a stack, after the innermost unknown call. */
static void find_call_path(const struct context_builder *of,
                           const struct sample_stack *stack,
                           struct call_path *path) {
  size_t known = 0;
  path->depth = 0;
  path->probed = false;
  if (!stack->called)
    return;
  while (known + 1 < stack->depth &&
         append_or_check_frame_calls(of, stack, known, NULL))
    known++;
  while (known-- > 0)
    append_or_check_frame_calls(of, stack, known, path);
  call_path_drop_repeats(path);
}

/* ---- rates of one call path ---- */

/* Adds probe i with its rate. If the probe is the entry of the symbol's own
 * function, the rate is also added to *entries. */
static void add_probe_rate(struct context_builder *of,
                           const struct call_path *path, uint64_t number,
                           size_t i, double *entries) {
  const struct probe *probe = &of->building->probes->list[i];
  const double rate = of->rates->probes[i];
  if (rate < 0 || probe->flags & PROBE_DANGLING)
    return;
  if (probe->index == 1 && !probe->inlining &&
      probes_find_function(of->building->probes, probe->guid))
    *entries += rate;
  call_path_add_probe_count(of->building, path, number, probe, rate);
}

/* Adds the rates of samples that have the same symbol and path. Also adds the
 * function as a target of the path's innermost call. */
static void add_symbol_path_rates(struct context_builder *of, size_t begin,
                                  size_t end, enum attribution attribution) {
  const struct probes *probes = of->building->probes;
  const struct code_symbol *symbol = &probes->symbols[of->list[begin].symbol];
  size_t first = probes_index_from(probes, symbol->address);
  size_t last = probes_index_from(probes, symbol->address + symbol->size);
  struct samples some = {.count = end - begin};
  const struct sampled_path *from = &of->paths[of->list[begin].path];
  struct call_path path = {.depth = from->depth, .probed = from->probed};
  double entries = 0;
  if (first == last)
    return;
  for (size_t i = 0; i < path.depth; i++)
    path.frames[i] = of->frames[from->first + i];
  some.list = need_memory(calloc(some.count, sizeof *some.list));
  for (size_t i = begin; i < end; i++)
    some.list[i - begin] = of->list[i].sample;
  rates_set_from_samples(of->rates, of->program, &some, attribution);
  free(some.list);
  for (size_t i = first; i < last; i++)
    add_probe_rate(of, &path, of->list[begin].path + 1, i, &entries);
  rates_reset(of->rates, first, last);
  const char *name =
      probes_function_name(probes, probe_outermost_guid(&probes->list[first]));
  if (name && entries > 0)
    call_path_add_target(of->building, &path, name, entries, path.probed);
}

/* ---- contexts of all samples ---- */

ORDER_BY(compare_path_samples, struct sample_with_path, x->symbol, x->path,
         x->sample.pc);

static void add_sample_with_path(struct context_builder *of,
                                 const struct samples *samples,
                                 const struct sample *sample) {
  struct sample_stack stack;
  struct call_path path;
  uint64_t key = 0, *known;
  sample_stack_build(&stack, of->program, samples, sample);
  const struct code_symbol *symbol =
      probes_find_symbol(&of->program->probes, stack.frames[0]);
  if (!symbol)
    return;
  find_call_path(of, &stack, &path);
  /* A number stands for a frame with all frames outside of it, so the number of
   * the last frame identifies the path. */
  for (size_t i = 0; i < path.depth; i++) {
    known = need_memory(map_find_or_add(
        &of->path_numbers, key + 1, path.frames[i].function->guid,
        (uint64_t)path.frames[i].probe << 32 | path.frames[i].discriminator));
    if (!*known)
      *known = of->path_numbers.count;
    key = *known;
  }
  known = need_memory(map_find_or_add(&of->path_numbers, 0, key, path.probed));
  if (!*known) {
    LIST_ADD(of->paths, of->path_count,
             (struct sampled_path){of->frame_count, path.depth, path.probed});
    for (size_t i = 0; i < path.depth; i++)
      LIST_ADD(of->frames, of->frame_count, path.frames[i]);
    *known = of->path_count;
  }
  of->list[of->count++] =
      (struct sample_with_path){*sample, (size_t)*known - 1,
                                (size_t)(symbol - of->program->probes.symbols)};
}

static void add_pair_reached_by_jump(void *context,
                                     const struct call_callee_pair *pair) {
  struct context_builder *of = context;
  if (!pair->jumped)
    return;
  need_memory(
      map_find_or_add(&of->jumped, pair->callee->address, pair->returns, 0));
}

void builder_add_contexts(struct profile_builder *building,
                          struct sampled_program *program,
                          const struct samples *samples, struct rates *rates,
                          enum attribution attribution) {
  struct context_builder of = {.building = building,
                               .program = program,
                               .rates = rates,
                               .path_numbers = {.limit = (size_t)1 << 26},
                               .jumped = {.limit = (size_t)1 << 26}};
  struct target_statistics found;
  targets_for_each_pair(program, samples, &found, add_pair_reached_by_jump,
                        &of);
  of.list = need_memory(calloc(samples->count + 1, sizeof *of.list));
  rates_reset(rates, 0, building->probes->count);
  for (size_t i = 0; i < samples->count; i++)
    add_sample_with_path(&of, samples, &samples->list[i]);
  sort_array(of.list, of.count, sizeof *of.list, compare_path_samples);
  for (size_t i = 0, next; i < of.count; i = next) {
    next = i + 1;
    while (next < of.count && of.list[next].symbol == of.list[i].symbol &&
           of.list[next].path == of.list[i].path)
      next++;
    add_symbol_path_rates(&of, i, next, attribution);
  }
  free(of.list);
  free(of.paths);
  free(of.frames);
  map_free(&of.path_numbers);
  map_free(&of.jumped);
}

/* ==== Makes a profile from rates of probes. */

void builder_begin(struct profile_builder *building,
                   struct sampled_profile *profile,
                   const struct probes *probes) {
  *building = (struct profile_builder){.profile = profile,
                                       .probes = probes,
                                       .frames = {.limit = (size_t)1 << 26}};
}

void builder_free(struct profile_builder *building) {
  map_free(&building->frames);
}

static void set_function_checksum(struct sampled_function *function,
                                  const struct probe_function *is) {
  function->hash = is->hash;
  function->hashed = true;
}

/* Returns the function with this GUID, inlined through the frames. Returns NULL
 * if a name or checksum is unknown. Recurses at most PROBE_DEPTH_MOST deep. */
static struct sampled_function *
find_or_make_inlined(struct profile_builder *building,
                     const struct probe_inlining *frame, uint64_t guid) {
  const uint64_t *known =
      map_find(&building->frames, (uint64_t)(uintptr_t)frame, guid, 0);
  if (known)
    return (struct sampled_function *)(uintptr_t)*known;
  const struct probe_function *described =
      probes_find_function_or_parent(building->probes, guid);
  struct sampled_function *function = NULL, *into;
  if (!described)
    return NULL;
  /* A call without a probe index has no place in the caller's profile. */
  if (!frame || (!frame->site && !frame->discriminator))
    function =
        sampled_find_or_make_function(building->profile, NULL, described->name);
  else if ((into = find_or_make_inlined(building, frame->parent, frame->guid)))
    function = sampled_find_or_make_inlined(
        building->profile, into,
        (struct sampled_site){frame->site, frame->discriminator},
        described->name);
  uint64_t *found = need_memory(
      map_find_or_add(&building->frames, (uint64_t)(uintptr_t)frame, guid, 0));
  *found = (uint64_t)(uintptr_t)function;
  if (function)
    set_function_checksum(function, described);
  return function;
}

void builder_add_probes(struct profile_builder *building,
                        const struct rates *rates) {
  for (size_t i = 0; i < building->probes->count; i++) {
    const struct probe *probe = &building->probes->list[i];
    if (rates->probes[i] < 0 || probe->flags & PROBE_DANGLING)
      continue;
    struct sampled_function *function =
        find_or_make_inlined(building, probe->inlining, probe->guid);
    if (!function) {
      building->unnamed++;
      continue;
    }
    building->doubted += (probe->flags & PROBE_TWINS) != 0;
    const struct sampled_site site = {probe->index, probe->discriminator};
    sampled_add_line(building->profile, function, site, rates->probes[i]);
    if (probe->index == 1)
      function->head += rates->probes[i];
  }
}

/* ==== Finds the call in the source from the address of a call. */

/* Returns the probe index that clang has stored in a discriminator, or 0 if the
 * discriminator lacks a probe index. */
static uint32_t probe_of_discriminator(uint32_t discriminator) {
  if ((discriminator & 7) != 7)
    return 0;
  return discriminator >> 3 & (discriminator & 1u << 28 ? 0x1FFF : 0xFFFF);
}

/* ---- the call ---- */

static bool locate_call_by_probe(const struct probes *probes, uint64_t call,
                                 struct call_location *place) {
  size_t i = probes_index_from(probes, call), depth = 1;
  while (i < probes->count && probes->list[i].address == call &&
         probes->list[i].type == PROBE_BLOCK)
    i++;
  if (i >= probes->count || probes->list[i].address != call)
    return false;
  const struct probe *probe = &probes->list[i];
  for (const struct probe_inlining *at = probe->inlining; at; at = at->parent)
    depth++;
  if (depth > DWARF_FRAMES)
    return false;
  place->depth = depth;
  place->probed = true;
  place->frames[--depth] =
      (struct probed_call_site){probes_find_function(probes, probe->guid),
                                probe->index, probe->discriminator};
  for (const struct probe_inlining *at = probe->inlining; at; at = at->parent)
    place->frames[--depth] = (struct probed_call_site){
        probes_find_function(probes, at->guid), at->site, at->discriminator};
  return true;
}

/* Returns the function to which a symbol's code belongs, as its first probe
 * shows. Returns NULL if this is unknown. */
static const struct probe_function *
find_outermost_function(const struct probes *probes, uint64_t call) {
  const struct code_symbol *symbol = probes_find_symbol(probes, call);
  const struct probe *first =
      symbol ? probes_first_in_symbol(probes, symbol) : NULL;
  return first ? probes_find_function(probes, probe_outermost_guid(first))
               : NULL;
}

/* ---- a call without a probe, found through its line ---- */

/* The most probes that a search for an inlined function's name looks at. */
enum { NEIGHBOURS = 8192 };

/* Returns the GUID of the function that was inlined through the first `depth`
 * calls of *place, or 0 if the probe is not from that function or its inlined
 * functions. */
static uint64_t find_callee_guid(const struct probe *probe,
                                 const struct call_location *place,
                                 size_t depth) {
  size_t deeper = 0;
  uint64_t guid = probe->guid;
  for (const struct probe_inlining *at = probe->inlining; at; at = at->parent)
    deeper++;
  if (deeper < depth)
    return 0;
  for (const struct probe_inlining *at = probe->inlining; at; at = at->parent) {
    if (deeper-- > depth) {
      guid = at->guid;
      continue;
    }
    const struct probed_call_site *frame = &place->frames[deeper];
    if (at->guid != frame->function->guid || at->site != frame->probe)
      return 0;
  }
  return guid;
}

/* Returns the function that was inlined at the call of the first `depth` frames
 * of *place, or NULL. A call through a pointer may have several inlined
 * functions; then returns the function with the probe nearest to `call`. */
static const struct probe_function *
find_inlined_function_near(const struct probes *probes, uint64_t call,
                           const struct call_location *place, size_t depth) {
  const struct code_symbol *symbol = probes_find_symbol(probes, call);
  if (!symbol)
    return NULL;
  size_t first = probes_index_from(probes, symbol->address);
  size_t last = probes_index_from(probes, symbol->address + symbol->size);
  size_t above = probes_index_from(probes, call + 1), below = above;
  for (unsigned left = NEIGHBOURS; left && (below > first || above < last);
       left--) {
    bool down = below > first &&
                (above == last || call - probes->list[below - 1].address <=
                                      probes->list[above].address - call);
    const struct probe *probe = &probes->list[down ? --below : above++];
    uint64_t guid = find_callee_guid(probe, place, depth);
    if (guid)
      return probes_find_function(probes, guid);
  }
  return NULL;
}

/* Returns the inlined function. If the function has probes, they show it. Debug
 * information of -g1 lacks linkage names of inlined functions, and several
 * functions may have the same name in the source. */
static const struct probe_function *
find_inlined_function(const struct probes *probes, uint64_t call,
                      const struct call_location *place, size_t depth,
                      const char *name) {
  const struct probe_function *found =
      find_inlined_function_near(probes, call, place, depth);
  return found ? found
               : probes_find_function(probes, md5_low64(name, strlen(name)));
}

/* Finds the place of a call in debug information, whose discriminators hold the
 * numbers of probes. `returns` is the return address of the call. */
static bool locate_call_by_line(const struct sampled_program *program,
                                uint64_t call, uint64_t returns,
                                struct call_location *place) {
  struct dwarf_frame frames[DWARF_FRAMES];
  size_t depth = program->lined
                     ? dwarf_find_frames(&program->scopes, &program->lines,
                                         returns - 1, frames)
                     : 0;
  if (!depth || frames[depth - 1].inlined)
    return false;
  for (size_t i = 0; i < depth; i++) {
    const struct dwarf_frame *from = &frames[depth - 1 - i];
    struct probed_call_site *frame = &place->frames[i];
    /* with -g1, a function without inlined calls lacks a name */
    frame->function =
        i ? find_inlined_function(&program->probes, call, place, i, from->name)
          : find_outermost_function(&program->probes, call);
    frame->probe = probe_of_discriminator(from->discriminator);
    frame->discriminator = 0;
    if (!frame->probe || !frame->function)
      return false;
  }
  place->depth = depth;
  place->probed = false;
  return true;
}

bool call_location_find(const struct sampled_program *program, uint64_t call,
                        uint64_t returns, struct call_location *place) {
  if (!locate_call_by_probe(&program->probes, call, place) &&
      !locate_call_by_line(program, call, returns, place))
    return false;
  for (size_t i = 0; i < place->depth; i++)
    if (!place->frames[i].function)
      return false;
  return true;
}

struct sampled_line *
builder_find_or_make_call_line(struct profile_builder *building,
                               const struct call_location *place) {
  struct sampled_function *function = NULL;
  struct sampled_site site = {0, 0};
  for (size_t i = 0; i < place->depth; i++) {
    const struct probed_call_site *frame = &place->frames[i];
    /* A call without a probe index has no place in the caller's profile. */
    function = i && (site.line || site.discriminator)
                   ? sampled_find_or_make_inlined(building->profile, function,
                                                  site, frame->function->name)
                   : sampled_find_or_make_function(building->profile, NULL,
                                                   frame->function->name);
    set_function_checksum(function, frame->function);
    site = (struct sampled_site){frame->probe, frame->discriminator};
  }
  return sampled_find_or_make_line(building->profile, function, site);
}

void builder_add_target(struct profile_builder *building,
                        struct sampled_line *line, const char *name,
                        double count, bool counted) {
  sampled_add_target(building->profile, line, name, count);
  if (!counted)
    line->weight += count;
}

/* ==== Makes call paths. The names of contexts are made from call paths. */

void call_path_drop_repeats(struct call_path *path) {
  path->depth =
      flow_drop_repeats(path->frames, sizeof *path->frames, path->depth);
}

void call_path_push(struct call_path *path,
                    const struct probed_call_site *frame) {
  if (!frame->probe) {
    path->depth = 0;
    return;
  }
  if (path->depth == CALL_PATH_MOST)
    call_path_drop_repeats(path);
  if (path->depth == CALL_PATH_MOST) {
    path->depth = CALL_PATH_MOST / 2;
    memmove(path->frames, path->frames + CALL_PATH_MOST / 2,
            path->depth * sizeof *path->frames);
  }
  path->frames[path->depth++] = *frame;
}

void call_path_push_frames(struct call_path *path,
                           const struct call_location *place) {
  for (size_t i = 0; i < place->depth; i++)
    call_path_push(path, &place->frames[i]);
}

/* Adds the calls through which a probe's code was inlined. Returns false if a
 * function lacks a descriptor. Recurses at most PROBE_DEPTH_MOST deep. */
static bool push_inline_frames(struct call_path *path,
                               const struct probes *probes,
                               const struct probe_inlining *frame) {
  if (!frame)
    return true;
  const struct probe_function *function =
      probes_find_function_or_parent(probes, frame->guid);
  if (!function || !push_inline_frames(path, probes, frame->parent))
    return false;
  call_path_push(path, &(struct probed_call_site){function, frame->site,
                                                  frame->discriminator});
  return true;
}

/* Returns the name of a context, such as "main:3 @ foo:2". The caller frees the
 * name. */
static char *format_context(const struct probed_call_site *frames,
                            size_t depth) {
  enum { REST = sizeof " @ :4294967295.4294967295" };
  size_t at = 0, size = 1;
  for (size_t i = 0; i < depth; i++)
    size += strlen(frames[i].function->name) + REST;
  char *text = need_memory(calloc(size, 1));
  for (size_t i = 0; i < depth; i++) {
    at += (size_t)snprintf(text + at, size - at, "%s%s:%u", i ? " @ " : "",
                           frames[i].function->name, frames[i].probe);
    if (frames[i].discriminator)
      at += (size_t)snprintf(text + at, size - at, ".%u",
                             frames[i].discriminator);
  }
  return text;
}

struct sampled_function *
call_path_find_or_make_function(struct profile_builder *building,
                                const struct call_path *path, size_t depth,
                                const struct probe_function *is) {
  char *context = format_context(path->frames, depth);
  struct sampled_function *function =
      sampled_find_or_make_function(building->profile, context, is->name);
  free(context);
  set_function_checksum(function, is);
  return function;
}

void call_path_add_target(struct profile_builder *building,
                          const struct call_path *path, const char *name,
                          double count, bool counted) {
  if (!path->depth)
    return;
  const struct probed_call_site *last = &path->frames[path->depth - 1];
  struct sampled_line *line = sampled_find_or_make_line(
      building->profile,
      call_path_find_or_make_function(building, path, path->depth - 1,
                                      last->function),
      (struct sampled_site){last->probe, last->discriminator});
  builder_add_target(building, line, name, count, counted);
}

/* ---- probes in contexts ---- */

struct sampled_function *
call_path_find_probe_function(const struct profile_builder *building,
                              uint64_t number, const struct probe *probe) {
  const uint64_t *known =
      map_find(&building->frames, (uint64_t)(uintptr_t)probe->inlining,
               probe->guid, number);
  return known ? (struct sampled_function *)(uintptr_t)*known : NULL;
}

void call_path_add_probe_count(struct profile_builder *building,
                               const struct call_path *base, uint64_t number,
                               const struct probe *probe, double count) {
  struct sampled_function *function =
      call_path_find_probe_function(building, number, probe);
  bool is_entry = probe->index == 1 && probe->inlining && count > 0;
  const struct probe_function *is =
      probes_find_function(building->probes, probe->guid);
  struct call_path path;
  if (!function || is_entry) {
    path = *base;
    if (!is || !push_inline_frames(&path, building->probes, probe->inlining)) {
      building->unnamed++;
      return;
    }
    call_path_drop_repeats(&path);
  }
  if (!function) {
    function = call_path_find_or_make_function(building, &path, path.depth, is);
    if (probe->inlining)
      function->attributes |= 1; /* the function was inlined */
    uint64_t *known = need_memory(
        map_find_or_add(&building->frames, (uint64_t)(uintptr_t)probe->inlining,
                        probe->guid, number));
    *known = (uint64_t)(uintptr_t)function;
  }
  struct sampled_line *line = sampled_find_or_make_line(
      building->profile, function,
      (struct sampled_site){probe->index, probe->discriminator});
  line->weight += count;
  if (probe->index == 1)
    function->head += count;
  /* An inlined function lacks a call instruction, so the count of its entry is
   * the count of the call. */
  if (is_entry)
    call_path_add_target(building, &path, function->name, count, false);
}
