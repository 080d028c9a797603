/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For an ELF without a coverage mapping, this file makes the model from debug
 * information and a trace. Each line has its own segment. A branch instruction
 * counts in the source of its line, even if the line is inlined into a function
 * of another source.
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
  const struct evaluation_options *mask;
  uint32_t *names; /* for each file, the number of its name in the model */
};

/* ---- sources ---- */

/* Returns the index of the first line of a file; line_count if the file has
 * none, because only other ELFs contain its lines. */
static size_t find_first_line(const struct object_model *from, uint32_t file) {
  size_t i = search_from(from->lines, from->line_count, file, file);
  return i < from->line_count && from->lines[i].file == file ? i
                                                             : from->line_count;
}

static void add_names_and_make_rows(struct object_evaluation *modelling) {
  const struct object_model *from = modelling->from;
  size_t count = 0;
  struct sorted_source *list =
      need_memory(malloc((from->file_count + 1) * sizeof *list));
  for (uint32_t i = 0; i < from->file_count; i++)
    if (find_first_line(from, i) < from->line_count)
      list[count++] = (struct sorted_source){from->files[i], i, false};
  size_t rows = sources_mark_and_sort(list, count, modelling->mask);
  for (size_t i = 0; i < count; i++)
    need_memory(model_find_or_add_name(modelling->out, list[i].name,
                                       &modelling->names[list[i].number])
                    ? list
                    : NULL);
  free(list);
  model_make_rows(modelling->out, rows);
}

/* ---- functions ---- */

/* Returns the number of a file among the files of the current function. Adds
 * the file if it is new. */
static uint32_t find_or_add_function_file(struct object_evaluation *modelling,
                                          uint32_t begin, uint32_t file) {
  struct model *out = modelling->out;
  uint32_t name = modelling->names[file], number = 0;
  const uint32_t *files = model_files(out);
  uint32_t count = (uint32_t)(out->files.size / sizeof *files) - begin;
  for (; number < count; number++)
    if (files[begin + number] == name)
      return number;
  need_append(&out->files, &name, sizeof name);
  return number;
}

static void add_object_function(struct object_evaluation *modelling,
                                const struct object_source_function *one) {
  struct model *out = modelling->out;
  struct model_function function = {.name = one->name, .count = one->count};
  const struct model_region body = {.span = {one->line, 1, one->last, LINE_END},
                                    .count = one->count};
  model_begin_or_end_ranges(out, &function, false);
  find_or_add_function_file(modelling, function.files.begin, one->file);
  need_append(&out->regions, &body, sizeof body);
  for (uint32_t i = 0; i < one->branches.count; i++) {
    struct model_branch made =
        modelling->from->branches[one->branches.begin + i];
    made.file =
        find_or_add_function_file(modelling, function.files.begin, made.file);
    need_append(&out->branches, &made, sizeof made);
  }
  model_begin_or_end_ranges(out, &function, true);
  function.scores[REGIONS] = (struct score){one->instructions, one->ran};
  need_append(&out->functions, &function, sizeof function);
}

/* ---- rows ---- */

static void add_and_score_line(struct model *out, struct score *scores,
                               const struct object_source_line *line) {
  const struct segment pieces[] = {
      {line->line, 1, line->count, true, true, false, CAUSE_NONE},
      {line->line, LINE_END, 0, false, false, false, CAUSE_NONE}};
  score_add(&scores[LINES], true, line->count);
  scores[REGIONS].count += line->instructions;
  scores[REGIONS].covered += line->ran;
  need_append(&out->segment_list, pieces, sizeof pieces);
}

static void add_source_lines(struct model *out,
                             const struct evaluation_options *mask,
                             uint32_t file) {
  const struct object_model *from = mask->object;
  uint32_t row = 0;
  size_t spans = 0, at = 0, i = find_first_line(from, file);
  const struct line_span *list =
      exclusions_get_line_spans(mask->excluded, from->files[file], &spans);
  if (i < from->line_count)
    need_memory(model_find_or_add_name(out, from->files[file], &row) ? out
                                                                     : NULL);
  if (i == from->line_count || row >= out->summary.count)
    return;
  struct slice *slice = &out->segments[row];
  slice->begin = (uint32_t)(out->segment_list.size / sizeof(struct segment));
  for (; i < from->line_count && from->lines[i].file == file; i++) {
    uint32_t line = from->lines[i].line;
    while (at < spans && list[at].last < line)
      at++;
    if (at == spans || list[at].first > line)
      add_and_score_line(out, out->summary.rows[row].scores, &from->lines[i]);
  }
  slice->count = (uint32_t)(out->segment_list.size / sizeof(struct segment)) -
                 slice->begin;
}

static void score_object_function(struct model *out,
                                  struct model_function *one) {
  const uint32_t *files = model_files_of(out, one);
  const struct model_branch *branch = model_branches_of(out, one);
  const struct score instructions = one->scores[REGIONS];
  struct scores_summary *summary = &out->summary;
  model_score_function(out, one);
  one->scores[REGIONS] = instructions;
  memcpy(one->counted, one->scores, sizeof one->scores);
  for (uint32_t i = 0; i < 2 * one->branches.count; i++) {
    uint32_t row = files[branch[i / 2].file];
    if (row < summary->count)
      score_add(&summary->rows[row].scores[BRANCHES], true,
                branch[i / 2].counts[i % 2]);
  }
  if (*files < summary->count) {
    score_add(&summary->rows[*files].scores[FUNCTIONS], true, one->count);
    score_add(&out->instantiations[*files], true, one->count);
  }
}

void object_model_make_rows(struct model *out,
                            const struct evaluation_options *mask) {
  for (uint32_t i = 0; i < mask->object->file_count; i++)
    add_source_lines(out, mask, i);
  for (size_t i = 0; i < model_function_count(out); i++)
    score_object_function(out, &model_functions(out)[i]);
}

const char *object_model_evaluate(struct model *exported,
                                  const struct evaluation_options *mask) {
  const struct object_model *from = mask->object;
  struct object_evaluation modelling = {
      .out = exported,
      .from = from,
      .mask = mask,
      .names =
          need_memory(calloc(from->file_count + 1, sizeof *modelling.names))};
  model_init(exported, OBJECT_LIST_MOST);
  exported->has_functions = exported->has_vectors = true;
  add_names_and_make_rows(&modelling);
  for (size_t i = 0; i < from->function_count; i++)
    add_object_function(&modelling, &from->functions[i]);
  free(modelling.names);
  model_set_sites(exported);
  return evaluate_make_rows(exported, mask);
}
