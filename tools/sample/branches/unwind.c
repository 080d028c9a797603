/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Branches to ranges. The rules are those of llvm-profgen, so that the same
 * contexts come out.
 */
#include "branches.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/map.h"
#include "../../base/compare.h"

static const char no_contexts[] =
    "more different contexts than there is memory for; give fewer samples";

enum { FRAMES_MOST = 1 + SAMPLES_DEPTH_MOST + SAMPLES_BRANCHES_MOST };
enum { CONTEXTS_MOST = 1 << 26, PASSAGES_MOST = 1 << 26 };

/* What is known of a branch wherever it occurs. */
struct known_jump {
  uint64_t from, to;        /* FLOW_OUTSIDE: not in the program */
  uint64_t caller;          /* the call that returns to `to`; 0: none does */
  bool code, call, returns; /* what is at `from` */
  uint32_t recent;          /* the last passage to it, or 0 */
};

/* What is known of a return address in a stack. */
struct caller {
  uint64_t call; /* FLOW_OUTSIDE: not in the program */
  uint32_t way;  /* as in struct stack_frame */
  bool wrong;    /* no call returns there */
};

/* What ran between two branches. */
enum between {
  BETWEEN_NOTHING, /* known: the program was left, or this is the end */
  BETWEEN_LOST,    /* the program was left, but not entered again */
  BETWEEN_RANGE,
  BETWEEN_UNLIKE /* what cannot run as one */
};

/* A branch, and what ran since the one before it. */
struct passage {
  uint64_t count;
  uint32_t older, newer; /* older is 0: not known */
  uint32_t context;
  enum between between;
};

/* A frame's place: the call, except in the innermost frame. And the calls that
 * lead to the frame and into it, as nodes with possible repetitions: only
 * frames that call need them. */
struct stack_frame {
  uint64_t address;
  uint32_t way;
  bool has_way;
};

struct unwinding {
  struct samples *samples;
  struct listing *listing;
  struct unwound *unwound;
  bool in_contexts;
  struct known_jump *places;  /* of branches by number */
  struct caller *callers;     /* by number of a chain */
  struct map passage_numbers; /* of older, newer and context, from 1 on */
  struct buffer passages;     /* struct passage; the first is none */
  struct buffer contexts;     /* uint32_t, of a way: its context, plus 1 */
  /* Of the sample: */
  struct stack_frame frames[FRAMES_MOST]; /* the outermost first */
  size_t depth;                           /* 1 and more */
  bool lost; /* the stack is not known to the end of this sample */
  uint64_t count;
};

/* ---- branches ---- */

static uint64_t inside(struct listing *listing, uint64_t address) {
  return listing_at(listing, address) ? address : FLOW_OUTSIDE;
}

static struct known_jump place_of(struct listing *listing,
                                  const struct sample_branch *branch) {
  struct known_jump place = {.to = inside(listing, branch->to),
                             .from = FLOW_OUTSIDE};
  const struct listed *source = listing_at(listing, branch->from);
  if (source) {
    place.from = branch->from;
    place.code = true;
    place.call = source->call;
    place.returns = source->returns;
  }
  const struct listed *before =
      place.to == FLOW_OUTSIDE ? NULL : listing_call_before(listing, place.to);
  if (before)
    place.caller = before->address;
  return place;
}

static bool find_places(struct unwinding *of) {
  const struct recorded *traces = &of->samples->traces;
  size_t count = recorded_branches(traces);
  of->places = calloc(count + 1, sizeof *of->places);
  for (uint32_t i = 1; of->places && i <= count; i++)
    of->places[i] = place_of(of->listing, recorded_branch(traces, i));
  return of->places != NULL;
}

static struct caller caller_of(struct listing *listing, uint64_t address) {
  if (inside(listing, address) == FLOW_OUTSIDE)
    return (struct caller){.call = FLOW_OUTSIDE};
  const struct listed *call = listing_call_before(listing, address);
  return call ? (struct caller){.call = call->address}
              : (struct caller){.wrong = true};
}

/* A caller's number is above that of its own caller. */
static bool find_callers(struct unwinding *of) {
  const struct sample_caller *chains =
      (const void *)of->samples->caller_memory.data;
  size_t count = of->in_contexts ? of->samples->callers.count : 0;
  of->callers = calloc(count + 1, sizeof *of->callers);
  for (size_t i = 1; of->callers && i <= count; i++) {
    struct caller *caller = &of->callers[i];
    *caller = caller_of(of->listing, chains[i].address);
    if (!caller->wrong && caller->call != FLOW_OUTSIDE)
      caller->way = flow_call(&of->samples->flow, caller->call,
                              of->callers[chains[i].outer].way);
    if (caller->way == UINT32_MAX)
      return false;
  }
  return of->callers != NULL;
}

