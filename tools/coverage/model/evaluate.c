/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file turns each function of the mapping, with its counts, into a
 * function of the model. Then scores.c makes segments and scores.
 */
#include "evaluation.h"

#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/error.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "../../image/image.h"
#include "../../object/digest.h"
#include "../mcdc/mcdc.h"
#include "fold/fold.h"

/* ---- counts ----
 *
 * This part computes the counts of counters and expressions. Each expression is
 * computed once, after the expressions that it needs. The computation uses an
 * explicit stack, because a mapping that clang did not write might nest
 * expressions deeply.
 */

enum expression_state { UNKNOWN, OPEN, KNOWN };

/* The values of an expression. The kind of a counter tells whether the counter
 * is the difference or the sum of its operands. */
struct expression_value {
  uint64_t less, sum;         /* difference and sum, modulo 2^64 */
  bool less_below, sum_below; /* A difference in it is negative or unknown. */
  bool stopped;               /* The value contains a counter that stopped. */
  enum expression_state state;
};

uint64_t evaluation_counter_value(const struct evaluation *evaluation,
                                  uint64_t counter) {
  const struct function_counts *counted = &evaluation->counted;
  uint64_t index = counter / 4;
  const struct expression_value *values = (void *)evaluation->values.data;
  switch (counter % 4) {
  case COUNTER_PLAIN:
    return counted->counters ? counted->counters[index] : 0;
  case COUNTER_LESS:
    return values[index].less;
  case COUNTER_SUM:
    return values[index].sum;
  default:
    return 0;
  }
}

static bool is_counter_negative(const struct evaluation *evaluation,
                                uint64_t counter) {
  const struct expression_value *values = (void *)evaluation->values.data;
  return counter % 4 == COUNTER_LESS  ? values[counter / 4].less_below
         : counter % 4 == COUNTER_SUM ? values[counter / 4].sum_below
                                      : false;
}

/* Returns whether a value is a lower bound, because a counter stopped. */
static bool is_counter_stopped(const struct evaluation *evaluation,
                               uint64_t counter) {
  const struct expression_value *values = (void *)evaluation->values.data;
  if (counter % 4 >= COUNTER_LESS)
    return values[counter / 4].stopped;
  return evaluation->saturated &&
         evaluation_counter_value(evaluation, counter) >= BAREPROF_FOLD_LEAST;
}

static bool is_counter_computed(const struct evaluation *evaluation,
                                const struct expression_value *values,
                                uint64_t counter, bool *damaged) {
  const struct function_counts *counted = &evaluation->counted;
  if (counter % 4 < COUNTER_LESS) {
    *damaged |= counter % 4 == COUNTER_PLAIN && counted->counters &&
                counter / 4 >= counted->counter_count;
    return true;
  }
  *damaged |= values[counter / 4].state == OPEN;
  return values[counter / 4].state == KNOWN;
}

/* Computes an expression. Returns false if the mapping is damaged. */
static bool compute_expression(const struct evaluation *evaluation,
                               struct expression_value *values, uint64_t *stack,
                               uint64_t first) {
  size_t depth = 0;
  bool damaged = false;
  stack[depth++] = first;
  while (depth && !damaged) {
    uint64_t index = stack[depth - 1];
    const struct counter_expression *one =
        &evaluation->mapping.expressions[index];
    uint64_t waits = 0;
    values[index].state = OPEN;
    if (!is_counter_computed(evaluation, values, one->left, &damaged))
      waits = one->left;
    else if (!is_counter_computed(evaluation, values, one->right, &damaged))
      waits = one->right;
    if (waits) {
      if (!damaged)
        stack[depth++] = waits / 4;
      continue;
    }
    if (damaged)
      break;
    uint64_t left = evaluation_counter_value(evaluation, one->left);
    uint64_t right = evaluation_counter_value(evaluation, one->right);
    bool least = evaluation->from->least;
    bool below = is_counter_negative(evaluation, one->left) ||
                 is_counter_negative(evaluation, one->right);
    bool stopped = is_counter_stopped(evaluation, one->right);
    values[index] = (struct expression_value){
        least ? 0 : left - right,
        left + right,
        below || stopped || (left < right && !least),
        below,
        stopped || is_counter_stopped(evaluation, one->left),
        KNOWN};
    depth--;
  }
  return !damaged;
}

