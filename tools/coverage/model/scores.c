/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file makes the segments and scores of each source. The scores of a
 * source are the sums over its functions. Functions that begin at the same
 * position are instantiations; for each metric, the best instantiation counts.
 * However, different variants of a text count together.
 *
 * The functions sums_* find the counts of the current function for evaluate.c,
 * as a sum over ELFs, or the cause why these counts are not known.
 */
#include "evaluation.h"

#include <inttypes.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/json.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "../../object/digest.h"

/* ---- scores in JSON ----
 *
 * Scores in JSON look like this: {"lines":{"count":N,"covered":N, ...}, ...}
 */

const char *metric_names[METRICS] = {"functions", "lines", "regions",
                                     "branches", "mcdc"};

const char *metric_titles[METRICS] = {"Functions", "Lines", "Regions",
                                      "Branches", "MC/DC"};

void metrics_use_instructions(void) {
  metric_names[REGIONS] = "instructions";
  metric_titles[REGIONS] = "Instructions";
}

static void parse_score(struct json_reader *json, struct score *score) {
  char key[JSON_KEY];
  json_enter_bracket(json, '{');
  while (json_next_member(json, key))
    if (strcmp(key, "count") == 0)
      score->count = json_parse_number(json);
    else if (strcmp(key, "covered") == 0)
      score->covered = json_parse_number(json);
    else
      json_skip_and_get_text(json);
  if (score->covered > score->count)
    json->failed = true;
}

void summary_parse_scores(struct json_reader *json,
                          struct score scores[METRICS]) {
  char key[JSON_KEY];
  json_enter_bracket(json, '{');
  while (json_next_member(json, key)) {
    unsigned metric = 0;
    while (metric < METRICS && strcmp(key, metric_names[metric]) != 0)
      metric++;
    if (metric < METRICS)
      parse_score(json, &scores[metric]);
    else
      json_skip_and_get_text(json);
  }
}

void summary_copy(struct scores_summary *to,
                  const struct scores_summary *from) {
  *to = (struct scores_summary){.total = from->total};
  to->rows = need_memory(calloc(from->count + 1, sizeof *to->rows));
  for (; to->count < from->count; to->count++) {
    to->rows[to->count] = from->rows[to->count];
    to->rows[to->count].name = need_memory(strdup(from->rows[to->count].name));
  }
}

void summary_free(struct scores_summary *summary) {
  for (size_t i = 0; i < summary->count; i++)
    free(summary->rows[i].name);
  free(summary->rows);
  *summary = (struct scores_summary){0};
}

bool metrics_print_counts(FILE *stream, const uint64_t counts[METRICS]) {
  static const char *const names[METRICS] = {"function", "line", "region",
                                             "branch", "MC/DC condition"};
  bool any = false;
  for (unsigned i = 0; i < METRICS; i++) {
    if (!counts[i])
      continue;
    fprintf(stream, "%s%" PRIu64 " %s%s", any ? ", " : "", counts[i],
            i == REGIONS && *metric_names[i] == 'i' ? "instruction" : names[i],
            counts[i] == 1  ? ""
            : i == BRANCHES ? "es"
                            : "s");
    any = true;
  }
  return any;
}

bool row_is_empty(const struct file_row *row) {
  return !row->scores[FUNCTIONS].count && !row->scores[LINES].count &&
         !row->scores[REGIONS].count;
}

void row_add_scores(struct file_row *row, const struct file_row *other) {
  for (unsigned i = 0; i < METRICS; i++) {
    row->scores[i].count += other->scores[i].count;
    row->scores[i].covered += other->scores[i].covered;
  }
}

/* ---- a function ---- */

/* Computes all scores of a function except lines, from the function's
 * elements. */
static void score_function(const struct model *out,
                           struct model_function *function) {
  const struct model_region *region = model_regions_of(out, function);
  const struct model_branch *branch = model_branches_of(out, function);
  struct score *scores = function->scores;
  memset(scores, 0, sizeof function->scores);
  scores[FUNCTIONS] = (struct score){1, function->count != 0};
  for (uint32_t i = 0; i < function->regions.count; i++, region++)
    score_add(&scores[REGIONS], region->kind == MODEL_CODE && !region->added,
              region->count);
  for (uint32_t i = 0; i < function->branches.count; i++, branch++)
    for (unsigned side = 0; side < 2; side++)
      score_add(&scores[BRANCHES], !(branch->constant >> side & 1),
                branch->counts[side]);
  for (uint32_t i = 0; i < function->decisions.count; i++) {
    const struct model_decision *one = &model_decisions_of(out, function)[i];
    uint32_t at = one->conditions.begin;
    for (uint32_t k = at; k < at + one->conditions.count; k++)
      score_add(&scores[MCDC],
                one->file == function->main && model_condition_counts(out, k),
                model_conditions(out)[k]);
  }
}

