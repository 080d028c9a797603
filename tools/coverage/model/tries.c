/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file finds code in and after a `try` whose count is not known. clang
 * counts the code after a call as soon as the call is reached. If the call
 * throws, code with this count may not have run. The handlers tell how many
 * exceptions they caught; code that was reached more often has run.
 *
 * clang counts the end of a `try` in the code that calls leave by an exception.
 * If no call in the `try` can throw, this counter stays 0.
 */
#include "evaluation.h"

#include "../../base/compare.h"
#include "../../base/need.h"

/* A `try` in the main file of the current function. */
struct try_state {
  struct evaluation *evaluation;
  const struct source_tokens *tokens;
  struct file_regions in;       /* the file's regions in the mapping */
  size_t out;                   /* index of the first region in the model */
  const struct try_part *block; /* first part of the `try` */
  size_t parts;
  const struct region **throws; /* for each part that is a throw, the region
                                   around it; for other parts, NULL */
  const struct region *entry;   /* region of the block */
  const struct region *after;   /* see find_code_after */
  uint64_t caught; /* number of exceptions that the handlers caught */
  uint64_t thrown; /* number of exceptions that may come from a call */
};

static uint64_t count_region(const struct try_state *try,
                             const struct region *region) {
  const uint64_t *leads = (const void *)try->evaluation->leads.data;
  uint32_t cause = CAUSE_NONE;
  return region ? counts_find_value_or_cause(try->evaluation,
                                             region->kind == REGION_EXPANSION
                                                 ? leads[region->expanded]
                                                 : region->counter,
                                             &cause)
                : 0;
}

static const struct region *find_code_at(const struct try_state *try,
                                         uint64_t place) {
  const struct region *at = regions_find_code_around(try->in, place);
  return at && begin_of(at) == place ? at : NULL;
}

static const struct source_token *find_token(const struct try_state *try,
                                             uint64_t place) {
  const struct source_token *list = (const void *)try->tokens->list.data;
  size_t count = try->tokens->list.size / sizeof *list;
  size_t at = search_from(list, count, place, place);
  return at < count ? &list[at] : NULL;
}

/* Returns whether a region has a counter that no region before it has. Such a
 * counter counts where the region begins. */
static bool has_own_counter(const struct try_state *try,
                            const struct region *region) {
  for (const struct region *at = try->in.list; at != region; at++)
    if (at->counter == region->counter && at->kind == REGION_CODE)
      return false;
  return region->counter % 4 == COUNTER_PLAIN;
}

/* Returns the end of the first line with code of a region. */
static uint64_t find_first_line_end(const struct try_state *try,
                                    const struct region *region) {
  const struct source_token *first = find_token(try, begin_of(region));
  return first ? place_number((uint32_t)(first->place >> 32) + 1, 1) : 0;
}

/* If a part of the `try` is a `throw` that ran, and that begins an inner region
 * directly inside `region`, returns its position. Otherwise returns 0. */
static uint64_t find_reached_throw(const struct try_state *try, size_t part,
                                   const struct region *region) {
  const struct region *inner = try->throws[part];
  bool reached =
      inner &&
      find_token(try, begin_of(inner))->place == try->block[part].begin &&
      has_own_counter(try, inner) && count_region(try, inner) &&
      regions_find_code_around(try->in, begin_of(inner) - 1) == region;
  return reached ? begin_of(inner) : 0;
}

/* Returns the position from which on a region may not have run, because of an
 * exception. A region that is counted where it begins has run up to the end of
 * its first line. Inner regions that begin before this position, and end after
 * it, are handled for themselves, so the result is their end. */
static uint64_t find_unsure_place(const struct try_state *try,
                                  const struct region *region) {
  uint64_t sure = find_first_line_end(try, try->entry);
  uint64_t place = has_own_counter(try, region)
                       ? find_first_line_end(try, region)
                       : begin_of(region);
  place = place > sure ? place : sure;
  for (size_t i = 0; i < try->parts; i++) {
    uint64_t reached = find_reached_throw(try, i, region);
    place = reached > place ? reached : place;
  }
  for (const struct region *at = try->in.list; at != try->in.end; at++)
    if (at->kind == REGION_CODE && begin_of(at) > begin_of(region) &&
        begin_of(at) < place && end_of(at) > place)
      place = end_of(at);
  return place;
}

static struct model_region *find_model_region(const struct try_state *try,
                                              const struct region *region) {
  size_t number = try->out;
  for (const struct region *at = try->in.list; at != region; at++)
    number += at->kind < REGION_BRANCH;
  return &model_regions(try->evaluation->out)[number];
}

/* Returns whether an exception may have left code with a count at a call. If
 * the code ends with a `throw`, the call before may have thrown instead. */
static bool may_call_have_thrown(const struct try_state *try,
                                 const struct region *code, uint64_t count) {
  bool throws = false;
  for (size_t i = 0; i < try->parts; i++)
    throws |= try->throws[i] == code;
  bool reaches_end = end_of(code) > try->block->end && try->after;
  return (throws || count <= try->thrown) &&
         !(reaches_end && count_region(try, try->after) > try->caught);
}

/* Marks the part of a region in the block that an exception may have skipped:
 * adds an unknown region. */
