/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes the model of an ELF without a coverage mapping from debug information
 * and a trace. Each line has a segment of its own. A branch instruction counts
 * in the source of its line, which may be inlined into a function of another
 * source.
 */
#include <string.h>

#include "../../base/compare.h"
#include "../../base/buffer.h"
#include "../../base/need.h"
#include "evaluation.h"

enum { LINE_END = 1 << 20 /* a column after the end of any line */ };
#define OBJECT_LIST_MOST ((size_t)1 << 31)

struct object_evaluation {
  struct model *out;
  const struct object_model *from;
  const struct evaluate_options *mask;
  uint32_t *names;        /* of each file: its number in the model */
  struct buffer regions;  /* struct region: the function as mask_apply takes
                             it */
  const char **own_names; /* names of the function's files */
};

/* ---- sources ---- */

/* Numbers the sources by name, the report's sources first. */
static void number_sources(struct object_evaluation *modelling) {
  const struct object_model *from = modelling->from;
  struct sorted_source *list =
      need_memory(malloc((from->file_count + 1) * sizeof *list));
  for (uint32_t i = 0; i < from->file_count; i++)
    list[i] = (struct sorted_source){from->files[i], i, false};
  size_t rows = sources_sort(list, from->file_count, modelling->mask);
  for (size_t i = 0; i < from->file_count; i++)
    need_memory(model_number_name(modelling->out, list[i].name,
                                  &modelling->names[list[i].number])
                    ? list
                    : NULL);
  free(list);
  model_make_rows(modelling->out, rows);
}

static struct score *row_scores(const struct object_evaluation *modelling,
                                uint32_t file) {
  uint32_t row = modelling->names[file];
  struct scores_summary *summary = &modelling->out->summary;
  return row < summary->count ? summary->rows[row].scores : NULL;
}

/* ---- lines ---- */

static void add_line(struct object_evaluation *modelling, struct score *scores,
                     const struct object_source_line *line) {
  const struct segment pieces[] = {
      {line->line, 1, line->count, true, true, false, CAUSE_NONE},
      {line->line, LINE_END, 0, false, false, false, CAUSE_NONE}};
  scores[LINES].count++;
  scores[LINES].covered += line->count != 0;
  scores[REGIONS].count += line->instructions;
  scores[REGIONS].covered += line->ran;
  need_append(&modelling->out->segment_list, pieces, sizeof pieces);
}

/* Adds the segments of a file's lines, except excluded ones. */
static void add_lines(struct object_evaluation *modelling, uint32_t file) {
  const struct object_model *from = modelling->from;
  const struct evaluate_options *mask = modelling->mask;
  struct model *out = modelling->out;
  struct score *scores = row_scores(modelling, file);
  if (!scores)
    return;
  struct slice *slice = &out->segments[modelling->names[file]];
  size_t spans = 0, at = 0;
  const struct line_span *list =
      exclusions_line_spans(mask->excluded, from->files[file], &spans);
  slice->begin = (uint32_t)(out->segment_list.size / sizeof(struct segment));
  for (size_t i = search_from(from->lines, from->line_count, file, file);
       i < from->line_count && from->lines[i].file == file; i++) {
    uint32_t line = from->lines[i].line;
    while (at < spans && list[at].last < line)
      at++;
    if (at == spans || list[at].first > line)
      add_line(modelling, scores, &from->lines[i]);
  }
  slice->count = (uint32_t)(out->segment_list.size / sizeof(struct segment)) -
                 slice->begin;
}

/* ---- functions ---- */

/* Returns the number of a file within the current function, which is added if
 * it is new. */
static uint32_t number_own_file(struct object_evaluation *modelling,
                                uint32_t begin, uint32_t file) {
  struct model *out = modelling->out;
  uint32_t name = modelling->names[file], number = 0;
  const uint32_t *files = model_files(out);
  uint32_t count = (uint32_t)(out->files.size / sizeof *files) - begin;
  for (; number < count; number++)
    if (files[begin + number] == name)
      return number;
  modelling->own_names[count] = out->names[name];
  need_append(&out->files, &name, sizeof name);
  return number;
}

static void append_region(struct object_evaluation *modelling, uint32_t begin,
                          uint32_t file, uint32_t line, uint32_t last,
                          enum region_kind kind) {
  const struct region region = {.kind = kind,
                                .begin = {line, 1},
                                .end = {last, LINE_END},
                                .file =
                                    number_own_file(modelling, begin, file)};
  need_append(&modelling->regions, &region, sizeof region);
}

/* Lists the function and its branches as regions, so that the exclusions can
 * mark them. Returns NULL or the error. */