/* The functions of a source, sorted by position. */
struct source_functions {
  const struct function_position *list;
  size_t count;
};

static void build_function_segments(struct evaluation *evaluation,
                                    const struct function_position *at,
                                    struct buffer *segments) {
  const struct model *out = evaluation->out;
  const struct model_function *function = &model_functions(out)[at->function];
  const struct model_region *all = model_regions_of(out, function);
  struct model_region *own = evaluation_clear_and_reserve(
      &evaluation->scratch, function->regions.count, sizeof *own);
  size_t count = 0;
  for (uint32_t i = 0; i < function->regions.count; i++)
    if (all[i].file == function->main)
      own[count++] = all[i];
  segments->size = 0;
  segments_build(evaluation, own, count, segments, at->row);
  truth_add_stretches(evaluation);
  segments_exclude_lines(evaluation, segments, 0, at->row);
}

static void swap_buffers(struct buffer *a, struct buffer *b) {
  struct buffer kept = *a;
  *a = *b;
  *b = kept;
}

/* Returns a number that identifies the ELF of a function and the variant of the
 * function's own text. */
static uint64_t make_variant_key(const struct evaluation *evaluation,
                                 const struct function_position *at) {
  const struct model *out = evaluation->out;
  const struct model_function *function = &model_functions(out)[at->function];
  const struct model_region *all = model_regions_of(out, function);
  uint32_t i = 0;
  while (i < function->regions.count && all[i].file != function->main)
    i++;
  return place_number(i < function->regions.count ? all[i].variant : 0,
                      function->instance);
}

static void begin_token_counts(struct evaluation *evaluation, uint32_t row,
                               const struct model_region *regions,
                               size_t count) {
  uint64_t begin = UINT64_MAX, end = 0;
  for (size_t i = 0; i < count; i++) {
    const struct source_span *span = &regions[i].span;
    begin = span_begin(span) < begin ? span_begin(span) : begin;
    end = span_end(span) > end ? span_end(span) : end;
  }
  truth_begin_counts(evaluation, row, begin, end);
}

/* Scores the lines of a function in all its variants and ELFs. A line is
 * covered if it ran in any variant or ELF. */
static struct score score_function_lines(struct evaluation *evaluation,
                                         const struct source_functions *source,
                                         const struct function_position *group,
                                         size_t count) {
  struct model *out = evaluation->out;
  struct buffer *sum = &evaluation->merged[0], *next = &evaluation->merged[1];
  const struct model_function *first = &model_functions(out)[group->function];
  const struct model_region *regions = model_regions_of(out, first);
  uint32_t size = 0, at = 0;
  for (; at < first->regions.count && regions[at].file != first->main;)
    at++;
  while (at + size < first->regions.count &&
         regions[at + size].file == first->main)
    size++;
  begin_token_counts(evaluation, group->row, regions + at, size);
  build_function_segments(evaluation, group, sum);
  for (size_t i = 1; i < count && !evaluation->error; i++) {
    build_function_segments(evaluation, &group[i], &evaluation->segments);
    next->size = 0;
    segments_merge(evaluation, sum, &evaluation->segments, next);
    swap_buffers(sum, next);
  }
  truth_copy_inner_counts(evaluation, source->list, source->count, group);
  truth_correct_segments(evaluation, sum, 0, NO_FILE);
  return segments_score_lines((const struct segment *)(void *)sum->data,
                              sum->size / sizeof(struct segment));
}

/* A union of instantiations. A region, branch or condition that several
 * functions have at the same position counts once. */
struct position_union {
  struct evaluation *evaluation;
  uint32_t function;
  /* A map from an element to twice the number of the last function with the
   * element. Bit 0 says that the element ran. */
  struct map places;
  struct score *scores; /* a score for each metric */
};