bool counts_compute_values(struct evaluation *evaluation) {
  const struct mapping *mapping = &evaluation->mapping;
  size_t count = mapping->expression_count;
  struct expression_value *values =
      evaluation_clear_and_reserve(&evaluation->values, count, sizeof *values);
  uint64_t *stack =
      evaluation_clear_and_reserve(&evaluation->stack, count, sizeof *stack);
  bool damaged = false;
  for (size_t i = 0; i < mapping->region_count && !damaged; i++) {
    const struct region *region = &mapping->regions[i];
    const uint64_t counters[] = {region->counter, region->other};
    for (unsigned k = 0; k < 2 && !damaged; k++)
      if (!is_counter_computed(evaluation, values, counters[k], &damaged) &&
          !damaged)
        damaged =
            !compute_expression(evaluation, values, stack, counters[k] / 4);
  }
  return !damaged;
}

uint64_t counts_find_value_or_cause(const struct evaluation *evaluation,
                                    uint64_t counter, uint32_t *cause) {
  if (evaluation->out->as_llvm_cov || !is_counter_negative(evaluation, counter))
    return evaluation_counter_value(evaluation, counter);
  *cause = CAUSE_NEGATIVE;
  return 0;
}

uint64_t counts_find_first_counter(const struct evaluation *evaluation,
                                   uint64_t counter) {
  while (counter % 4 >= COUNTER_LESS)
    counter = evaluation->mapping.expressions[counter / 4].left;
  return counter / 4;
}

/* The largest size of the lists for a function without a mapping, in bytes. */
enum { ABSENT_MOST = 1 << 30 };

/* ---- the current function ---- */

/* An expansion has the count of the first region in the file to which it
 * leads. */
void sites_fill_expansion_lists(struct evaluation *evaluation) {
  const struct mapping *mapping = &evaluation->mapping;
  size_t count = mapping->file_count;
  uint32_t *sites =
      evaluation_clear_and_reserve(&evaluation->sites, count, sizeof *sites);
  uint64_t *leads =
      evaluation_clear_and_reserve(&evaluation->leads, count, sizeof *leads);
  for (size_t i = mapping->region_count; i--;) {
    const struct region *region = &mapping->regions[i];
    bool leads_on = region->kind == REGION_EXPANSION;
    leads[region->file] = leads_on ? COUNTER_ZERO : region->counter;
    if (leads_on && region->expanded != region->file)
      sites[region->expanded] = (uint32_t)i + 1;
  }
  /* The first region of a file may itself be an expansion, so the innermost
   * files come first. */
  for (size_t i = mapping->region_count; i--;) {
    const struct region *region = &mapping->regions[i];
    bool first = !i || mapping->regions[i - 1].file != region->file;
    if (first && region->kind == REGION_EXPANSION &&
        region->expanded > region->file)
      leads[region->file] = leads[region->expanded];
  }
}

uint32_t sites_find_main_file(const struct evaluation *evaluation) {
  for (uint32_t i = 0; i < evaluation->mapping.file_count; i++)
    if (!evaluation_find_expansion(evaluation, i))
      return i;
  return NO_FILE;
}

/* Returns whether clang lost the counter of a condition. Then one outcome has
 * the function's counter, and the other outcome has the difference. */
static bool is_counter_lost(const struct evaluation *evaluation, uint64_t side,
                            uint64_t other) {
  return side == COUNTER_PLAIN && other % 4 == COUNTER_LESS &&
         evaluation->mapping.expressions[other / 4].right == COUNTER_PLAIN;
}

uint32_t counts_find_branch_cause(const struct evaluation *evaluation,
                                  const struct region *branch) {
  uint32_t cause = CAUSE_NONE;
  if (evaluation->cause || evaluation->out->as_llvm_cov)
    return evaluation->cause;
  if (is_counter_lost(evaluation, branch->counter, branch->other) ||
      is_counter_lost(evaluation, branch->other, branch->counter))
    return CAUSE_LOST;
  counts_find_value_or_cause(evaluation, branch->counter, &cause);
  counts_find_value_or_cause(evaluation, branch->other, &cause);
  return cause;
}