static const char *exclude_regions(struct object_evaluation *modelling,
                                   const struct object_source_function *one,
                                   uint32_t begin) {
  modelling->regions.size = 0;
  append_region(modelling, begin, one->file, one->line, one->last, REGION_CODE);
  for (uint32_t i = 0; i < one->branches.count; i++) {
    const struct object_source_branch *branch =
        &modelling->from->branches[one->branches.begin + i];
    append_region(modelling, begin, branch->file, branch->line, branch->line,
                  REGION_BRANCH);
  }
  const struct evaluate_options *mask = modelling->mask;
  struct region *regions = (void *)modelling->regions.data;
  struct mapping mapping = {
      .regions = regions,
      .region_count = one->branches.count + 1,
      .file_count = modelling->out->files.size / sizeof(uint32_t) - begin};
  const char *error = mask->excluded ? mask_apply(mask->excluded, &mapping,
                                                  modelling->own_names)
                                     : NULL;
  if (!mapping.region_count)
    regions->kind = REGION_EXCLUDED;
  return error;
}

static void add_branch(struct object_evaluation *modelling,
                       const struct object_source_branch *branch, uint32_t file,
                       struct score *function) {
  struct model_branch made = {
      .span = {branch->line, branch->number, branch->line, branch->number + 1},
      .file = file,
      .kind = MODEL_BRANCH,
      .address = branch->address,
      .cause = branch->known ? CAUSE_NONE : CAUSE_FLOW};
  struct score *scores = row_scores(modelling, branch->file);
  for (unsigned side = 0; side < 2; side++) {
    made.counts[side] = branch->known ? branch->counts[side] : 0;
    function->count++;
    function->covered += made.counts[side] != 0;
    if (scores) {
      scores[BRANCHES].count++;
      scores[BRANCHES].covered += made.counts[side] != 0;
    }
  }
  need_append(&modelling->out->branches, &made, sizeof made);
}

static void score_function(struct object_evaluation *modelling,
                           const struct object_source_function *one) {
  struct score *scores = row_scores(modelling, one->file);
  if (!scores)
    return;
  struct score *forms =
      &modelling->out->instantiations[modelling->names[one->file]];
  scores[FUNCTIONS].count++;
  scores[FUNCTIONS].covered += one->count != 0;
  forms->count++;
  forms->covered += one->count != 0;
}

static const char *add_function(struct object_evaluation *modelling,
                                const struct object_source_function *one) {
  struct model *out = modelling->out;
  const struct region *seen;
  struct model_function function = {.name = one->name, .count = one->count};
  const struct model_region body = {.span = {one->line, 1, one->last, LINE_END},
                                    .count = one->count};
  model_mark_ranges(out, &function, false);
  const char *error = exclude_regions(modelling, one, function.files.begin);
  seen = (const void *)modelling->regions.data;
  if (error || seen->kind == REGION_EXCLUDED) {
    out->files.size = function.files.begin * sizeof(uint32_t);
    return error;
  }
  need_append(&out->regions, &body, sizeof body);
  for (uint32_t i = 0; i < one->branches.count; i++)
    if (seen[i + 1].kind != REGION_EXCLUDED)
      add_branch(modelling,
                 &modelling->from->branches[one->branches.begin + i],
                 seen[i + 1].file, &function.scores[BRANCHES]);
  model_mark_ranges(out, &function, true);
  function.scores[FUNCTIONS] = (struct score){1, one->count != 0};
  function.scores[REGIONS] = (struct score){one->instructions, one->ran};
  score_function(modelling, one);
  need_append(&out->functions, &function, sizeof function);
  return NULL;
}

/* ---- all ---- */

static const char *make_model(struct object_evaluation *modelling) {
  const struct object_model *from = modelling->from;
  const char *error = NULL;
  number_sources(modelling);
  for (uint32_t i = 0; i < from->file_count; i++)
    add_lines(modelling, i);
  for (size_t i = 0; !error && i < from->function_count; i++)
    error = add_function(modelling, &from->functions[i]);
  model_sum_totals(modelling->out);
  model_find_sites(modelling->out);
  return error ? error : segments_check(modelling->out);
}

const char *object_model_evaluate(struct model *exported,
                                  const struct object_model *from,
                                  const struct evaluate_options *mask) {
  struct object_evaluation modelling = {
      .out = exported,
      .from = from,
      .mask = mask,
      .names =
          need_memory(calloc(from->file_count + 1, sizeof *modelling.names)),
      .regions.limit = OBJECT_LIST_MOST,
      .own_names = need_memory(
          calloc(from->file_count + 1, sizeof *modelling.own_names))};
  model_init(exported, OBJECT_LIST_MOST);
  exported->has_functions = exported->has_vectors = true;
  const char *error = make_model(&modelling);
  free(modelling.names);
  free((void *)modelling.own_names);
  buffer_free(&modelling.regions);
  return error;
}