/* Adds a region, an outcome or a condition of a function. The span and the uses
 * of macros identify the element; `which` is the outcome. If the function has
 * several elements at the position, as in a macro's argument, each counts as a
 * position of its own. */
static void add_position_to_scores(struct position_union *united,
                                   unsigned metric, uint32_t file,
                                   struct source_span span, unsigned which,
                                   bool ran) {
  struct evaluation *evaluation = united->evaluation;
  const struct model *out = evaluation->out;
  const struct model_function *function =
      &model_functions(out)[united->function];
  uint64_t path[NESTED_MOST], mark = ((uint64_t)united->function + 1) << 1;
  uint64_t ends[] = {0, span_begin(&span), span_end(&span),
                     which * METRICS + metric};
  uint32_t depth = model_move_to_macro_use(out, function, &file, &span, path);
  ends[0] = model_files_of(out, function)[file];
  struct buffer *key = &evaluation->scratch;
  key->size = 0;
  need_append(key, ends, sizeof ends);
  need_append(key, path, depth * sizeof *path);
  uint64_t name = md5_low64(key->data, key->size), turn = 0, *at;
  while (*(at = need_memory(map_find_or_add(&united->places, name, turn, 0))) >>
             1 ==
         mark >> 1)
    turn++;
  united->scores[metric].count += !*at;
  united->scores[metric].covered += ran && !(*at & 1);
  *at = mark | (*at & 1) | ran;
}

static void add_function_to_scores(struct position_union *united) {
  const struct model *out = united->evaluation->out;
  const struct model_function *function =
      &model_functions(out)[united->function];
  const struct model_region *regions = model_regions_of(out, function);
  const struct model_branch *branches = model_branches_of(out, function);
  const struct model_decision *decisions = model_decisions_of(out, function);
  for (uint32_t i = 0; i < function->regions.count; i++)
    if (regions[i].kind == MODEL_CODE && !regions[i].added)
      add_position_to_scores(united, REGIONS, regions[i].file, regions[i].span,
                             0, regions[i].count);
  for (uint32_t i = 0; i < function->branches.count; i++)
    for (unsigned side = 0; side < 2; side++)
      if (!(branches[i].constant >> side & 1))
        add_position_to_scores(united, BRANCHES, branches[i].file,
                               branches[i].span, side,
                               branches[i].counts[side]);
  for (uint32_t i = 0; i < function->decisions.count; i++) {
    struct slice list = decisions[i].conditions;
    for (uint32_t k = list.begin; k < list.begin + list.count; k++) {
      const struct model_condition *one = &model_atoms(out)[k];
      if (!one->constant && decisions[i].file == function->main)
        add_position_to_scores(united, MCDC, one->file, one->span, 0,
                               model_conditions(out)[k]);
    }
  }
}

/* Scores the regions, branches and conditions of instantiations, which may be
 * in several ELFs. An element is covered if any instantiation covers it. */
static void score_united_elements(struct evaluation *evaluation,
                                  const struct function_position *group,
                                  size_t count, struct score scores[METRICS]) {
  struct position_union united = {
      .evaluation = evaluation, .places.limit = SIZE_MAX, .scores = scores};
  for (unsigned metric = REGIONS; metric < METRICS; metric++)
    scores[metric] = (struct score){0, 0};
  for (size_t i = 0; i < count && !evaluation->error; i++) {
    united.function = group[i].function;
    add_function_to_scores(&united);
  }
  map_free(&united.places);
}

/* If the functions of a group count together, replaces their common scores,
 * which are the largest of each function. */
static void score_instantiations(struct evaluation *evaluation,
                                 const struct source_functions *source,
                                 const struct function_position *group,
                                 size_t count, struct score scores[METRICS]) {
  bool several = false;
  const struct model_function *all = model_functions(evaluation->out);
  const struct model_function *first = &all[group->function];
  for (size_t i = 1; i < count; i++) {
    const struct model_function *other = &all[group[i].function];
    several |= make_variant_key(evaluation, &group[i]) !=
               make_variant_key(evaluation, &group[0]);
    /* Two objects compiled the function with different options. */
    several |= !evaluation->out->as_llvm_cov && other->hash != first->hash &&
               strcmp(other->name, first->name) == 0;
  }
  if (!several)
    return;
  scores[LINES] = score_function_lines(evaluation, source, group, count);
  if (!evaluation->out->as_llvm_cov)
    score_united_elements(evaluation, group, count, scores);
}