static void add_model_branch(struct evaluation *evaluation,
                             const struct region *region) {
  struct model_branch made = {
      .span = region_span(region),
      .file = region->file,
      .kind = region->kind == REGION_BRANCH ? MODEL_BRANCH : MODEL_CONDITION,
      .constant = region_constant_outcomes(region),
      .cause = counts_find_branch_cause(evaluation, region)};
  for (unsigned side = 0; side < 2 && !made.cause; side++) {
    struct corrected_count count = constexpr_find_count(
        evaluation, region, side ? region->other : region->counter);
    made.counts[side] = count.value;
    made.cause = count.cause;
  }
  made.counts[0] = made.cause ? 0 : made.counts[0];
  evaluation_append(evaluation, &evaluation->out->branches, &made, sizeof made);
}

/* Returns whether a condition that begins where the region begins has a
 * negative count. Then the counter of the surrounding code is wrong, too. */
static bool has_negative_condition(struct evaluation *evaluation,
                                   const struct region *region) {
  const struct mapping *mapping = &evaluation->mapping;
  const struct region *end = mapping->regions + mapping->region_count;
  for (const struct region *at = region;
       at != end && at->file == region->file &&
       begin_of(at) == begin_of(region) &&
       evaluation_use_steps(evaluation, 1);
       at++)
    if (region_is_branch(at) &&
        counts_find_branch_cause(evaluation, at) == CAUSE_NEGATIVE)
      return true;
  return false;
}

/* Returns whether one of the latest regions of the function has the same
 * position. This happens in macros of system headers and in operands of fold
 * expressions. The first region tells how often the position ran. */
static bool is_repeated_region(const struct evaluation *evaluation,
                               const struct model_region *made, size_t first) {
  enum { SEARCH_MOST = 16 };
  const struct buffer *list = &evaluation->out->regions;
  size_t end = list->size / sizeof *made;
  const struct model_region *all = model_regions(evaluation->out);
  if (evaluation->out->as_llvm_cov || made->kind != MODEL_CODE)
    return false;
  for (size_t i = end; i > first && end - i < SEARCH_MOST; i--)
    if (all[i - 1].file == made->file &&
        memcmp(&all[i - 1].span, &made->span, sizeof made->span) == 0)
      return true;
  return false;
}

static void add_model_region(struct evaluation *evaluation,
                             const struct region *region, size_t first) {
  const uint64_t *leads = (const uint64_t *)(void *)evaluation->leads.data;
  bool expands = region->kind == REGION_EXPANSION;
  struct corrected_count count = constexpr_find_count(
      evaluation, region, expands ? leads[region->expanded] : region->counter);
  struct model_region made = {
      .span = region_span(region),
      .count = count.value,
      .file = region->file,
      .expanded = expands ? region->expanded : 0,
      .kind = (uint32_t)region->kind,
      .cause = count.cause & 63u};
  if (region->kind == REGION_CODE && has_negative_condition(evaluation, region))
    made.cause = CAUSE_NEGATIVE;
  if (evaluation->cause)
    made.cause = evaluation->cause;
  made.count = made.cause ? 0 : made.count;
  made.again = is_repeated_region(evaluation, &made, first);
  evaluation_append(evaluation, &evaluation->out->regions, &made, sizeof made);
}

/* Returns the name of the function. Returns NULL if the function was not
 * compiled and the image lacks its name, because of
 * -profile-correlate=debug-info. */
static const char *find_function_name(struct evaluation *evaluation) {
  uint64_t reference = evaluation->mapping.name;
  const struct evaluation_input *from = evaluation->from;
  const struct function_entry *known =
      profile_find_function(from->profile, reference);
  const char *name = from->absent  ? from->absent->name
                     : from->names ? names_find(from->names, reference)
                                   : NULL;
  if (!name && known)
    name = known->name;
  if (!name)
    return NULL;
  const char *copy = arena_copy(&evaluation->out->texts, name, strlen(name));
  if (!copy)
    evaluation->error = out_of_memory;
  return copy;
}

static void add_regions_and_branches(struct evaluation *evaluation,
                                     struct model_function *function) {
  const struct mapping *mapping = &evaluation->mapping;
  const struct region *all = mapping->regions;
  struct buffer *out = &evaluation->out->regions;
  size_t first = 0, begin = out->size / sizeof(struct model_region);
  constexpr_find_lost_gaps(evaluation);
  for (size_t i = 0; i < mapping->region_count && !evaluation->error; i++) {
    if (all[i].kind < REGION_BRANCH)
      add_model_region(evaluation, &all[i], begin);
    else if (region_is_branch(&all[i]))
      add_model_branch(evaluation, &all[i]);
    if (i + 1 < mapping->region_count && all[i + 1].file == all[i].file)
      continue;
    constexpr_add_regions(evaluation, first);
    arguments_add_regions(evaluation, first, i + 1);
    if (all[i].file == function->main) {
      tries_mark_unknown(evaluation, first, i + 1, begin);
      active_counts_correct(evaluation, function);
    }
    first = i + 1;
    begin = out->size / sizeof(struct model_region);
  }
}