/* ---- passages ---- */

static enum between find_between(struct unwinding *of, uint32_t older,
                                 uint32_t newer) {
  uint64_t begin = of->places[older].to, end = of->places[newer].from;
  if (!older || (begin == FLOW_OUTSIDE && end == FLOW_OUTSIDE))
    return BETWEEN_NOTHING;
  if (begin == FLOW_OUTSIDE || end == FLOW_OUTSIDE)
    return BETWEEN_LOST;
  return begin <= end && listing_runs(of->listing, begin, end) ? BETWEEN_RANGE
                                                               : BETWEEN_UNLIKE;
}

static struct passage *passage_at(const struct unwinding *of, size_t number) {
  return (struct passage *)(void *)of->passages.data + number;
}

/* Returns 0 if there is no memory. */
static uint32_t number_of_passage(struct unwinding *of,
                                  const struct passage *passage) {
  bool is_new;
  size_t number = map_number(
      &of->passage_numbers,
      (uint64_t[3]){passage->older, passage->newer, passage->context}, &is_new);
  if (!number || !is_new)
    return (uint32_t)number;
  struct passage made = *passage;
  made.between = find_between(of, passage->older, passage->newer);
  return buffer_add(&of->passages, &made, sizeof made) ? 0 : (uint32_t)number;
}

/* Counts a passage. Mostly it is the same as at the branch's last time. NULL:
 * no memory. */
static const struct passage *add_passage(struct unwinding *of, uint32_t older,
                                         uint32_t newer, uint32_t context) {
  uint32_t *recent = &of->places[newer].recent;
  struct passage *passage = passage_at(of, *recent);
  if (passage->older != older || passage->newer != newer ||
      passage->context != context) {
    *recent = number_of_passage(
        of,
        &(struct passage){.older = older, .newer = newer, .context = context});
    if (!*recent)
      return NULL;
    passage = passage_at(of, *recent);
  }
  passage->count += of->count;
  if (passage->between == BETWEEN_UNLIKE)
    of->unwound->unlike += of->count;
  return passage;
}

/* All passages to ranges and branches. */
static const char *count_passages(const struct unwinding *of) {
  struct flow *flow = &of->samples->flow;
  const char *error = NULL;
  for (size_t i = 1; i <= of->passage_numbers.count && !error; i++) {
    const struct passage *passage = passage_at(of, i);
    const struct known_jump *older = &of->places[passage->older];
    const struct known_jump *newer = &of->places[passage->newer];
    if (newer->to != FLOW_OUTSIDE)
      error = flow_jump(flow, newer->from, newer->to, passage->context,
                        passage->count);
    if (!error && passage->between == BETWEEN_RANGE)
      error = flow_range(flow, older->to, newer->from, passage->context,
                         passage->count);
  }
  return error;
}

/* ---- the stack ---- */

/* The frame outside of it, if any, has its way. false: no memory. */
static bool find_way(struct unwinding *of, struct stack_frame *frame) {
  uint32_t outer = frame != of->frames ? frame[-1].way : 0;
  if (!frame->has_way && frame->address != FLOW_OUTSIDE)
    frame->way = flow_call(&of->samples->flow, frame->address, outer);
  frame->has_way = true;
  return frame->way != UINT32_MAX;
}

static const char *push_frame(struct unwinding *of, uint64_t address) {
  struct stack_frame *frame = &of->frames[of->depth];
  bool good = !of->depth || find_way(of, frame - 1);
  *frame = (struct stack_frame){.address = address};
  of->depth++;
  return good ? NULL : no_contexts;
}

static const char *replace_frame(struct unwinding *of, uint64_t address) {
  of->depth--;
  return push_frame(of, address);
}

/* ---- contexts ---- */

/* The way without what repeats itself. */
static uint32_t compressed(struct flow *flow, uint32_t way) {
  uint64_t calls[FLOW_DEPTH_MOST];
  size_t depth = way ? flow_node(flow, way)->depth : 0;
  uint32_t context = 0;
  for (size_t i = depth; i-- > 0; way = flow_node(flow, way)->outer)
    calls[i] = flow_node(flow, way)->call;
  depth = flow_compress(calls, sizeof *calls, depth);
  for (size_t i = 0; i < depth && context != UINT32_MAX; i++)
    context = flow_call(flow, calls[i], context);
  return context;
}