/* ---- sources ---- */

ORDER_BY(by_place, struct function_position, x->row, x->begin, x->function);

/* Scores the functions of a source, and adds them to the source's scores.
 * Instantiations at one position count together, as one function. */
static void score_functions(struct evaluation *evaluation,
                            const struct source_functions *source) {
  struct model *out = evaluation->out;
  const struct function_position *positions = source->list;
  struct model_function *all = model_functions(out);
  for (size_t i = 0, end; i < source->count; i = end) {
    struct file_row united = {.name = NULL};
    struct score *each = &out->instantiations[positions->row];
    for (end = i;
         end < source->count && positions[end].begin == positions[i].begin;
         end++) {
      struct score *scores = all[positions[end].function].scores;
      scores[LINES] =
          score_function_lines(evaluation, source, &positions[end], 1);
      for (unsigned k = 0; k < METRICS; k++)
        score_raise(&united.scores[k], &scores[k]);
      each->count++;
      each->covered += scores[FUNCTIONS].covered;
    }
    if (end - i > 1)
      score_instantiations(evaluation, source, &positions[i], end - i,
                           united.scores);
    for (size_t k = i; k < end; k++)
      memcpy(all[positions[k].function].counted, united.scores,
             sizeof united.scores);
    row_add_scores(&out->summary.rows[positions->row], &united);
  }
}

void model_make_rows(struct model *out, size_t count) {
  struct scores_summary *summary = &out->summary;
  out->segments = need_memory(calloc(count + 1, sizeof *out->segments));
  out->instantiations =
      need_memory(calloc(count + 1, sizeof *out->instantiations));
  summary->rows = need_memory(calloc(count + 1, sizeof *summary->rows));
  for (; summary->count < count; summary->count++)
    summary->rows[summary->count].name =
        need_memory(strdup(out->names[summary->count]));
}

/* Sorts the regions of all functions by source and ELF. ends[i * elfs + k] is
 * the index after the last region of source i in ELF k. */
static struct model_region *sort_regions_by_row(struct evaluation *evaluation,
                                                size_t *ends) {
  const struct model *out = evaluation->out;
  const struct model_function *functions = model_functions(out);
  size_t count = model_function_count(out), total = 0;
  size_t elfs = evaluation->elfs;
  const struct variant_hole *holes = (void *)evaluation->holes.data;
  size_t hole_count = evaluation->holes.size / sizeof *holes;
  struct model_region *list =
      need_memory(malloc(out->regions.size + hole_count * sizeof *list + 1));
  for (unsigned pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < count; i++) {
      const uint32_t *files = model_files_of(out, &functions[i]);
      for (uint32_t k = 0; k < functions[i].regions.count; k++) {
        const struct model_region *region =
            &model_regions_of(out, &functions[i])[k];
        size_t *end = &ends[files[region->file] * elfs + functions[i].instance];
        if (pass)
          list[*end] = *region;
        ++*end;
      }
    }
    for (size_t i = 0; i < hole_count; i++) {
      size_t *end = &ends[holes[i].row * elfs + holes[i].instance];
      if (pass)
        list[*end] = holes[i].region;
      ++*end;
    }
    /* Turns each count into the index where the regions begin. The second pass
     * then moves this index to the end of the regions. */
    for (size_t i = 0; i < out->name_count * elfs && !pass; i++) {
      size_t size = ends[i];
      ends[i] = total;
      total += size;
    }
  }
  return list;
}

ORDER_BY(by_variant, struct model_region, x->variant);

/* Sorts regions by variant. Returns whether there is only one variant. */
static bool sort_regions_by_variant(struct model_region *regions,
                                    size_t count) {
  uint32_t last = 0;
  for (size_t i = 0; i < count; i++)
    last = regions[i].variant > last ? regions[i].variant : last;
  if (last)
    sort_array(regions, count, sizeof *regions, by_variant);
  return !last;
}

