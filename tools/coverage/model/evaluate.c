/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns each function of the mapping, with its counts, into a function of the
 * model. scores.c then makes the files' segments and scores.
 */
#include "model_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/map.h"
#include "../../base/compare.h"
#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../object/digest.h"
#include "../mcdc/solver.h"

/* ---- counts ----
 *
 * Computes the counts of counters and expressions. Each expression is computed
 * once, after the expressions that it needs. This uses an explicit stack,
 * because a foreign mapping might nest expressions deeply.
 */

enum state { UNKNOWN, OPEN, KNOWN };

/* The values of an expression. The kind of a counter tells whether it means the
 * difference or the sum. */
struct value_of {
  uint64_t less, sum;         /* modulo 2^64 */
  bool less_below, sum_below; /* The value contains a negative difference. */
  enum state state;
};

uint64_t counts_value(const struct evaluation *evaluation, uint64_t counter) {
  const struct counted *counted = &evaluation->counted;
  uint64_t index = counter / 4;
  const struct value_of *values = (void *)evaluation->values.data;
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

static bool is_below(const struct evaluation *evaluation, uint64_t counter) {
  const struct value_of *values = (void *)evaluation->values.data;
  return counter % 4 == COUNTER_LESS  ? values[counter / 4].less_below
         : counter % 4 == COUNTER_SUM ? values[counter / 4].sum_below
                                      : false;
}

static bool is_known(const struct evaluation *evaluation,
                     const struct value_of *values, uint64_t counter,
                     bool *damaged) {
  const struct counted *counted = &evaluation->counted;
  if (counter % 4 < COUNTER_LESS) {
    *damaged |= counter % 4 == COUNTER_PLAIN && counted->counters &&
                counter / 4 >= counted->counter_count;
    return true;
  }
  *damaged |= values[counter / 4].state == OPEN;
  return values[counter / 4].state == KNOWN;
}

/* Computes an expression. Returns false if the mapping is damaged. */
static bool settle(const struct evaluation *evaluation, struct value_of *values,
                   uint64_t *stack, uint64_t first) {
  size_t depth = 0;
  bool damaged = false;
  stack[depth++] = first;
  while (depth && !damaged) {
    uint64_t index = stack[depth - 1];
    const struct expression *one = &evaluation->mapping.expressions[index];
    uint64_t waits = 0;
    values[index].state = OPEN;
    if (!is_known(evaluation, values, one->left, &damaged))
      waits = one->left;
    else if (!is_known(evaluation, values, one->right, &damaged))
      waits = one->right;
    if (waits) {
      if (!damaged)
        stack[depth++] = waits / 4;
      continue;
    }
    if (damaged)
      break;
    uint64_t left = counts_value(evaluation, one->left);
    uint64_t right = counts_value(evaluation, one->right);
    bool least = evaluation->from->least;
    bool below =
        is_below(evaluation, one->left) || is_below(evaluation, one->right);
    values[index] =
        (struct value_of){least ? 0 : left - right, left + right,
                          below || (left < right && !least), below, KNOWN};
    depth--;
  }
  return !damaged;
}

bool counts_settle(struct evaluation *evaluation) {
  const struct mapping *mapping = &evaluation->mapping;
  size_t count = mapping->expression_count;
  struct value_of *values =
      evaluation_room(&evaluation->values, count, sizeof *values);
  uint64_t *stack = evaluation_room(&evaluation->stack, count, sizeof *stack);
  bool damaged = false;
  for (size_t i = 0; i < mapping->region_count && !damaged; i++) {
    const struct region *region = &mapping->regions[i];
    const uint64_t counters[] = {region->counter, region->other};
    for (unsigned k = 0; k < 2 && !damaged; k++)
      if (!is_known(evaluation, values, counters[k], &damaged) && !damaged)
        damaged = !settle(evaluation, values, stack, counters[k] / 4);
  }
  return !damaged;
}

uint64_t counts_of(const struct evaluation *evaluation, uint64_t counter,
                   uint32_t *cause) {
  if (evaluation->out->as_llvm_cov || !is_below(evaluation, counter))
    return counts_value(evaluation, counter);
  *cause = CAUSE_NEGATIVE;
  return 0;
}

/* ---- all ---- */

enum { ABSENT_MOST = 1 << 30 };

/* ---- the current function ---- */

/* An expansion has the count of the first region in the file to which it
 * leads. */
void sites_find(struct evaluation *evaluation) {
  const struct mapping *mapping = &evaluation->mapping;
  size_t count = mapping->file_count;
  uint32_t *sites = evaluation_room(&evaluation->sites, count, sizeof *sites);
  uint64_t *leads = evaluation_room(&evaluation->leads, count, sizeof *leads);
  for (size_t i = mapping->region_count; i--;) {
    const struct region *region = &mapping->regions[i];
    bool leads_on = region->kind == REGION_EXPANSION;
    leads[region->file] = leads_on ? COUNTER_ZERO : region->counter;
    if (leads_on && region->expanded != region->file)
      sites[region->expanded] = (uint32_t)i + 1;
  }
  /* The first region of a file may be an expansion again, so the innermost
   * files come first. */
  for (size_t i = mapping->region_count; i--;) {
    const struct region *region = &mapping->regions[i];
    bool first = !i || mapping->regions[i - 1].file != region->file;
    if (first && region->kind == REGION_EXPANSION &&
        region->expanded > region->file)
      leads[region->file] = leads[region->expanded];
  }
}

uint32_t sites_main(const struct evaluation *evaluation) {
  for (uint32_t i = 0; i < evaluation->mapping.file_count; i++)
    if (!evaluation_site(evaluation, i))
      return i;
  return NO_FILE;
}

/* Whether clang lost a condition's counter. The mapping then has the function's
 * counter for one outcome and the rest for the other. */
static bool is_lost(const struct evaluation *evaluation, uint64_t side,
                    uint64_t other) {
  return side == COUNTER_PLAIN && other % 4 == COUNTER_LESS &&
         evaluation->mapping.expressions[other / 4].right == COUNTER_PLAIN;
}

uint32_t branch_doubt(const struct evaluation *evaluation,
                      const struct region *branch) {
  uint32_t cause = CAUSE_NONE;
  if (evaluation->cause || evaluation->out->as_llvm_cov)
    return evaluation->cause;
  if (is_lost(evaluation, branch->counter, branch->other) ||
      is_lost(evaluation, branch->other, branch->counter))
    return CAUSE_LOST;
  counts_of(evaluation, branch->counter, &cause);
  counts_of(evaluation, branch->other, &cause);
  return cause;
}

static void add_branch(struct evaluation *evaluation,
                       const struct region *region) {
  struct exported_branch made = {
      .span = span_of(region),
      .file = region->file,
      .kind =
          region->kind == REGION_BRANCH ? EXPORTED_BRANCH : EXPORTED_CONDITION,
      .constant = region_constant(region),
      .cause = branch_doubt(evaluation, region)};
  for (unsigned side = 0; side < 2 && !made.cause; side++)
    made.counts[side] =
        counts_value(evaluation, side ? region->other : region->counter);
  evaluation_put(evaluation, &evaluation->out->branches, &made, sizeof made);
}

/* Whether a condition that begins at the region's beginning has a negative
 * count. Then the counter of the surrounding code is wrong, too. */
static bool is_doubted(struct evaluation *evaluation,
                       const struct region *region) {
  const struct mapping *mapping = &evaluation->mapping;
  const struct region *end = mapping->regions + mapping->region_count;
  for (const struct region *at = region;
       at != end && at->file == region->file &&
       place_order(at->begin) == place_order(region->begin) &&
       evaluation_step(evaluation, 1);
       at++)
    if (region_is_branch(at) &&
        branch_doubt(evaluation, at) == CAUSE_NEGATIVE)
      return true;
  return false;
}

/* Whether a recent region of the function is at the same position, as happens
 * in macros of system headers and in operands of fold expressions. The first
 * region tells how often the position ran. */
static bool is_again(const struct evaluation *evaluation,
                     const struct exported_region *made, size_t first) {
  enum { LOOK_MOST = 16 };
  const struct buffer *list = &evaluation->out->regions;
  size_t end = list->size / sizeof *made;
  const struct exported_region *all = exported_regions(evaluation->out);
  if (evaluation->out->as_llvm_cov || made->kind != EXPORTED_CODE)
    return false;
  for (size_t i = end; i > first && end - i < LOOK_MOST; i--)
    if (all[i - 1].file == made->file &&
        memcmp(&all[i - 1].span, &made->span, sizeof made->span) == 0)
      return true;
  return false;
}

static void add_region(struct evaluation *evaluation,
                       const struct region *region, size_t first) {
  const uint64_t *leads = (const uint64_t *)(void *)evaluation->leads.data;
  bool expands = region->kind == REGION_EXPANSION;
  uint32_t cause = CAUSE_NONE;
  struct exported_region made = {
      .span = span_of(region),
      .count = counts_of(evaluation,
                         expands ? leads[region->expanded] : region->counter,
                         &cause),
      .file = region->file,
      .expanded = expands ? region->expanded : 0,
      .kind = (uint32_t)region->kind,
      .cause = cause};
  if (region->kind == REGION_CODE && is_doubted(evaluation, region))
    made.cause = CAUSE_NEGATIVE;
  if (evaluation->cause)
    made.cause = evaluation->cause;
  made.count = made.cause ? 0 : made.count;
  made.again = is_again(evaluation, &made, first);
  evaluation_put(evaluation, &evaluation->out->regions, &made, sizeof made);
}

/* Returns the function's name. NULL: the compiler made no code for the
 * function, and an image of -profile-correlate=debug-info lacks names of such
 * functions. */
static const char *name_of(struct evaluation *evaluation) {
  uint64_t reference = evaluation->mapping.name;
  const struct evaluated *from = evaluation->from;
  const struct function_entry *known = profile_find(from->profile, reference);
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

static void add_regions(struct evaluation *evaluation,
                        struct exported_function *function) {
  const struct mapping *mapping = &evaluation->mapping;
  const struct region *all = mapping->regions;
  struct buffer *out = &evaluation->out->regions;
  size_t first = 0, begin = out->size / sizeof(struct exported_region);
  for (size_t i = 0; i < mapping->region_count && !evaluation->error; i++) {
    if (all[i].kind < REGION_BRANCH)
      add_region(evaluation, &all[i], begin);
    else if (region_is_branch(&all[i]))
      add_branch(evaluation, &all[i]);
    if (i + 1 < mapping->region_count && all[i + 1].file == all[i].file)
      continue;
    if (!evaluation->out->as_llvm_cov)
      constexpr_repair(evaluation, first, i + 1, begin);
    if (all[i].file == function->main)
      active_take(evaluation, function);
    first = i + 1;
    begin = out->size / sizeof(struct exported_region);
  }
}

static void add_function(struct evaluation *evaluation) {
  struct exported *out = evaluation->out;
  const struct mapping *mapping = &evaluation->mapping;
  struct exported_function function = {.name = name_of(evaluation),
                                       .hash = mapping->hash,
                                       .main = sites_main(evaluation),
                                       .instance = evaluation->instance};
  if (!function.name)
    return;
  exported_mark(out, &function, false);
  for (uint32_t i = 0; i < mapping->file_count; i++) {
    uint32_t number = names_number(evaluation, i);
    evaluation_put(evaluation, &out->files, &number, sizeof number);
  }
  add_regions(evaluation, &function);
  decisions_add(evaluation);
  exported_mark(out, &function, true);
  if (evaluation->error)
    return;
  if (mapping->broken)
    function.count = counts_value(evaluation, mapping->regions->counter);
  else if (function.regions.count)
    function.count = exported_regions(out)[function.regions.begin].count;
  evaluation_put(evaluation, &out->functions, &function, sizeof function);
}

/* ---- all ---- */

static void add_mapped(struct evaluation *evaluation) {
  struct mapping *mapping = &evaluation->mapping;
  if (!sums_take(evaluation) || !mapping->region_count)
    return;
  sites_find(evaluation);
  if (!counts_settle(evaluation)) {
    const struct function_entry *known =
        profile_find(evaluation->from->profile, mapping->name);
    left_out_add(&evaluation->out->mismatched, known ? known->name : "?");
    return;
  }
  add_function(evaluation);
}

/* Adds a function without a mapping: one region for all of its lines, with
 * skipped regions between the lines with code. */
static void add_absent(struct evaluation *evaluation) {
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
  if (!exported_number(evaluation->out, one->file, &number))
    evaluation->error = out_of_memory;
  *(uint64_t *)need(map_at(&evaluation->names, mapping->reference, 0,
                           evaluation->instance)) = number + 1;
  for (size_t i = 0; i < one->count; i++) {
    struct region region = {.kind = i ? REGION_SKIPPED : REGION_CODE,
                            .counter = i ? COUNTER_ZERO : COUNTER_PLAIN,
                            .begin = {i ? lines[i - 1] + 1 : *lines, 1}};
    region.end = (struct source_position){
        i ? lines[i] - 1 : lines[one->count - 1], LINE_WIDTH};
    if (!i || lines[i] > lines[i - 1] + 1)
      evaluation_put(evaluation, &regions, &region, sizeof region);
  }
  mapping->regions = (struct region *)(void *)regions.data;
  mapping->region_count = regions.size / sizeof *mapping->regions;
  if (!evaluation->error)
    add_mapped(evaluation);
  buffer_free(&regions);
}

static void add_elf(struct evaluation *evaluation) {
  struct mapping *mapping = &evaluation->mapping;
  while (!evaluation->error && mapping_next(mapping, &evaluation->error))
    if (evaluation_wants(evaluation))
      add_mapped(evaluation);
  sums_unmapped(evaluation);
}

/* Whether the profile has an executed vector. Some images give only
 * counters. */
static bool has_bits(const struct profile *profile) {
  for (size_t i = 0; profile->has_bitmaps && i < profile->function_count; i++)
    for (const struct counts *one = profile->arrived[i]->counts; one;
         one = one->next)
      for (uint32_t k = 0; k < one->more->bitmap_size; k++)
        if (one->more->bitmap[k])
          return true;
  return false;
}

/* Whether these are functions that no ELF contains; they are treated like one
 * more ELF. */
static bool is_added(const struct evaluated *from) {
  return from->only || from->absent;
}

static void each_elf(struct evaluation *evaluation,
                     const struct evaluated *list, size_t count,
                     void (*work)(struct evaluation *)) {
  size_t number = 0;
  for (size_t i = 0; i < count && !evaluation->error; i++) {
    if (!list[i].profile)
      continue;
    evaluation->from = &list[i];
    evaluation->instance = (uint32_t)number;
    evaluation->has_bits = has_bits(list[i].profile);
    if (list[i].absent) {
      if (work == add_elf)
        add_absent(evaluation);
      continue;
    }
    number += !list[i].only;
    evaluation->error = mapping_open(&evaluation->mapping, list[i].elf);
    if (!evaluation->error)
      work(evaluation);
    mapping_close(&evaluation->mapping);
  }
}

static void begin(struct evaluation *evaluation, const struct evaluated *list,
                  size_t count) {
  size_t most = 1;
  for (size_t i = 0; i < count; i++)
    most += list[i].elf ? elf_most(list[i].elf) : ABSENT_MOST;
  exported_begin(evaluation->out, most);
  evaluation->out->as_llvm_cov = evaluation->mask->as_llvm_cov;
  evaluation->out->has_functions = evaluation->out->has_vectors = true;
  evaluation_begin(evaluation, most);
  evaluation->names.limit = evaluation->seen.limit = SIZE_MAX;
  evaluation->used.limit = SIZE_MAX;
  profile_new(&evaluation->sum, most);
}

static void end(struct evaluation *evaluation) {
  evaluation_end(evaluation);
  map_free(&evaluation->names);
  map_free(&evaluation->seen);
  map_free(&evaluation->used);
  profile_free(&evaluation->sum);
}

static int by_name(const void *left, const void *right) {
  const struct source_named *a = left, *b = right;
  return a->left_out != b->left_out ? a->left_out - b->left_out
                                    : strcmp(a->name, b->name);
}

size_t sources_sort(struct source_named *list, size_t count,
                    const struct evaluate_mask *mask) {
  size_t rows = 0;
  for (size_t i = 0; i < count; i++) {
    list[i].left_out =
        mask->filter &&
        !filter_keeps(mask->filter, mask->paths, list[i].name);
    rows += !list[i].left_out;
  }
  sort(list, count, sizeof *list, by_name);
  return rows;
}

static void sort_names(struct evaluation *evaluation) {
  struct exported *out = evaluation->out;
  size_t count = out->name_count;
  struct source_named *list = need(malloc((count + 1) * sizeof *list));
  uint32_t *numbers = need(malloc((count + 1) * sizeof *numbers));
  for (uint32_t i = 0; i < count; i++)
    list[i] = (struct source_named){out->names[i], i, false};
  size_t rows = sources_sort(list, count, evaluation->mask);
  for (uint32_t i = 0; i < count; i++) {
    numbers[list[i].number] = i;
    out->names[i] = list[i].name;
  }
  for (size_t i = 0; i < out->files.size / sizeof(uint32_t); i++)
    exported_files(out)[i] = numbers[exported_files(out)[i]];
  free(list);
  free(numbers);
  exported_rows(out, rows);
}

static void clear_rows(struct exported *exported) {
  struct scores_summary *summary = &exported->summary;
  exported->segment_list.size = exported->differs.size = 0;
  for (size_t i = 0; i <= summary->count; i++) {
    struct file_row *row =
        i < summary->count ? &summary->rows[i] : &summary->total;
    memset(row->scores, 0, sizeof row->scores);
    exported->instantiations[i] = (struct score){0, 0};
  }
}

static void add_up(struct exported *exported) {
  struct scores_summary *summary = &exported->summary;
  struct score *total = &exported->instantiations[summary->count];
  for (size_t i = 0; i < summary->count; i++) {
    row_add(&summary->total, &summary->rows[i]);
    total->count += exported->instantiations[i].count;
    total->covered += exported->instantiations[i].covered;
  }
}

const char *evaluate_rows(struct exported *exported,
                          const struct evaluate_mask *mask) {
  const char *error = NULL;
  clear_rows(exported);
  if (mask->excluded)
    error = mask_apply(mask->excluded, exported);
  if (!error && mask->object)
    object_model_rows(exported, mask);
  else if (!error)
    error = scores_rows(exported, mask);
  if (!error)
    add_up(exported);
  return error ? error : lines_check(exported);
}

const char *evaluate(struct exported *exported, const struct evaluated *list,
                     size_t count, const struct evaluate_mask *mask) {
  static const struct evaluate_mask none;
  mask = mask ? mask : &none;
  struct evaluation evaluation = {.out = exported, .mask = mask};
  begin(&evaluation, list, count);
  for (size_t i = 0; i < count; i++)
    evaluation.elfs += list[i].profile && !is_added(&list[i]);
  evaluation.elfs += count && is_added(&list[count - 1]);
  exported->elfs = evaluation.elfs;
  each_elf(&evaluation, list, count, sums_read);
  each_elf(&evaluation, list, count, add_elf);
  if (!evaluation.error) {
    sort_names(&evaluation);
    exported_settle(exported);
  }
  if (!evaluation.error && mask->paths &&
      negated_judge(exported, mask->paths))
    evaluation.error = "a source cannot be read; see above";
  end(&evaluation);
  return evaluation.error ? evaluation.error : evaluate_rows(exported, mask);
}
