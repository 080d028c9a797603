/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file corrects the counts of functions with a call that was active when
 * the counts were read (inputs/active_calls.c finds the calls). clang counts
 * the code after a call as soon as the call is reached. If this code does not
 * have its own counter, its count is too high by one for each call that did not
 * return. The run of the code up to such a call is called a pass here.
 *
 * A count is a sum of counters. If the counters of the regions around the call
 * are set to 1 and all others to 0, this sum is positive for each region that
 * counted the pass.
 */
#include "evaluation.h"

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/os.h"

enum { AROUND_MOST = 64, AHEAD_MOST = 16 };

/* The correction of a count by one or more calls. */
struct count_correction {
  uint64_t extra; /* number by which the count is too high */
  uint64_t reach; /* count of the code with the calls that may have returned: a
                     count up to this one is not known; 0 without such calls */
};

/* An active call in the current function. */
struct call_correction_state {
  struct evaluation *evaluation;
  struct model_function *function;
  uint64_t at, end; /* place_number of the call's beginning and end */
  uint64_t counts;  /* number of times that the call was active */
  bool unsure;      /* The call may have been active 0 to `reach` times. */
  uint64_t reach;   /* see struct count_correction */
  /* The counters of the regions around the call, the outermost first, and the
   * positions where these regions begin. */
  uint64_t around[AROUND_MOST], begins[AROUND_MOST];
  size_t around_count;
  /* For each region of the mapping, the correction by all calls. A second part
   * of the same size has the correction of the region's code from the last call
   * on. */
  struct count_correction *corrections;
};

static bool is_call_in_function(const struct model_function *function,
                                const char *file,
                                const struct active_call *call) {
  const char *name = function->name + strlen(function->name);
  while (name > function->name && !strchr(":;", name[-1]))
    name--;
  return (!strcmp(name, call->name) || !strcmp(function->name, call->name)) &&
         !strcmp(os_base_name(file), os_base_name(call->file));
}

/* Returns the position after a call's arguments, which ran before the call. */
static uint64_t find_call_end(const struct source_tokens *tokens,
                              const struct active_call *call) {
  const struct source_token *list = (const void *)tokens->list.data;
  size_t count = tokens->list.size / sizeof *list;
  size_t at =
      search_from(list, count, place, place_number(call->line, call->column));
  if (!call->called)
    return place_number(call->line + 1, 1);
  for (size_t ahead = 0; ahead < AHEAD_MOST && at + ahead < count; ahead++) {
    size_t depth = 0, end = at + ahead;
    if (list[end].place >> 32 != call->line)
      break;
    if (list[end].kind != TOKEN_OPENS)
      continue;
    for (; end < count; end++) {
      depth += list[end].kind == TOKEN_OPENS;
      depth -= list[end].kind == TOKEN_CLOSES;
      if (!depth)
        return list[end].place + 1;
    }
  }
  return place_number(call->line + 1, 1);
}

static bool is_around_call(const struct call_correction_state *pass,
                           const struct region *region) {
  return region->kind == REGION_CODE && region->file == pass->function->main &&
         begin_of(region) <= pass->at && pass->at < end_of(region);
}

/* Computes all counts as if the counters around the call, from index
 * `outermost` inward, were 1, and all others 0. */
static bool compute_pass_counts(struct call_correction_state *pass,
                                uint64_t *counters, size_t outermost) {
  const struct function_counts *counted = &pass->evaluation->counted;
  memset(counters, 0, counted->counter_count * sizeof *counters);
  for (size_t i = outermost; i < pass->around_count; i++)
    if (pass->around[i] < counted->counter_count)
      counters[pass->around[i]] = 1;
  return counts_compute_values(pass->evaluation);
}

static bool is_positive(uint64_t value) { return value && value <= INT64_MAX; }

/* Adds the counter of a region around the call, and the position of the region
 * that has this counter. */