static void build_row_segments(struct evaluation *evaluation,
                               struct model_region *regions, const size_t *ends,
                               size_t begin, uint32_t name) {
  struct buffer *list = &evaluation->out->segment_list;
  struct buffer *sum = &evaluation->merged[0], *next = &evaluation->merged[1];
  begin_token_counts(evaluation, name, regions + begin,
                     ends[evaluation->elfs - 1] - begin);
  if (evaluation->elfs == 1 &&
      sort_regions_by_variant(regions + begin, ends[0] - begin)) {
    segments_build(evaluation, regions + begin, ends[0] - begin, list, name);
    truth_add_stretches(evaluation);
    return;
  }
  sum->size = 0;
  for (size_t i = 0; i < evaluation->elfs; begin = ends[i++]) {
    sort_regions_by_variant(regions + begin, ends[i] - begin);
    for (size_t end; begin < ends[i]; begin = end) {
      for (end = begin + 1;
           end < ends[i] && regions[end].variant == regions[begin].variant;)
        end++;
      evaluation->segments.size = next->size = 0;
      segments_build(evaluation, regions + begin, end - begin,
                     &evaluation->segments, name);
      truth_add_stretches(evaluation);
      segments_merge(evaluation, sum, &evaluation->segments, next);
      swap_buffers(sum, next);
    }
  }
  need_append(list, sum->data, sum->size);
}

/* Scores all functions. Lists the functions that begin in sources of the
 * report, sorted by position. */
static struct function_position *score_and_list_functions(struct model *out,
                                                          size_t *count) {
  size_t all = model_function_count(out);
  struct function_position *positions =
      need_memory(malloc((all + 1) * sizeof *positions));
  *count = 0;
  for (uint32_t i = 0; i < all; i++) {
    struct model_function *one = &model_functions(out)[i];
    const struct model_region *region = model_regions_of(out, one);
    const struct model_region *end = region + one->regions.count;
    score_function(out, one);
    while (region != end && region->file != one->main)
      region++;
    uint32_t row =
        region == end ? NO_FILE : model_files_of(out, one)[one->main];
    if (row < out->summary.count)
      positions[(*count)++] =
          (struct function_position){span_begin(&region->span), row, i};
  }
  sort_array(positions, *count, sizeof *positions, by_place);
  return positions;
}

ORDER_BY(by_line, struct branch_line, x->place);

static void list_branch_lines(struct evaluation *evaluation) {
  const struct model *out = evaluation->out;
  struct buffer *list = &evaluation->truth.branch_lines;
  list->limit = SIZE_MAX;
  for (size_t i = 0; i < model_function_count(out); i++) {
    const struct model_function *one = &model_functions(out)[i];
    for (uint32_t k = 0; k < one->branches.count; k++) {
      const struct model_branch *branch = &model_branches_of(out, one)[k];
      const struct branch_line line = {
          (uint64_t)model_files_of(out, one)[branch->file] << 32 |
          branch->span.line};
      need_append(list, &line, sizeof line);
    }
  }
  sort_array(list->data, list->size / sizeof(struct branch_line),
             sizeof(struct branch_line), by_line);
}

static void number_variants_and_find_holes(struct evaluation *evaluation);

static void build_scored_rows(struct evaluation *evaluation) {
  struct model *out = evaluation->out;
  size_t elfs = evaluation->elfs, begin = 0, at = 0, position_count;
  struct function_position *positions =
      score_and_list_functions(out, &position_count);
  number_variants_and_find_holes(evaluation);
  if (evaluation->options->code_only)
    list_branch_lines(evaluation);
  size_t *ends = need_memory(calloc(out->name_count * elfs + 1, sizeof *ends));
  struct model_region *list = sort_regions_by_row(evaluation, ends);
  for (size_t i = 0; i < out->summary.count && !evaluation->error; i++) {
    struct slice *slice = &out->segments[i];
    struct source_functions source = {.list = positions + at};
    while (at < position_count && positions[at].row == i)
      at++;
    source.count = (size_t)(positions + at - source.list);
    slice->begin = (uint32_t)(out->segment_list.size / sizeof(struct segment));
    build_row_segments(evaluation, list, ends + i * elfs, begin, (uint32_t)i);
    truth_clear_lambdas_and_save(evaluation, source.list, source.count);
    size_t first = slice->begin * sizeof(struct segment);
    segments_exclude_lines(evaluation, &out->segment_list, first, (uint32_t)i);
    truth_correct_segments(evaluation, &out->segment_list, first, (uint32_t)i);
    slice->count = (uint32_t)(out->segment_list.size / sizeof(struct segment)) -
                   slice->begin;
    begin = ends[i * elfs + elfs - 1];
    score_functions(evaluation, &source);
  }
  free(positions);
  free(list);
  free(ends);
}