/* Where the context of a way is kept. NULL: no memory. */
static uint32_t *known_context(struct unwinding *of, uint32_t way) {
  struct buffer *list = &of->contexts;
  size_t place = way * sizeof(uint32_t);
  if (place >= list->size) {
    size_t more = place + sizeof(uint32_t) - list->size;
    if (buffer_reserve(list, more))
      return NULL;
    memset(list->data + list->size, 0, more);
    list->size += more;
  }
  return (uint32_t *)(void *)list->data + way;
}

/* The context of what the innermost frame runs. UINT32_MAX: no memory. */
static uint32_t context_of(struct unwinding *of) {
  uint32_t way = of->depth > 1 ? of->frames[of->depth - 2].way : 0;
  uint32_t *known = way ? known_context(of, way) : NULL;
  if (!way)
    return 0;
  if (known && !*known) {
    uint32_t context = compressed(&of->samples->flow, way);
    *known = context == UINT32_MAX ? 0 : context + 1;
  }
  return known && *known ? *known - 1 : UINT32_MAX;
}

/* ---- from the newest branch to the oldest ---- */

static const char *unwind_call(struct unwinding *of, uint64_t from) {
  /* A frame that the stack lacks is that of a function which has not made one
   * yet. */
  if (of->depth < 2 || of->frames[of->depth - 2].address != from)
    return replace_frame(of, from);
  of->depth--;
  return NULL;
}

static const char *unwind_return(struct unwinding *of, uint64_t from,
                                 uint64_t call) {
  const char *error = replace_frame(of, call);
  return error ? error : push_frame(of, from);
}

static const char *unwind_branch(struct unwinding *of,
                                 const struct known_jump *branch) {
  uint64_t caller = branch->to == FLOW_OUTSIDE ? FLOW_OUTSIDE : branch->caller;
  if (of->lost || (branch->returns && !caller)) {
    of->lost = true;
    of->depth = 0;
    return push_frame(of, branch->from);
  }
  if (branch->call || (!branch->code && !branch->caller))
    return unwind_call(of, branch->from);
  if (branch->returns || !branch->code)
    return unwind_return(of, branch->from, caller);
  return replace_frame(of, branch->from);
}

/* The frames outside of the innermost. Cuts where no call returns to an
 * address. */
static void read_stack(struct unwinding *of, const struct sample_trace *trace) {
  const struct sample_caller *chains =
      (const void *)of->samples->caller_memory.data;
  struct stack_frame *end = of->frames + SAMPLES_DEPTH_MOST, *frame = end;
  uint64_t inner = inside(of->listing, trace->pc);
  uint32_t chain = trace->chain;
  for (; chain && !of->callers[chain].wrong; chain = chains[chain].outer) {
    const struct caller *caller = &of->callers[chain];
    if (caller->call != FLOW_OUTSIDE || inner != FLOW_OUTSIDE)
      *--frame = (struct stack_frame){caller->call, caller->way, true};
    inner = caller->call;
  }
  if (frame != end && frame->address == FLOW_OUTSIDE)
    frame++;
  of->depth = (size_t)(end - frame);
  memmove(of->frames, frame, of->depth * sizeof *frame);
}

/* The branches of a trace that are still to come. */
struct left {
  const uint32_t *at, *end;
};

/* The number of the next one that the program has a part in; 0: none is
 * left. */
static uint32_t next_branch(struct unwinding *of, struct left *left) {
  while (left->at != left->end) {
    uint32_t number = *left->at++;
    const struct known_jump *place = &of->places[number];
    of->unwound->branches += of->count;
    if (place->from != FLOW_OUTSIDE || place->to != FLOW_OUTSIDE)
      return number;
  }
  return 0;
}

static const char *unwind_contexts(struct unwinding *of,
                                   const struct sample_trace *trace,
                                   struct left left) {
  uint32_t number, newer = 0, context = 0;
  const char *error = NULL;
  of->lost = false;
  if (listing_frameless(of->listing, trace->pc)) {
    of->unwound->frameless += trace->count;
    return NULL;
  }
  while (!error && (number = next_branch(of, &left))) {
    const struct known_jump *branch = &of->places[number];
    if (newer) {
      const struct passage *passage = add_passage(of, number, newer, context);
      if (!passage)
        error = no_contexts;
      else if (passage->between == BETWEEN_LOST ||
               passage->between == BETWEEN_UNLIKE)
        of->lost = true;
    } else {
      /* The end of the code after the newest branch is unknown. */
      read_stack(of, trace);
      error = push_frame(of, branch->to);
    }
    if (!error)
      error = unwind_branch(of, branch);
    context = branch->from == FLOW_OUTSIDE ? 0 : context_of(of);
    if (context == UINT32_MAX)
      error = no_contexts;
    newer = number;
  }
  return !error && newer && !add_passage(of, 0, newer, context) ? no_contexts
                                                                : error;
}