static void add_model_function(struct evaluation *evaluation) {
  struct model *out = evaluation->out;
  const struct mapping *mapping = &evaluation->mapping;
  struct model_function function = {.name = find_function_name(evaluation),
                                    .hash = mapping->hash,
                                    .main = sites_find_main_file(evaluation),
                                    .instance = evaluation->instance};
  if (!function.name)
    return;
  model_begin_or_end_ranges(out, &function, false);
  for (uint32_t i = 0; i < mapping->file_count; i++) {
    uint32_t number = evaluation_find_or_add_file(evaluation, i);
    evaluation_append(evaluation, &out->files, &number, sizeof number);
  }
  add_regions_and_branches(evaluation, &function);
  decisions_add_to_model(evaluation);
  model_begin_or_end_ranges(out, &function, true);
  if (evaluation->error)
    return;
  if (mapping->broken)
    function.count =
        evaluation_counter_value(evaluation, mapping->regions->counter);
  else if (function.regions.count)
    function.count = model_regions(out)[function.regions.begin].count;
  evaluation_append(evaluation, &out->functions, &function, sizeof function);
}

/* ---- all functions of an ELF ---- */

static void add_mapped_function(struct evaluation *evaluation) {
  struct mapping *mapping = &evaluation->mapping;
  if (!sums_set_counts_and_cause(evaluation) || !mapping->region_count)
    return;
  sites_fill_expansion_lists(evaluation);
  if (!counts_compute_values(evaluation)) {
    const struct function_entry *known =
        profile_find_function(evaluation->from->profile, mapping->name);
    left_out_append(&evaluation->out->mismatched, known ? known->name : "?",
                    evaluation->instance);
    return;
  }
  add_model_function(evaluation);
}

/* Adds a function without a mapping: one region for all of its lines, with
 * skipped regions between the lines with code. */
static void add_absent_function(struct evaluation *evaluation) {
  enum { LINE_WIDTH = 1 << 16 /* a column after the end of any line */ };
  const struct absent_function *one = evaluation->from->absent;
  const uint32_t *lines = one->lines;
  struct buffer regions = {.limit = ABSENT_MOST};
  uint64_t index = 0;
  uint32_t number = 0;
  struct mapping *mapping = &evaluation->mapping;
  *mapping = (struct mapping){
      .name = md5_low64(one->name, strlen(one->name)),
      .hash = 1,
      .reference = md5_low64(one->file, strlen(one->file)),
      .body = {(const unsigned char *)lines, one->count * sizeof *lines},
      .file_count = 1,
      .files = {.data = (unsigned char *)&index}};
  if (!model_find_or_add_name(evaluation->out, one->file, &number))
    evaluation->error = out_of_memory;
  *(uint64_t *)need_memory(map_find_or_add(
      &evaluation->names, mapping->reference, 0, evaluation->instance)) =
      number + 1;
  for (size_t i = 0; i < one->count; i++) {
    struct region region = {.kind = i ? REGION_SKIPPED : REGION_CODE,
                            .counter = i ? COUNTER_ZERO : COUNTER_PLAIN,
                            .begin = {i ? lines[i - 1] + 1 : *lines, 1}};
    region.end = (struct source_position){
        i ? lines[i] - 1 : lines[one->count - 1], LINE_WIDTH};
    if (!i || lines[i] > lines[i - 1] + 1)
      evaluation_append(evaluation, &regions, &region, sizeof region);
  }
  mapping->regions = (struct region *)(void *)regions.data;
  mapping->region_count = regions.size / sizeof *mapping->regions;
  if (!evaluation->error)
    add_mapped_function(evaluation);
  buffer_free(&regions);
}

static void add_elf_functions(struct evaluation *evaluation) {
  struct mapping *mapping = &evaluation->mapping;
  while (!evaluation->error &&
         mapping_next_function(mapping, &evaluation->error))
    if (evaluation_uses_function(evaluation))
      add_mapped_function(evaluation);
  sums_list_unmapped_functions(evaluation);
}