const char *scores_make_rows(struct model *exported,
                             const struct evaluation_options *mask) {
  struct evaluation evaluation = {
      .out = exported, .options = mask, .elfs = exported->elfs};
  evaluation_begin(&evaluation, SIZE_MAX); /* The model limits the lists. */
  evaluation.holes.limit = exported->regions.limit;
  exported->segment_list.limit = exported->differs.limit = SIZE_MAX;
  build_scored_rows(&evaluation);
  evaluation_end(&evaluation);
  return evaluation.error;
}

/* ---- sums ----
 *
 * This part finds the counts of each function. Functions in several ELFs are
 * one function if they have the same name, hash, files and regions. Two
 * functions `main` have different files, and code from two compilers has
 * different regions.
 */

/* ---- one ELF ---- */

struct function_counts sums_find_counts(const struct profile *profile,
                                        uint64_t name, uint64_t hash,
                                        bool *other) {
  const struct function_entry *function = profile_find_function(profile, name);
  *other = function;
  for (const struct record_counts *one = function ? function->counts : NULL;
       one; one = one->next)
    if (profile_comparable_hash(profile, one->hash) ==
        profile_comparable_hash(profile, hash)) {
      *other = false;
      return (struct function_counts){one->counters, one->more->bitmap,
                                      one->counter_count,
                                      one->more->bitmap_size, one->merged};
    }
  return (struct function_counts){.counters = NULL};
}

uint64_t sums_function_digest(struct evaluation *evaluation) {
  const struct mapping *mapping = &evaluation->mapping;
  const uint64_t parts[] = {md5_low64(mapping->body.data, mapping->body.size),
                            mapping->hash};
  struct buffer *names = &evaluation->scratch;
  names->size = 0;
  need_append(names, parts, sizeof parts);
  for (uint32_t i = 0; i < mapping->file_count && !evaluation->error; i++) {
    uint32_t number = evaluation_find_or_add_file(evaluation, i);
    need_append(names, &number, sizeof number);
  }
  return evaluation->error ? 0 : md5_low64(names->data, names->size);
}

/* ---- several ELFs ---- */

void sums_add_counts(struct profile *sum, const struct profile *from,
                     uint64_t function, uint64_t key,
                     const struct function_counts *counted) {
  const char *name = profile_find_function(from, function)->name;
  struct record_counts *entry;
  const struct counts_addition addition = {.name = name,
                                           .name_size = strlen(name),
                                           .hash = key,
                                           .counters = counted->counters,
                                           .bitmap = counted->bitmap,
                                           .counter_count =
                                               counted->counter_count,
                                           .bitmap_size = counted->bitmap_size,
                                           .weight = 1};
  if (profile_add_counts(sum, &addition, &entry) == REFUSED_MEMORY)
    need_memory(NULL);
}

static bool add_function_if_not_seen(struct evaluation *evaluation,
                                     uint64_t key, uint64_t instance) {
  uint64_t *seen = need_memory(map_find_or_add(
      &evaluation->seen, evaluation->mapping.name, key, instance));
  return !(*seen)++;
}

bool sums_has_counts_of_elf(struct evaluation *evaluation, uint32_t elf) {
  return evaluation->elfs < 2 ||
         map_find(&evaluation->seen, evaluation->mapping.name,
                  sums_function_digest(evaluation), elf);
}

static void mark_mapped_and_used(struct evaluation *evaluation) {
  struct mapping *mapping = &evaluation->mapping;
  if (!mapping->hash)
    evaluation->error = mapping_read_regions(mapping);
  if (evaluation->error)
    return;
  uint64_t hash =
      profile_comparable_hash(evaluation->from->profile, mapping->hash);
  uint64_t which = evaluation->instance;
  need_memory(
      map_find_or_add(&evaluation->used, mapping->name, hash, which + 1));
  if (!mapping_function_is_unused(mapping))
    need_memory(map_find_or_add(&evaluation->used, mapping->name, which, 0));
}