static void add_counter_around_call(struct call_correction_state *pass,
                                    const struct region *region) {
  const struct mapping *mapping = &pass->evaluation->mapping;
  /* The pass went through the code of this counter. */
  uint64_t number =
      counts_find_first_counter(pass->evaluation, region->counter);
  uint64_t begin = begin_of(region);
  size_t at = pass->around_count++;
  bool plain = region->counter % 4 == COUNTER_PLAIN;
  for (size_t i = plain ? 0 : mapping->region_count; i--;)
    if (mapping->regions[i].file == region->file &&
        mapping->regions[i].kind == REGION_CODE &&
        mapping->regions[i].counter == number * 4 + COUNTER_PLAIN)
      begin = begin_of(&mapping->regions[i]);
  for (; at && pass->begins[at - 1] > begin; at--) {
    pass->begins[at] = pass->begins[at - 1];
    pass->around[at] = pass->around[at - 1];
  }
  pass->begins[at] = begin;
  pass->around[at] = number;
}

/* Collects the counters that counted the pass, the outermost first. Returns
 * false if the counters were reset while the call was active. `counters` is
 * scratch memory, as for compute_pass_counts. */
static bool collect_counters_around_call(struct call_correction_state *pass,
                                         uint64_t *counters) {
  struct evaluation *evaluation = pass->evaluation;
  const struct mapping *mapping = &evaluation->mapping;
  const struct region *around[AROUND_MOST] = {NULL}, *inner = NULL;
  size_t count = 0;
  uint32_t cause = CAUSE_NONE;
  uint64_t value = 0, least = pass->unsure ? 1 : pass->counts;
  /* A jump left a region around the call that has a lower count, so this region
   * never ran. */
  for (size_t i = 0; i < mapping->region_count; i++) {
    if (!is_around_call(pass, &mapping->regions[i]))
      continue;
    inner = &mapping->regions[i];
    value = counts_find_value_or_cause(evaluation, inner->counter, &cause);
    if (count < AROUND_MOST && value >= least)
      around[count++] = inner;
  }
  pass->reach = pass->unsure ? value : 0;
  if (pass->unsure && pass->counts > value)
    pass->counts = value;
  bool found = count && around[count - 1] == inner && !cause;
  evaluation->counted.counters = counters;
  for (size_t i = 0; i < count && found; i++) {
    found = compute_pass_counts(pass, counters, 0);
    if (around[i]->counter % 4 != COUNTER_PLAIN &&
        is_positive(evaluation_counter_value(evaluation, around[i]->counter)))
      continue;
    add_counter_around_call(pass, around[i]);
  }
  return found;
}

/* Returns the region's sum, for which only the counters around the call are 1:
 * the sum is positive if the region has counted the pass. */
static uint64_t region_pass_sum(const struct call_correction_state *pass,
                                const struct region *region) {
  const uint64_t *leads = (const void *)pass->evaluation->leads.data;
  return evaluation_counter_value(pass->evaluation,
                                  region->kind == REGION_EXPANSION
                                      ? leads[region->expanded]
                                      : region->counter);
}

/* Returns whether the pass made the count of an outcome too high. The count is
 * right if the outcome has its own counter, which begins at or after the
 * branch. */
static bool is_outcome_too_high(const struct call_correction_state *pass,
                                const struct region *branch, uint64_t side) {
  for (size_t i = 0; i < pass->around_count; i++)
    if (side == pass->around[i] * 4 + COUNTER_PLAIN &&
        pass->begins[i] >= begin_of(branch))
      return false;
  return is_positive(evaluation_counter_value(pass->evaluation, side));
}

static void add_correction(struct count_correction *to, uint64_t extra,
                           uint64_t reach) {
  to->extra += extra;
  to->reach = reach > to->reach ? reach : to->reach;
}

/* Lowers a count, if it is high enough. Returns the cause if it is not known
 * whether the code ran. */
static uint32_t lower_count(uint64_t *count,
                            const struct count_correction *by) {
  if (by->reach && *count <= by->reach)
    return CAUSE_ACTIVE;
  *count -= *count < by->extra ? 0 : by->extra;
  return CAUSE_NONE;
}