static void mark_skipped_part(const struct try_state *try,
                              const struct region *region) {
  uint64_t count = count_region(try, region), begin = begin_of(region);
  uint64_t steps = (uint64_t)(try->in.end - try->in.list) * (try->parts + 4);
  bool code = region->kind == REGION_CODE && begin < end_of(region);
  if (!count || region->kind > REGION_EXPANSION || begin < try->block->begin ||
      begin >= try->block->end)
    return;
  const struct region *around =
      code ? region : regions_find_code_around(try->in, begin);
  if (!around || !may_call_have_thrown(try, around, count) ||
      !evaluation_use_steps(try->evaluation, steps))
    return;
  uint64_t place = find_unsure_place(try, around);
  place = begin > place ? begin : place;
  if (place > end_of(region) || (place == end_of(region) && code))
    return;
  struct model_region made = *find_model_region(try, region);
  made.cause = made.cause ? made.cause : CAUSE_THROWN;
  made.count = 0;
  made.added = 1;
  made.span.line = (uint32_t)(place >> 32);
  made.span.column = (uint32_t)place;
  evaluation_append(try->evaluation, &try->evaluation->out->regions, &made,
                    sizeof made);
}

/* ---- the end of a `try` ---- */

/* Returns the region that begins after the handlers, with the counter of the
 * end of the `try`: clang numbers this counter after the counters around the
 * `try`, and before the counters in it. Returns NULL if no code follows. */
static const struct region *find_code_after(const struct try_state *try,
                                            const struct region *handler,
                                            uint64_t place) {
  const struct source_token *token = find_token(try, place);
  const struct region *after = token ? find_code_at(try, token->place) : NULL;
  if (!after || after->counter % 4 != COUNTER_PLAIN ||
      after->counter >= handler->counter)
    return NULL;
  for (const struct region *at = try->in.list; at != try->in.end; at++)
    if (begin_of(at) <= begin_of(try->entry) &&
        end_of(at) >= end_of(try->entry) && at->kind == REGION_CODE &&
        at->counter % 4 == COUNTER_PLAIN && at->counter >= after->counter)
      return NULL;
  return after;
}

/* Marks the regions whose counts contain the counter of the end of the `try`,
 * which may have stayed 0. */
static void mark_code_after(const struct try_state *try) {
  struct evaluation *evaluation = try->evaluation;
  const uint64_t *counted = evaluation->counted.counters;
  uint64_t *counters = need_memory(
      calloc(evaluation->counted.counter_count + 1, sizeof *counters));
  counters[try->after->counter / 4] = 1;
  evaluation->counted.counters = counters;
  counts_compute_values(evaluation);
  for (const struct region *at = try->in.list; at != try->in.end; at++)
    if (at->kind < REGION_BRANCH && count_region(try, at)) {
      struct model_region *one = find_model_region(try, at);
      one->cause = CAUSE_THROWN;
      one->count = 0;
    }
  evaluation->counted.counters = counted;
  counts_compute_values(evaluation);
  free(counters);
}

/* Returns whether the block was reached, and neither a handler nor the code
 * after the handlers, though the block does not end with a jump. Either clang
 * did not count the end, or exceptions left the function. */
static bool is_end_uncounted(const struct try_state *try) {
  return try->after && !try->caught && !try->block->final &&
         !count_region(try, try->after) &&
         count_region(try, regions_find_code_around(try->in, try->block->end));
}

/* ---- all of them ---- */

/* Finds the regions of the parts, and computes try->caught and try->thrown.
 * Returns whether the handlers catch all exceptions. */
static bool find_parts(struct try_state *try) {
  const struct region *handler = NULL, *region;
  uint64_t place = 0, direct = 0;
  bool all = false;
  try->caught = 0;
  for (size_t i = 0; i < try->parts; i++) {
    const struct try_part *part = &try->block[i];
    if (part->kind == TRY_THROW) {
      try->throws[i] = regions_find_code_around(try->in, part->begin);
      direct += count_region(try, try->throws[i]);
    } else if (part->kind == TRY_HANDLER &&
               (region = find_code_at(try, part->begin))) {
      handler = handler ? handler : region;
      try->caught += count_region(try, region);
      all |= part->final;
      place = part->end;
    }
  }
  direct = !all ? 0 : direct < try->caught ? direct : try->caught;
  try->thrown = try->caught - direct;
  try->after = handler ? find_code_after(try, handler, place) : NULL;
  return all;
}

static void mark_try(struct try_state *try) {
  uint64_t steps = (uint64_t)(try->in.end - try->in.list) * (try->parts + 4);
  try->entry = find_code_at(try, try->block->begin);
  if (!try->entry || !evaluation_use_steps(try->evaluation, steps))
    return;
  try->throws = need_memory(calloc(try->parts, sizeof *try->throws));
  bool all = find_parts(try);
  if (is_end_uncounted(try)) {
    try->thrown = all ? 0 : count_region(try, try->entry);
    mark_code_after(try);
  }
  for (const struct region *at = try->in.list;
       at != try->in.end && (try->caught || try->thrown); at++)
    mark_skipped_part(try, at);
  free(try->throws);
}

void tries_mark_unknown(struct evaluation *evaluation, size_t first, size_t end,
                        size_t out) {
  const struct region *regions = evaluation->mapping.regions;
  if (evaluation->out->as_llvm_cov || evaluation->cause ||
      evaluation->mapping.broken || first == end)
    return;
  struct try_state try = {.evaluation = evaluation,
                          .in = {regions + first, regions + end},
                          .out = out};
  try.tokens = evaluation_find_tokens(evaluation, regions[first].file);
  if (!try.tokens)
    return;
  const struct try_part *parts = (const void *)try.tokens->tries.data;
  size_t count = try.tokens->tries.size / sizeof *parts;
  uint64_t last = 0;
  for (size_t i = first; i < end; i++)
    last = end_of(&regions[i]) > last ? end_of(&regions[i]) : last;
  size_t at = search_from(parts, count, block, begin_of(try.in.list));
  while (at < count && parts[at].block < last && !evaluation->error) {
    try.block = &parts[at];
    while (at < count && parts[at].block == try.block->block)
      at++;
    try.parts = (size_t)(&parts[at] - try.block);
    if (try.block->kind == TRY_BLOCK)
      mark_try(&try);
  }
}
