/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Branches to ranges. The rules are those of llvm-profgen, so that the same
 * contexts come out.
 */
#include "unwind.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"

static const char no_contexts[] =
    "more different contexts than there is memory for; give fewer samples";

enum { FRAMES_MOST = 1 + SAMPLES_DEPTH_MOST + SAMPLES_BRANCHES_MOST };
enum { CONTEXTS_MOST = 1 << 22 };

/* A frame's place: the call, except in the innermost frame. And the calls that
 * lead to the frame and into it, as nodes with possible repetitions. */
struct frame {
  uint64_t address;
  uint32_t way;
};

struct unwinding {
  struct samples *samples;
  struct listing *listing;
  struct unwound *unwound;
  struct map contexts; /* of a way: its context, plus 1 */
  /* Of the sample: */
  struct frame frames[FRAMES_MOST]; /* the outermost first */
  size_t depth;                     /* 1 and more */
  bool lost; /* the stack is not known to the end of this sample */
  uint64_t count;
};

static bool is_code(struct listing *listing, uint64_t address) {
  return listing_at(listing, address) != NULL;
}

static uint64_t inside(struct listing *listing, uint64_t address) {
  return is_code(listing, address) ? address : FLOW_OUTSIDE;
}

/* ---- the stack ---- */

static const char *push_frame(struct unwinding *of, uint64_t address) {
  struct frame *frame = &of->frames[of->depth];
  uint32_t outer = of->depth ? frame[-1].way : 0;
  *frame = (struct frame){address, 0};
  if (address != FLOW_OUTSIDE)
    frame->way = flow_call(&of->samples->flow, address, outer);
  of->depth++;
  return frame->way == UINT32_MAX ? no_contexts : NULL;
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

/* The context of what the innermost frame runs. UINT32_MAX: no memory. */
static uint32_t context_of(struct unwinding *of) {
  uint32_t way = of->depth > 1 ? of->frames[of->depth - 2].way : 0;
  uint64_t *known = way ? map_at(&of->contexts, way, 0, 0) : NULL;
  if (!way)
    return 0;
  if (known && !*known) {
    uint32_t context = compressed(&of->samples->flow, way);
    *known = context == UINT32_MAX ? 0 : (uint64_t)context + 1;
  }
  return known && *known ? (uint32_t)(*known - 1) : UINT32_MAX;
}

static const char *add_range(struct unwinding *of, uint64_t begin,
                             uint64_t end) {
  uint32_t context = context_of(of);
  return context == UINT32_MAX
             ? no_contexts
             : flow_range(&of->samples->flow, begin, end, context, of->count);
}

static const char *add_jump(struct unwinding *of, uint64_t from, uint64_t to) {
  uint32_t context = from == FLOW_OUTSIDE ? 0 : context_of(of);
  if (to == FLOW_OUTSIDE)
    return NULL;
  return context == UINT32_MAX
             ? no_contexts
             : flow_jump(&of->samples->flow, from, to, context, of->count);
}

/* ---- from the newest branch to the oldest ---- */

/* Adds the code from the target of a branch up to the frame's place. */
static const char *unwind_range(struct unwinding *of, uint64_t begin) {
  uint64_t end = of->frames[of->depth - 1].address;
  /* Other code ran, and came back to where it was called. */
  if (begin == FLOW_OUTSIDE && end == FLOW_OUTSIDE)
    return NULL;
  if (begin == FLOW_OUTSIDE || end == FLOW_OUTSIDE) {
    of->lost = true;
    return NULL;
  }
  if (begin <= end && listing_runs(of->listing, begin, end))
    return add_range(of, begin, end);
  of->unwound->unlike += of->count;
  of->lost = true;
  return NULL;
}

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

static const char *unwind_branch(struct unwinding *of, uint64_t from,
                                 uint64_t to) {
  const struct listed *source = listing_at(of->listing, from);
  bool call = source && source->call, returns = source && source->returns;
  const struct listed *before =
      to == FLOW_OUTSIDE ? NULL : listing_call_before(of->listing, to);
  uint64_t caller = before               ? before->address
                    : to == FLOW_OUTSIDE ? FLOW_OUTSIDE
                                         : 0;
  if (of->lost || (returns && !caller)) {
    of->lost = true;
    of->depth = 0;
    return push_frame(of, from);
  }
  if (call || (!source && !before))
    return unwind_call(of, from);
  if (returns || !source)
    return unwind_return(of, from, caller);
  return replace_frame(of, from);
}

/* Cuts where no call returns to an address. false: the sample says nothing. */
static bool read_stack(struct unwinding *of, const struct sample_trace *trace,
                       const uint64_t *words, uint64_t stack[], size_t *depth) {
  *depth = 0;
  for (size_t i = 0; i < trace->depth; i++) {
    uint64_t address = inside(of->listing, words[i]);
    if (address == FLOW_OUTSIDE) {
      if (!*depth || stack[*depth - 1] != FLOW_OUTSIDE)
        stack[(*depth)++] = address;
      continue;
    }
    const struct listed *call =
        *depth ? listing_call_before(of->listing, address) : NULL;
    if (*depth && !call)
      break;
    stack[(*depth)++] = call ? call->address : address;
  }
  if (*depth > 1 && stack[*depth - 1] == FLOW_OUTSIDE)
    --*depth;
  return *depth && !listing_frameless(of->listing, stack[0]);
}

/* The branches of a trace that are still to come. */
struct branches {
  const uint64_t *at, *end;
};

static struct branches branches_of(const struct sample_trace *trace,
                                   const uint64_t *words) {
  words += trace->depth;
  return (struct branches){words, words + 2 * trace->branches};
}

/* The next one that the program has a part in; false: none is left. */
static bool next_branch(struct unwinding *of, struct branches *left,
                        uint64_t *from, uint64_t *to) {
  while (left->at != left->end) {
    *from = inside(of->listing, *left->at++);
    *to = inside(of->listing, *left->at++);
    of->unwound->branches += of->count;
    if (*from != FLOW_OUTSIDE || *to != FLOW_OUTSIDE)
      return true;
  }
  return false;
}

static const char *unwind_contexts(struct unwinding *of,
                                   const struct sample_trace *trace,
                                   const uint64_t *words) {
  uint64_t stack[SAMPLES_DEPTH_MOST + 1], from, to;
  struct branches left = branches_of(trace, words);
  const char *error = NULL;
  size_t depth;
  of->depth = 0;
  of->lost = false;
  if (!read_stack(of, trace, words, stack, &depth)) {
    of->unwound->frameless += trace->count;
    return NULL;
  }
  while (!error && next_branch(of, &left, &from, &to)) {
    if (of->depth)
      error = unwind_range(of, to);
    else {
      /* The end of the code after the newest branch is unknown. */
      stack[0] = to;
      while (depth > 0 && !error)
        error = push_frame(of, stack[--depth]);
    }
    if (!error)
      error = unwind_branch(of, from, to);
    if (!error)
      error = add_jump(of, from, to);
  }
  return error;
}

/* ---- without contexts ---- */

static const char *take_branches(struct unwinding *of,
                                 const struct sample_trace *trace,
                                 const uint64_t *words) {
  struct flow *flow = &of->samples->flow;
  struct branches left = branches_of(trace, words);
  uint64_t end = FLOW_OUTSIDE, from, to;
  const char *error = NULL;
  for (; !error && next_branch(of, &left, &from, &to); end = from) {
    if (to == FLOW_OUTSIDE)
      continue;
    error = flow_jump(flow, from, to, 0, of->count);
    if (error || end == FLOW_OUTSIDE)
      continue;
    if (to <= end && listing_runs(of->listing, to, end))
      error = flow_range(flow, to, end, 0, of->count);
    else
      of->unwound->unlike += of->count;
  }
  return error;
}

const char *unwind(struct samples *samples, struct listing *listing,
                   bool contexts, struct unwound *unwound) {
  struct unwinding *of = calloc(1, sizeof *of);
  const char *error = of ? NULL : no_contexts;
  *unwound = (struct unwound){0};
  if (of)
    *of = (struct unwinding){.samples = samples,
                             .listing = listing,
                             .unwound = unwound,
                             .contexts = {.limit = CONTEXTS_MOST}};
  for (size_t at = 0; at < samples->traces.size && !error;) {
    struct sample_trace trace;
    memcpy(&trace, samples->traces.data + at, sizeof trace);
    const uint64_t *words =
        (const void *)(samples->traces.data + at + sizeof trace);
    of->count = trace.count;
    error = contexts ? unwind_contexts(of, &trace, words)
                     : take_branches(of, &trace, words);
    at += sizeof trace + (trace.depth + 2 * trace.branches) * sizeof *words;
  }
  if (of)
    map_free(&of->contexts);
  free(of);
  return error ? error : listing->error;
}

/* ==== Ranges to samples. They overlap: one walk from where the first begins to
 * where the last ends. */

static const char no_code[] =
    "more code ran than there is memory for; give fewer samples";

/* From this address on, so much more. */
struct step {
  uint64_t address, more, less;
};

ORDER_BY(compare_steps, struct step, x->address);

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

static struct step *steps_of(const struct flow_entry *ranges, size_t count) {
  struct step *steps = calloc(2 * count + 1, sizeof *steps);
  for (size_t i = 0; steps && i < count; i++) {
    steps[2 * i] = (struct step){ranges[i].begin, ranges[i].count, 0};
    steps[2 * i + 1] = (struct step){ranges[i].end + 1, 0, ranges[i].count};
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
  struct step *steps = steps_of(ranges, count);
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