/* ---- without contexts ---- */

static const char *unwind_plain(struct unwinding *of, struct left left) {
  uint32_t number, newer = 0;
  for (; (number = next_branch(of, &left)); newer = number)
    if (newer && !add_passage(of, number, newer, 0))
      return no_contexts;
  return newer && !add_passage(of, 0, newer, 0) ? no_contexts : NULL;
}

static const char *unwind_all(struct unwinding *of) {
  const struct recorded *traces = &of->samples->traces;
  const struct sample_trace *trace;
  const uint32_t *numbers;
  const struct passage none = {0};
  const char *error = find_places(of) && find_callers(of) &&
                              !buffer_append(&of->passages, &none, sizeof none)
                          ? NULL
                          : no_contexts;
  for (size_t at = 0;
       !error && (trace = recorded_next(traces, &at, &numbers));) {
    const struct left left = {numbers, numbers + trace->branches};
    of->count = trace->count;
    error = of->in_contexts ? unwind_contexts(of, trace, left)
                            : unwind_plain(of, left);
  }
  return error ? error : count_passages(of);
}

const char *unwind(struct samples *samples, struct listing *listing,
                   bool contexts, struct unwound *unwound) {
  struct unwinding *of = calloc(1, sizeof *of);
  *unwound = (struct unwound){0};
  if (!of)
    return no_contexts;
  *of = (struct unwinding){
      .samples = samples,
      .listing = listing,
      .unwound = unwound,
      .in_contexts = contexts,
      .passage_numbers = {.limit = PASSAGES_MOST},
      .passages = {.limit = PASSAGES_MOST * sizeof(struct passage)},
      .contexts = {.limit = CONTEXTS_MOST * sizeof(uint32_t)}};
  const char *error = unwind_all(of);
  free(of->places);
  free(of->callers);
  map_free(&of->passage_numbers);
  buffer_free(&of->passages);
  buffer_free(&of->contexts);
  free(of);
  return error ? error : listing->error;
}

/* ==== Ranges to samples. They overlap: one walk from where the first begins to
 * where the last ends. */

static const char no_code[] =
    "more code ran than there is memory for; give fewer samples";

/* From this address on, so much more. */
struct count_step {
  uint64_t address, more, less;
};

ORDER_BY(compare_steps, struct count_step, x->address);

static const char *add_instruction(struct buffer *list, uint64_t address,
                                   uint64_t count) {
  const struct sample one = {.pc = address, .count = count};
  return buffer_append(list, &one, sizeof one);
}

/* The instructions from one step to the next one. */
static const char *walk_step(struct buffer *list, struct listing *listing,
                             uint64_t begin, uint64_t end, uint64_t count) {
  const struct listed *one;
  const char *error = NULL;
  while (!error && begin < end && (one = listing_from(listing, begin)) &&
         one->address < end) {
    begin = one->address + one->length;
    error = add_instruction(list, one->address, count);
  }
  return error ? error : listing->error;
}

static struct count_step *steps_of(const struct flow_entry *ranges,
                                   size_t count) {
  struct count_step *steps = calloc(2 * count + 1, sizeof *steps);
  for (size_t i = 0; steps && i < count; i++) {
    steps[2 * i] = (struct count_step){ranges[i].begin, ranges[i].count, 0};
    steps[2 * i + 1] =
        (struct count_step){ranges[i].end + 1, 0, ranges[i].count};
  }
  if (steps)
    qsort(steps, 2 * count, sizeof *steps, compare_steps);
  return steps;
}

const char *expand_ranges(struct samples *to, struct listing *listing,
                          const struct flow_entry *ranges, size_t count) {
  struct buffer list = {.limit = (size_t)1 << 31};
  uint64_t running = 0;
  const char *error = NULL;
  samples_begin(to);
  struct count_step *steps = steps_of(ranges, count);
  if (!steps)
    return no_code;
  for (size_t i = 0; i < 2 * count && !error; i++) {
    running += steps[i].more - steps[i].less;
    if (running && i + 1 < 2 * count)
      error = walk_step(&list, listing, steps[i].address, steps[i + 1].address,
                        running);
  }
  free(steps);
  to->list = to->folded.list = (void *)list.data;
  to->count = to->folded.count = list.size / sizeof *to->list;
  for (size_t i = 0; i < to->count; i++)
    to->total += to->list[i].count;
  return error;
}
