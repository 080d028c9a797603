/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * From return addresses to targets of calls.
 */
#include "build.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "../base/map.h"

/* ==== The link register and the chain of frames to one stack. */

static void push_frame(struct stack *stack, uint64_t address) {
  if (stack->depth < sizeof stack->frames / sizeof *stack->frames)
    stack->frames[stack->depth++] = address;
}

/* Whether it is behind a call that may have been of this function, or of one
 * that jumps lead here from. */
static bool is_return(struct program *program, uint64_t pc, uint64_t ra) {
  struct instruction call;
  uint64_t address;
  return code_call_before(&program->code, ra, &call, &address) &&
         (!call.direct || !probes_symbol(&program->probes, pc) ||
          jumps_lead(&program->jumps, call.target, pc).ways);
}

void stack_read(struct stack *stack, struct program *program,
                const struct samples *samples, const struct sample *sample) {
  const struct code *code = &program->code;
  uint64_t ra = code_address(code, sample->ra);
  uint32_t chain = sample->chain;
  stack->depth = 0;
  push_frame(stack, code_address(code, sample->pc));
  stack->called = chain != 0;
  enum link_state state =
      ra ? listing_link(&program->listing, stack->frames[0]) : LINK_LOST;
  if ((state == LINK_LIVES && !chain) ||
      (state != LINK_LOST && is_return(program, stack->frames[0], ra))) {
    push_frame(stack, ra);
    stack->called = true;
    /* A function that makes a frame although it calls nothing. */
    if (chain && code_address(code, samples->chains[chain].address) == ra)
      chain = samples->chains[chain].outer;
  }
  for (; chain; chain = samples->chains[chain].outer)
    push_frame(stack, code_address(code, samples->chains[chain].address));
}

/* ==== From return addresses to targets of calls. */

struct sharing {
  struct program *program;
  struct targets_found *found;
  struct map pairs;   /* symbol, return address: samples */
  struct map callees; /* symbol: samples of those that count */
};

/* A pair of callee and return address. */
struct target_seen {
  const struct probe_symbol *callee;
  uint64_t returns, call, samples, of; /* of: all of the callee's */
  bool jumped;                         /* another callee jumped there */
};

struct targets_adding {
  struct building *building;
  struct program *program;
  const struct rates *rates;
  struct targets_found *found;
};

/* How often a symbol's function was entered, and which it is. */
static double entries_of(const struct probes *probes, const struct rates *rates,
                         const struct probe_symbol *symbol, uint64_t *guid) {
  double sum = 0;
  *guid = 0;
  for (size_t i = probes_from(probes, symbol->address); i < probes->count;
       i++) {
    const struct probe *probe = &probes->list[i];
    if (probe->address - symbol->address >= symbol->size)
      break;
    if (probe->index != 1 || probe->frame || rates->probes[i] < 0)
      continue;
    *guid = probe->guid;
    sum += rates->probes[i];
  }
  return sum;
}

static const char *gather_pairs(struct sharing *of,
                                const struct samples *samples) {
  struct stack stack;
  for (size_t i = 0; i < samples->count; i++) {
    struct instruction call;
    uint64_t address;
    stack_read(&stack, of->program, samples, &samples->list[i]);
    const struct probe_symbol *symbol =
        probes_symbol(&of->program->probes, stack.frames[0]);
    if (!symbol || !stack.called)
      continue;
    /* If no jump leads here from what was called, the return address belongs
     * to an older call. */
    struct jump_way way = {JUMPS_ONE, 0, NULL};
    bool known =
        code_call_before(&of->program->code, stack.frames[1], &call, &address);
    if (known && call.direct)
      way = jumps_lead(&of->program->jumps, call.target, stack.frames[0]);
    if (!known || !way.ways) {
      of->found->refused += samples->list[i].count;
      continue;
    }
    const bool other = way.ways == JUMPS_SEVERAL || way.count;
    if (!(symbol = jumps_function(&of->program->jumps, symbol)))
      return out_of_memory;
    size_t number = (size_t)(symbol - of->program->probes.symbols);
    uint64_t *callee = map_at(&of->callees, number, 0, 0);
    if (callee)
      *callee += samples->list[i].count;
    uint64_t *pair =
        other ? callee : map_at(&of->pairs, number, stack.frames[1], address);
    if (!pair)
      return out_of_memory;
    if (!other)
      *pair += samples->list[i].count;
  }
  return NULL;
}