static bool has_span_of_region(const struct source_span *span, uint32_t file,
                               const struct region *region) {
  const struct source_span here = region_span(region);
  return file == region->file && !memcmp(span, &here, sizeof here);
}

static void lower_branch_counts(struct call_correction_state *pass,
                                const struct region *region) {
  const struct model *out = pass->evaluation->out;
  struct model_branch *one = model_branches_of(out, pass->function);
  const struct model_branch *end =
      model_branches(out) + out->branches.size / sizeof *end;
  const struct count_correction by = {pass->counts, pass->reach};
  bool sides[2] = {is_outcome_too_high(pass, region, region->counter),
                   is_outcome_too_high(pass, region, region->other)};
  evaluation_use_steps(pass->evaluation, (uint64_t)(end - one));
  for (; one != end && !pass->evaluation->error; one++)
    for (unsigned side = 0; side < 2; side++)
      if (has_span_of_region(&one->span, one->file, region) && sides[side] &&
          !sides[!side] && !one->cause)
        one->cause = lower_count(&one->counts[side], &by);
}

/* Adds a region with a corrected count, from position `begin` on. */
static void add_lowered_region(const struct call_correction_state *pass,
                               const struct region *region, uint64_t begin,
                               const struct count_correction *by) {
  struct evaluation *evaluation = pass->evaluation;
  const struct model_function *function = pass->function;
  struct buffer *list = &evaluation->out->regions;
  size_t count = list->size / sizeof(struct model_region);
  if (!evaluation_use_steps(evaluation, count - function->regions.begin))
    return;
  for (size_t i = function->regions.begin; i < count; i++) {
    struct model_region made = model_regions(evaluation->out)[i];
    if (made.added || made.again || made.cause ||
        (made.count < by->extra && !by->reach) ||
        made.kind != (uint32_t)region->kind ||
        !has_span_of_region(&made.span, made.file, region))
      continue;
    made.cause = lower_count(&made.count, by);
    made.added = 1;
    made.span.line = (uint32_t)(begin >> 32);
    made.span.column = (uint32_t)begin;
    evaluation_append(evaluation, list, &made, sizeof made);
    return;
  }
}

static bool can_lower_region(const struct call_correction_state *pass,
                             const struct region *region) {
  return region->file == pass->function->main &&
         !is_around_call(pass, region) &&
         (region->kind <= REGION_GAP || region_is_branch(region)) &&
         region->kind != REGION_SKIPPED;
}

/* Notes how much a region in a loop before the call must be lowered, because
 * the pass would have reached the region again. Only counters from index
 * `outermost` on are 1; the regions with these counters begin after this
 * region. Marks branches for lower_or_note_after_call. */
static void note_extra_before_call(struct call_correction_state *pass,
                                   size_t number, size_t outermost) {
  const struct region *region = &pass->evaluation->mapping.regions[number];
  uint64_t begin = begin_of(region);
  uint64_t value = region_pass_sum(pass, region);
  if (region_is_branch(region))
    value += evaluation_counter_value(pass->evaluation, region->other);
  if (can_lower_region(pass, region) && begin < pass->at &&
      pass->begins[outermost - 1] <= begin && begin < pass->begins[outermost] &&
      is_positive(value))
    add_correction(&pass->corrections[number],
                   region_is_branch(region) ? 1 : pass->counts, pass->reach);
}

/* Corrects a region after the call, an outcome of a condition that contains the
 * call, or a branch that note_extra_before_call has marked. */
static void lower_or_note_after_call(struct call_correction_state *pass,
                                     size_t number) {
  const struct region *region = &pass->evaluation->mapping.regions[number];
  bool branch = region_is_branch(region);
  bool after = (branch ? end_of(region) : begin_of(region)) >= pass->end;
  if (!can_lower_region(pass, region))
    return;
  struct count_correction *by = &pass->corrections[number];
  if (branch && (after || by->extra))
    lower_branch_counts(pass, region);
  if (branch)
    *by = (struct count_correction){0, 0};
  else if (after && is_positive(region_pass_sum(pass, region)))
    add_correction(by, pass->counts, pass->reach);
}