void sums_list_unmapped_functions(struct evaluation *evaluation) {
  const struct profile *profile = evaluation->from->profile;
  for (size_t i = 0; i < profile->function_count; i++) {
    const struct function_entry *one = profile->arrived[i];
    for (const struct record_counts *k = one->counts; k; k = k->next)
      if (!map_find(&evaluation->used, one->reference,
                    profile_comparable_hash(profile, k->hash),
                    (uint64_t)evaluation->instance + 1))
        left_out_append(&evaluation->out->unmapped, one->name,
                        evaluation->instance);
  }
}

void sums_mark_used_and_add(struct evaluation *evaluation) {
  struct mapping *mapping = &evaluation->mapping;
  bool other;
  while (mapping_next_record(mapping, &evaluation->error))
    if (evaluation_uses_function(evaluation))
      mark_mapped_and_used(evaluation);
  mapping_rewind(mapping);
  if (!evaluation->from->only)
    twins_mark_doubted_functions(evaluation);
  mapping_rewind(mapping);
  while (evaluation->elfs > 1 &&
         mapping_next_function(mapping, &evaluation->error)) {
    const struct profile *profile = evaluation->from->profile;
    struct function_counts counted =
        sums_find_counts(profile, mapping->name, mapping->hash, &other);
    if (!evaluation_uses_function(evaluation))
      continue;
    uint64_t key = sums_function_digest(evaluation);
    if (evaluation->error || !counted.counters)
      continue;
    /* An ELF may contain the record of a function twice. */
    if (add_function_if_not_seen(evaluation, key, evaluation->instance))
      sums_add_counts(&evaluation->sum, profile, mapping->name, key, &counted);
  }
  mapping_rewind(mapping);
}

bool sums_set_counts_and_cause(struct evaluation *evaluation) {
  const struct mapping *mapping = &evaluation->mapping;
  const struct profile *profile = evaluation->from->profile;
  bool other;
  if (mapping_function_is_unused(mapping) &&
      map_find(&evaluation->used, mapping->name, evaluation->instance, 0))
    return false;
  evaluation->counted =
      sums_find_counts(profile, mapping->name, mapping->hash, &other);
  if (other) {
    if (mapping->hash)
      left_out_append(&evaluation->out->mismatched,
                      profile_find_function(profile, mapping->name)->name,
                      evaluation->instance);
    return false;
  }
  uint64_t key = sums_function_digest(evaluation);
  if (evaluation->error ||
      !add_function_if_not_seen(evaluation, key, ALL_INSTANCES))
    return false;
  const uint64_t *doubt =
      map_find(&evaluation->seen, mapping->name, key, DOUBTED);
  evaluation->cause = mapping->broken                 ? CAUSE_MAPPING
                      : doubt && *doubt & TWINS_COUNT ? CAUSE_TWINS
                                                      : CAUSE_NONE;
  if (evaluation->out->as_llvm_cov && !mapping->broken)
    evaluation->cause = CAUSE_NONE;
  struct function_counts all =
      sums_find_counts(&evaluation->sum, mapping->name, key, &other);
  if (all.counters)
    evaluation->counted = all;
  return true;
}

/* ==== This part numbers the variants of texts. A text can be compiled in
 * several variants: files compile a header with different macros, a template
 * has different constants, a function includes a text. Code that one variant
 * skips may run in another variant, so regions of two variants do not nest.
 * segments.c makes the segments of each variant, and adds them up. */

/* The text of a function itself, or a text that the function includes. */
struct variant_text {
  uint64_t source; /* number of the row and the ELF of the text */
  uint64_t begin, end;
  uint64_t shape;        /* hash of the regions without their counts */
  uint32_t first, count; /* range of the regions in the model */
  bool own;
};

ORDER_BY(by_shape, struct variant_text, x->source, x->begin, x->shape,
         x->first);

static uint64_t mix_hash(uint64_t shape, uint64_t number) {
  shape = (shape ^ number) * UINT64_C(0x9E3779B97F4A7C15);
  return shape ^ shape >> 29;
}

static struct variant_text make_variant_text(const struct model_region *all,
                                             uint32_t first, uint32_t count) {
  struct variant_text text = {
      .begin = UINT64_MAX, .first = first, .count = count};
  for (uint32_t i = first; i < first + count; i++) {
    uint64_t begin = span_begin(&all[i].span), end = span_end(&all[i].span);
    text.begin = begin < text.begin ? begin : text.begin;
    text.end = end > text.end ? end : text.end;
    text.shape =
        mix_hash(mix_hash(mix_hash(text.shape, begin), end), all[i].kind);
  }
  return text;
}