/* ---- pairs ---- */

ORDER_BY(pairs_by_place, struct target_seen, x->returns, (uintptr_t)x->callee);

/* NULL: no memory. */
static struct target_seen *list_pairs(const struct sharing *of) {
  struct target_seen *list = calloc(of->pairs.count + 1, sizeof *list);
  size_t count = 0;
  for (const struct map_entry *entry = list ? map_next(&of->pairs, NULL) : NULL;
       entry; entry = map_next(&of->pairs, entry)) {
    const uint64_t *all = map_find(&of->callees, entry->key[0], 0, 0);
    list[count++] =
        (struct target_seen){&of->program->probes.symbols[entry->key[0]],
                             entry->key[1],
                             entry->key[2],
                             entry->value,
                             all ? *all : entry->value,
                             false};
  }
  if (list)
    qsort(list, count, sizeof *list, pairs_by_place);
  return list;
}

/* Callees at one place that is not looked at for jumps if it has more. */
enum { CALLEES_MOST = 256 };

static bool leads(struct sharing *of, const struct probe_symbol *from,
                  const struct probe_symbol *to) {
  return jumps_lead(&of->program->jumps, from->address, to->address).ways;
}

/* Marks callees at one place that another callee jumps to: probably they were
 * not called there. If two callees jump to each other, the one seen more often
 * was called. */
static void mark_jumped(struct sharing *of, struct target_seen *list,
                        size_t count) {
  for (size_t i = 0; i < count && count <= CALLEES_MOST; i++)
    for (size_t k = 0; k < count && !list[i].jumped; k++) {
      const struct target_seen *a = &list[i], *b = &list[k];
      if (i == k || !leads(of, b->callee, a->callee))
        continue;
      list[i].jumped =
          b->samples > a->samples || !leads(of, a->callee, b->callee);
    }
}

static const char *add_pair(void *context, const struct targets_pair *pair) {
  const struct targets_adding *of = context;
  struct call_place place;
  uint64_t guid;
  of->found->jumped += pair->jumped;
  if (pair->jumped)
    return NULL;
  double count =
      entries_of(&of->program->probes, of->rates, pair->callee, &guid);
  const char *name = probes_name(&of->program->probes, guid);
  if (!guid || !name)
    return NULL;
  of->found->pairs++;
  if (!call_place_find(of->program, pair->call, pair->returns, &place)) {
    of->found->unknown++;
    return NULL;
  }
  count *= pair->share;
  return call_target(of->building, call_line(of->building, &place), name, count,
                     place.probed);
}

static const char *
hand_out_pairs(struct sharing *of,
               const char *(*take)(void *, const struct targets_pair *),
               void *context) {
  struct target_seen *list = list_pairs(of);
  const char *error = list ? NULL : out_of_memory;
  for (size_t i = 0, next; i < of->pairs.count && !error; i = next) {
    next = i + 1;
    while (next < of->pairs.count && list[next].returns == list[i].returns)
      next++;
    mark_jumped(of, &list[i], next - i);
    for (size_t k = i; k < next && !error; k++) {
      const struct target_seen *seen = &list[k];
      const struct targets_pair pair = {
          seen->callee, seen->call, seen->returns,
          (double)seen->samples / (double)seen->of, seen->jumped};
      error = take(context, &pair);
    }
  }
  free(list);
  return error;
}

const char *targets_each(struct program *program, const struct samples *samples,
                         struct targets_found *found,
                         const char *(*take)(void *context,
                                             const struct targets_pair *pair),
                         void *context) {
  struct sharing of = {.program = program,
                       .found = found,
                       .pairs = {.limit = (size_t)1 << 26},
                       .callees = {.limit = (size_t)1 << 26}};
  *found = (struct targets_found){0};
  const char *error = gather_pairs(&of, samples);
  if (!error)
    error = hand_out_pairs(&of, take, context);
  map_free(&of.pairs);
  map_free(&of.callees);
  return error ? error : program->listing.error;
}

const char *targets_add(struct building *building, struct program *program,
                        const struct samples *samples,
                        const struct rates *rates,
                        struct targets_found *found) {
  struct targets_adding of = {building, program, rates, found};
  return targets_each(program, samples, found, add_pair, &of);
}