/* Returns whether the profile has an executed vector. If it has none, the image
 * may have counters but no bitmaps. Then a decision may run without vectors. */
static bool has_executed_vector(const struct profile *profile) {
  for (size_t i = 0; profile->has_bitmaps && i < profile->function_count; i++)
    for (const struct record_counts *one = profile->arrived[i]->counts; one;
         one = one->next)
      for (uint32_t k = 0; k < one->more->bitmap_size; k++)
        if (one->more->bitmap[k])
          return true;
  return false;
}

/* Returns whether an input has functions that no ELF contains. Such an input is
 * treated like one more ELF. */
static bool is_outside_elfs(const struct evaluation_input *from) {
  return from->only || from->absent;
}

static void for_each_elf(struct evaluation *evaluation,
                         const struct evaluation_input *list, size_t count,
                         void (*work)(struct evaluation *)) {
  size_t number = 0;
  for (size_t i = 0; i < count && !evaluation->error; i++) {
    if (!list[i].profile)
      continue;
    evaluation->from = &list[i];
    evaluation->instance = (uint32_t)number;
    evaluation->has_bits = has_executed_vector(list[i].profile);
    if (list[i].absent) {
      if (work == add_elf_functions)
        add_absent_function(evaluation);
      continue;
    }
    number += !list[i].only;
    evaluation->error = mapping_open(&evaluation->mapping, list[i].elf);
    if (!evaluation->error)
      work(evaluation);
    mapping_close(&evaluation->mapping);
  }
}

static void init_evaluation(struct evaluation *evaluation,
                            const struct evaluation_input *list, size_t count) {
  size_t most = 1;
  for (size_t i = 0; i < count; i++)
    most += list[i].elf ? elf_derived_size_limit(list[i].elf) : ABSENT_MOST;
  model_init(evaluation->out, most);
  evaluation->out->as_llvm_cov = evaluation->options->as_llvm_cov;
  evaluation->out->has_functions = evaluation->out->has_vectors = true;
  evaluation_begin(evaluation, most);
  evaluation->names.limit = evaluation->seen.limit = SIZE_MAX;
  evaluation->used.limit = SIZE_MAX;
  profile_init(&evaluation->sum, most);
}

static void free_evaluation(struct evaluation *evaluation) {
  evaluation_end(evaluation);
  map_free(&evaluation->names);
  map_free(&evaluation->seen);
  map_free(&evaluation->used);
  profile_free(&evaluation->sum);
}

/* A source of the model, for sorting. */
struct sorted_source {
  const char *name;
  uint32_t number;
  bool left_out; /* The report leaves the source out. */
};

static int compare_sources(const void *left, const void *right) {
  const struct sorted_source *a = left, *b = right;
  return a->left_out != b->left_out ? a->left_out - b->left_out
                                    : strcmp(a->name, b->name);
}

void evaluation_make_sorted_rows(struct model *out,
                                 const struct evaluation_options *mask) {
  size_t count = out->name_count, rows = 0;
  struct sorted_source *list = need_memory(malloc((count + 1) * sizeof *list));
  uint32_t *numbers = need_memory(malloc((count + 1) * sizeof *numbers));
  for (uint32_t i = 0; i < count; i++) {
    const char *name = out->names[i];
    bool keeps = !mask->filter || filter_keeps(mask->filter, mask->paths, name);
    list[i] = (struct sorted_source){name, i, !keeps};
    rows += keeps;
  }
  sort_array(list, count, sizeof *list, compare_sources);
  for (uint32_t i = 0; i < count; i++) {
    numbers[list[i].number] = i;
    out->names[i] = list[i].name;
  }
  for (size_t i = 0; i < out->files.size / sizeof(uint32_t); i++)
    model_files(out)[i] = numbers[model_files(out)[i]];
  free(list);
  free(numbers);
  model_make_rows(out, rows);
}

static void clear_file_rows(struct model *exported) {
  struct scores_summary *summary = &exported->summary;
  exported->segment_list.size = exported->differs.size = 0;
  for (size_t i = 0; i <= summary->count; i++) {
    struct file_row *row =
        i < summary->count ? &summary->rows[i] : &summary->total;
    memset(row->scores, 0, sizeof row->scores);
    exported->instantiations[i] = (struct score){0, 0};
  }
}