/* Returns whether the regions of a function in one file are a text that can
 * have variants. A macro always has one variant, without skipped regions. */
static bool can_have_variants(const struct model_region *all, uint32_t count,
                              bool own) {
  for (uint32_t i = 0; i < count && !own; i++)
    own = all[i].kind == MODEL_SKIPPED && !all[i].added;
  return own;
}

static void list_variant_texts(struct evaluation *evaluation,
                               struct buffer *texts) {
  const struct model *out = evaluation->out;
  const struct model_region *all = model_regions(out);
  for (size_t i = 0; i < model_function_count(out); i++) {
    const struct model_function *one = &model_functions(out)[i];
    uint32_t at = one->regions.begin, end = at + one->regions.count, next;
    for (; at < end; at = next) {
      for (next = at + 1; next < end && all[next].file == all[at].file;)
        next++;
      bool own = all[at].file == one->main;
      if (!can_have_variants(&all[at], next - at, own))
        continue;
      struct variant_text text = make_variant_text(all, at, next - at);
      text.source =
          place_number(model_files_of(out, one)[all[at].file], one->instance);
      text.own = own;
      evaluation_append(evaluation, texts, &text, sizeof text);
    }
  }
}

/* Makes holes for functions inside a text, such as lambdas. Such a function has
 * its own variants, so another variant of the outer text does not count it. */
static void make_variant_holes(struct evaluation *evaluation,
                               const struct variant_text *text,
                               const struct variant_text *end,
                               uint32_t variant) {
  for (const struct variant_text *in = text + 1;
       in != end && in->source == text->source && in->begin < text->end; in++) {
    if (!evaluation_use_steps(evaluation, 1))
      return;
    if (!in->own || in->begin == text->begin || in->end >= text->end)
      continue;
    const struct variant_hole hole = {
        .row = (uint32_t)(in->source >> 32),
        .instance = (uint32_t)in->source,
        .region = {.span = {(uint32_t)(in->begin >> 32), (uint32_t)in->begin,
                            (uint32_t)(in->end >> 32), (uint32_t)in->end},
                   .kind = MODEL_SKIPPED,
                   .variant = variant}};
    evaluation_append(evaluation, &evaluation->holes, &hole, sizeof hole);
  }
}

static void set_variant_number(struct evaluation *evaluation,
                               const struct variant_text *text,
                               uint32_t variant) {
  for (uint32_t i = 0; i < text->count; i++)
    model_regions(evaluation->out)[text->first + i].variant = variant;
}

/* Numbers the variants of each source text in the regions of the text, and
 * finds ranges where a variant lacks a count. Each turn of the loop numbers the
 * texts that begin at one position. `open` is the text around this position
 * that ends last; its variants have numbers below next_variant. */
static void number_variants_and_find_holes(struct evaluation *evaluation) {
  struct buffer *texts = &evaluation->segments;
  struct variant_text open = {.source = UINT64_MAX};
  uint32_t next_variant = 0;
  texts->size = 0;
  if (!evaluation->out->as_llvm_cov)
    list_variant_texts(evaluation, texts);
  const struct variant_text *list = (struct variant_text *)(void *)texts->data;
  size_t count = texts->size / sizeof *list, next;
  if (count)
    sort_array(texts->data, count, sizeof *list, by_shape);
  for (size_t i = 0; i < count && !evaluation->error; i = next) {
    uint64_t end = 0;
    bool own = true;
    for (next = i; next < count && list[next].source == list[i].source &&
                   list[next].begin == list[i].begin;
         next++) {
      end = list[next].end > end ? list[next].end : end;
      own &= list[next].own;
    }
    bool inside = list[i].source == open.source && list[i].begin < open.end;
    bool nested = inside && own && end < open.end;
    uint32_t variant = inside && !nested ? next_variant : 0;
    for (size_t k = i; k < next && !evaluation->error; k++) {
      variant += k > i && list[k].shape != list[k - 1].shape;
      set_variant_number(evaluation, &list[k], variant);
      if (variant && (k == i || list[k].shape != list[k - 1].shape))
        make_variant_holes(evaluation, &list[k], list + count, variant);
    }
    if (nested)
      continue;
    open.end = inside && open.end > end ? open.end : end;
    open.source = list[i].source;
    next_variant = variant + 1;
  }
}