static uint64_t find_inner_regions_end(const struct call_correction_state *pass,
                                       size_t number) {
  const struct mapping *mapping = &pass->evaluation->mapping;
  uint64_t begin = begin_of(&mapping->regions[number]), end = pass->end;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *inner = &mapping->regions[i];
    uint64_t at = begin_of(inner);
    if (is_around_call(pass, inner) &&
        (at > begin || (at == begin && i > number)) && end_of(inner) > end)
      end = end_of(inner);
  }
  return end;
}

/* Lowers the part after the call of each region around the call, because the
 * active call has not returned yet. */
static void lower_regions_around_call(struct call_correction_state *pass) {
  const struct mapping *mapping = &pass->evaluation->mapping;
  size_t count = mapping->region_count;
  for (size_t i = 0; i < count; i++) {
    const struct region *region = &mapping->regions[i];
    if (!is_around_call(pass, region))
      continue;
    uint64_t begin = find_inner_regions_end(pass, i);
    struct count_correction by = pass->corrections[i];
    struct count_correction *after = &pass->corrections[count + i];
    add_correction(after, pass->counts, pass->reach);
    add_correction(&by, after->extra, after->reach);
    if (begin < end_of(region))
      add_lowered_region(pass, region, begin, &by);
  }
}

static void correct_counts_for_call(struct call_correction_state *pass) {
  struct evaluation *evaluation = pass->evaluation;
  const uint64_t *counted = evaluation->counted.counters;
  size_t regions = evaluation->mapping.region_count;
  uint64_t *counters = need_memory(
      calloc(evaluation->counted.counter_count + 1, sizeof *counters));
  bool found = collect_counters_around_call(pass, counters);
  if (found)
    lower_regions_around_call(pass);
  for (size_t depth = found ? pass->around_count : 0; depth--;) {
    compute_pass_counts(pass, counters, depth);
    for (size_t i = 0; i < regions; i++)
      if (depth)
        note_extra_before_call(pass, i, depth);
      else
        lower_or_note_after_call(pass, i);
  }
  evaluation->counted.counters = counted;
  counts_compute_values(evaluation);
  free(counters);
}

void active_counts_correct(struct evaluation *evaluation,
                           struct model_function *function) {
  const struct evaluation_options *mask = evaluation->options;
  const struct mapping *mapping = &evaluation->mapping;
  size_t count = mapping->region_count;
  if (!mask->active_count || evaluation->out->as_llvm_cov ||
      evaluation->cause || mapping->broken)
    return;
  uint32_t name = model_files_of(evaluation->out, function)[function->main];
  const char *file = evaluation->out->names[name];
  struct call_correction_state pass = {evaluation, function,
                                       .corrections = NULL};
  for (size_t i = 0; i < mask->active_count && !evaluation->error; i++) {
    const struct active_call *call = &mask->active[i];
    if (!is_call_in_function(function, file, call) ||
        !sums_has_counts_of_elf(evaluation, call->elf))
      continue;
    const struct source_tokens *tokens = token_store_get(mask->tokens, file);
    if (!tokens)
      break;
    if (!pass.corrections)
      pass.corrections =
          need_memory(calloc(2 * count + 1, sizeof *pass.corrections));
    pass.at = place_number(call->line, call->column);
    pass.end = find_call_end(tokens, call);
    pass.counts = call->times;
    pass.unsure = call->unsure;
    pass.around_count = 0;
    correct_counts_for_call(&pass);
  }
  for (size_t i = 0; pass.corrections && i < count; i++)
    if (pass.corrections[i].extra)
      add_lowered_region(&pass, &mapping->regions[i],
                         begin_of(&mapping->regions[i]), &pass.corrections[i]);
  free(pass.corrections);
}