static void sum_file_rows(struct model *exported) {
  struct scores_summary *summary = &exported->summary;
  struct score *total = &exported->instantiations[summary->count];
  for (size_t i = 0; i < summary->count; i++) {
    row_add_scores(&summary->total, &summary->rows[i]);
    total->count += exported->instantiations[i].count;
    total->covered += exported->instantiations[i].covered;
  }
}

const char *evaluate_make_rows(struct model *exported,
                               const struct evaluation_options *mask) {
  const char *error = NULL;
  clear_file_rows(exported);
  if (mask->excluded)
    error = mask_drop_excluded(mask->excluded, exported);
  if (!error && mask->object)
    object_model_make_rows(exported, mask);
  else if (!error)
    error = scores_make_rows(exported, mask);
  if (!error)
    sum_file_rows(exported);
  return error ? error : segments_check_order(exported);
}

const char *evaluate_elfs(struct model *exported,
                          const struct evaluation_input *list, size_t count,
                          const struct evaluation_options *mask) {
  static const struct evaluation_options none;
  mask = mask ? mask : &none;
  struct evaluation evaluation = {.out = exported, .options = mask};
  init_evaluation(&evaluation, list, count);
  for (size_t i = 0; i < count; i++) {
    evaluation.elfs += list[i].profile && !is_outside_elfs(&list[i]);
    evaluation.saturated |= list[i].saturated;
  }
  /* All functions outside of ELFs, at the end of the list, count as one ELF. */
  evaluation.elfs += count && is_outside_elfs(&list[count - 1]);
  exported->elfs = evaluation.elfs;
  for_each_elf(&evaluation, list, count, sums_mark_used_and_add);
  for_each_elf(&evaluation, list, count, add_elf_functions);
  if (evaluation.error)
    exported->failed = (size_t)(evaluation.from - list);
  if (!evaluation.error) {
    evaluation_make_sorted_rows(exported, mask);
    model_set_sites(exported);
  }
  if (!evaluation.error && mask->paths &&
      negated_mark_and_clear(exported, mask->paths, mask->tokens))
    evaluation.error = "a source cannot be read; see above";
  free_evaluation(&evaluation);
  return evaluation.error ? evaluation.error
                          : evaluate_make_rows(exported, mask);
}

/* ==== This part is for all files that make a model: memory, lists, the limit
 * of steps, and names of files and functions. */

/* The limit of the steps of one evaluation. Real programs need only a small
 * part of it. */
#define STEPS_MOST (UINT64_C(1) << 33)

/* Sets the limit of all lists. If the limit is 0, frees the lists. */
static void limit_or_free_lists(struct evaluation *evaluation, size_t limit) {
  struct buffer *const lists[] = {
      &evaluation->values,    &evaluation->stack,    &evaluation->sites,
      &evaluation->leads,     &evaluation->owners,   &evaluation->scratch,
      &evaluation->active,    &evaluation->segments, &evaluation->merged[0],
      &evaluation->merged[1], &evaluation->holes,    &evaluation->lost};
  buffers_limit_or_free(lists, sizeof lists / sizeof *lists, limit);
}

void evaluation_begin(struct evaluation *evaluation, size_t limit) {
  struct true_counts *truth = &evaluation->truth;
  limit_or_free_lists(evaluation, limit);
  truth->stretches.limit = limit;
  truth->counts.limit = truth->all.limit = SIZE_MAX; /* The size of the source
                                                        limits these lists. */
  evaluation->steps = STEPS_MOST;
  evaluation->lines_of = NO_FILE;
}

void evaluation_end(struct evaluation *evaluation) {
  limit_or_free_lists(evaluation, 0);
  buffer_free(&evaluation->truth.stretches);
  buffer_free(&evaluation->truth.counts);
  buffer_free(&evaluation->truth.all);
  buffer_free(&evaluation->truth.branch_lines);
}

void *evaluation_clear_and_reserve(struct buffer *buffer, size_t count,
                                   size_t size) {
  buffer->size = 0;
  buffer->limit = SIZE_MAX;
  need_memory(buffer_reserve(buffer, count * size + 1) ? NULL : buffer);
  return memset(buffer->data, 0, count * size);
}

void evaluation_append(struct evaluation *evaluation, struct buffer *list,
                       const void *element, size_t size) {
  if (!evaluation->error)
    evaluation->error = buffer_append(list, element, size);
}

void evaluation_add_code(struct evaluation *evaluation, uint32_t file,
                         uint64_t begin, uint64_t end,
                         struct corrected_count count) {
  const struct model_region made = {
      .span = {(uint32_t)(begin >> 32), (uint32_t)begin, (uint32_t)(end >> 32),
               (uint32_t)end},
      .count = count.cause ? 0 : count.value,
      .file = file,
      .kind = count.dropped ? MODEL_SKIPPED : MODEL_CODE,
      .cause = count.cause & 63u,
      .added = 1};
  if (begin < end)
    evaluation_append(evaluation, &evaluation->out->regions, &made,
                      sizeof made);
}

bool evaluation_use_steps(struct evaluation *evaluation, uint64_t steps) {
  if (steps <= evaluation->steps) {
    evaluation->steps -= steps;
    return true;
  }
  evaluation->error = mapping_damaged;
  return false;
}

const struct region *
evaluation_find_expansion(const struct evaluation *evaluation, uint32_t file) {
  const uint32_t *sites = (const uint32_t *)(void *)evaluation->sites.data;
  return sites[file] ? &evaluation->mapping.regions[sites[file] - 1] : NULL;
}

struct file_regions
evaluation_find_regions(const struct evaluation *evaluation, uint32_t file) {
  const struct region *all = evaluation->mapping.regions;
  size_t count = evaluation->mapping.region_count;
  return (struct file_regions){all + search_from(all, count, file, file),
                               all + search_after(all, count, file, file)};
}

const struct region *regions_find_code_around(struct file_regions regions,
                                              uint64_t place) {
  const struct region *inner = NULL;
  uint64_t begin = 0, end = UINT64_MAX;
  for (const struct region *at = regions.list; at != regions.end; at++) {
    uint64_t from = begin_of(at);
    uint64_t to = end_of(at);
    if (at->kind != REGION_CODE || from > place || to <= place ||
        from < begin || (from == begin && to > end))
      continue;
    inner = at;
    begin = from;
    end = to;
  }
  return inner;
}

/* ---- names of files ---- */

uint32_t evaluation_find_or_add_file(struct evaluation *evaluation,
                                     uint32_t file) {
  struct mapping *mapping = &evaluation->mapping;
  uint64_t index;
  uint32_t number = 0;
  memcpy(&index, mapping->files.data + file * sizeof index, sizeof index);
  uint64_t *known = need_memory(map_find_or_add(
      &evaluation->names, mapping->reference, index, evaluation->instance));
  if (*known)
    return (uint32_t)*known - 1;
  char *name = NULL;
  const char *error = mapping_make_file_name(mapping, file, &name);
  if (!error && !model_find_or_add_name(evaluation->out, name, &number))
    error = out_of_memory;
  free(name);
  if (error)
    evaluation->error = error;
  *known = number + 1;
  return number;
}

const struct source_tokens *
evaluation_find_tokens(struct evaluation *evaluation, uint32_t file) {
  uint32_t number = evaluation_find_or_add_file(evaluation, file);
  return evaluation->options->tokens && number < evaluation->out->name_count
             ? token_store_get(evaluation->options->tokens,
                               evaluation->out->names[number])
             : NULL;
}

/* ---- names of functions ----
 *
 * The names of an ELF's functions are in a loaded section, in a section that is
 * not loaded (for lean and correlated images), or in the debug information.
 */

enum { SECTION_MOST = 1 << 30 };

const char *evaluation_read_function_names(const struct elf *elf,
                                           struct name_table *names) {
  struct elf_section section;
  struct bytes bytes = {NULL, 0};
  unsigned char *memory = NULL;
  struct buffer made = {.limit = SECTION_MOST};
  const char *error = NULL;
  bool lost;
  *names = (struct name_table){.text.limit = 0};
  if ((elf_find_section(elf, "__llvm_prf_names", &section) && section.size) ||
      elf_find_section(elf, "__llvm_covnames", &section))
    error = elf_read_contents(elf, &section, SECTION_MOST, &bytes, &memory);
  else
    error = image_make_debug_names(elf, &made, &lost);
  if (made.size)
    bytes = buffer_bytes(&made);
  if (!error)
    error = names_read(names, bytes);
  free(memory);
  buffer_free(&made);
  return error;
}
