/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For ELFs without a coverage mapping, this file makes the model from debug
 * information and a trace. ELFs may share source files, lines and functions.
 * The model has each of them once, and it ran if it ran in any ELF. Each line
 * has its own segment. A branch instruction counts in the source of its line,
 * even if the line is inlined into a function of another source.
 */
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../objectcode/objectcode.h"
#include "evaluation.h"

enum { OBJECT_LINE_END = 1 << 20 /* a column after the end of any line */ };
#define OBJECT_LIST_MOST ((size_t)1 << 31)

struct object_evaluation {
  struct model *out;
  const struct object_lines *from;
  const struct evaluation_options *mask;
  struct map branches; /* the last branch number given on each line */
};

/* ---- sources ---- */

/* Returns the index of the first line of a file; the number of lines if the
 * file has none, because only other ELFs contain its lines. */
static size_t find_first_line(const struct object_lines *from, uint32_t file) {
  size_t i = search_from(from->list, from->count, file, file);
  return i < from->count && from->list[i].file == file ? i : from->count;
}

/* Returns the number of a file's name in the model. */
static uint32_t find_or_add_name(struct object_evaluation *modelling,
                                 uint32_t file) {
  uint32_t number = 0;
  need_memory(model_find_or_add_name(
                  modelling->out, modelling->from->files[file], &number)
                  ? modelling->out
                  : NULL);
  return number;
}

/* ---- functions ---- */

/* Returns the number of a file among the files of the current function. Adds
 * the file if it is new. */
static uint32_t find_or_add_function_file(struct object_evaluation *modelling,
                                          uint32_t begin, uint32_t file) {
  struct model *out = modelling->out;
  uint32_t name = find_or_add_name(modelling, file);
  const uint32_t *files = model_files(out);
  uint32_t count = (uint32_t)(out->files.size / sizeof *files) - begin;
  uint32_t number = 0;
  for (; number < count; number++)
    if (files[begin + number] == name)
      return number;
  need_append(&out->files, &name, sizeof name);
  return number;
}

/* A function of one ELF, or a part that was split off. Those with the same file
 * and name become one in the model. */
struct object_function_copy {
  const char *name;
  uint32_t file, number;
  const struct objectcode *of;
};

static int compare_function_copies(const void *left, const void *right) {
  const struct object_function_copy *a = left, *b = right;
  int order = (a->file > b->file) - (a->file < b->file);
  order = order ? order : strcmp(a->name, b->name);
  order = order ? order : (a->of > b->of) - (a->of < b->of);
  return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* Lists the functions, sorted. Functions without debug lines are left out. The
 * caller frees the list. */
static struct object_function_copy *
list_function_copies(const struct object_evaluation *modelling, size_t *count) {
  struct object_function_copy *list = NULL;
  const struct object_lines *from = modelling->from;
  *count = 0;
  for (size_t k = 0; k < from->elf_count; k++) {
    const struct objectcode *of = &from->elfs[k];
    if (modelling->mask->only && of != modelling->mask->only)
      continue;
    for (uint32_t i = 1; i < of->function_count; i++) {
      const struct object_function *one = &of->functions[i];
      const struct object_function *own = &of->functions[one->owner];
      uint32_t file = of->list[own->first].file;
      if (one->count && own->count && file != NO_LINE_FILE)
        LIST_ADD(list, *count,
                 (struct object_function_copy){own->name, file, i, of});
    }
  }
  sort_array(list, *count, sizeof *list, compare_function_copies);
  return list;
}

static void append_branch(struct object_evaluation *modelling, uint32_t begin,
                          const struct objectcode *of,
                          const struct object_instruction *one) {
  uint64_t *last = need_memory(
      map_find_or_add(&modelling->branches, one->file, one->line, 0));
  uint32_t in_line = (uint32_t)++*last;
  struct model_branch made = {
      .span = {one->line, in_line, one->line, in_line + 1},
      .file = find_or_add_function_file(modelling, begin, one->file),
      .kind = MODEL_BRANCH,
      .address = one->address,
      .cause = CAUSE_FLOW};
  if (objectcode_knows_outcomes(of, one)) {
    made.cause = CAUSE_NONE;
    made.counts[0] = one->outcomes[GOES];
    made.counts[1] = one->outcomes[FALLS_THROUGH];
  }
  need_append(&modelling->out->branches, &made, sizeof made);
}

/* Adds one ELF's copy of a function, or of a part. Lines that were inlined from
 * other functions do not count as lines of the function. */
static void add_function_copy(struct object_evaluation *modelling,
                              struct model_function *function,
                              struct source_span *span,
                              const struct object_function_copy *copy) {
  const struct objectcode *of = copy->of;
  const struct object_function *one = &of->functions[copy->number];
  if (one->owner == copy->number)
    function->count =
        add_saturated(function->count, of->list[one->first].count);
  function->scores[REGIONS].count += one->sums.count;
  function->scores[REGIONS].covered += one->sums.ran;
  for (size_t i = one->first; i < one->first + one->count; i++) {
    const struct object_instruction *at = &of->list[i];
    uint32_t line = at->line;
    if (at->conditional && at->file != NO_LINE_FILE)
      append_branch(modelling, function->files.begin, of, at);
    if (at->inlined || !line || at->file != copy->file)
      continue;
    span->line = !span->line || line < span->line ? line : span->line;
    span->end_line = line > span->end_line ? line : span->end_line;
  }
}

/* Adds the function whose copies begin at *copy, and returns the next copy. */
static const struct object_function_copy *
add_object_function(struct object_evaluation *modelling,
                    const struct object_function_copy *copy,
                    const struct object_function_copy *end) {
  struct model *out = modelling->out;
  struct model_function function = {.name = copy->name};
  struct model_region body = {.span = {0, 1, 0, OBJECT_LINE_END}};
  const struct object_function_copy *first = copy;
  model_begin_or_end_ranges(out, &function, false);
  find_or_add_function_file(modelling, function.files.begin, copy->file);
  for (; copy < end && copy->file == first->file &&
         strcmp(copy->name, first->name) == 0;
       copy++)
    add_function_copy(modelling, &function, &body.span, copy);
  const struct object_function *all = first->of->functions;
  if (!body.span.line)
    body.span.line = body.span.end_line =
        first->of->list[all[all[first->number].owner].first].line;
  body.count = function.count;
  need_append(&out->regions, &body, sizeof body);
  model_begin_or_end_ranges(out, &function, true);
  need_append(&out->functions, &function, sizeof function);
  return copy;
}

/* ---- rows ---- */

static void add_and_score_line(struct model *out, struct score *scores,
                               const struct object_line *line) {
  const struct segment pieces[] = {
      {line->line, 1, line->count, true, true, false, CAUSE_NONE},
      {line->line, OBJECT_LINE_END, 0, false, false, false, CAUSE_NONE}};
  score_add(&scores[LINES], true, line->count);
  scores[REGIONS].count += line->instructions;
  scores[REGIONS].covered += line->ran;
  need_append(&out->segment_list, pieces, sizeof pieces);
}

static void add_source_lines(struct model *out,
                             const struct evaluation_options *mask,
                             uint32_t file) {
  const struct object_lines *from = mask->object;
  size_t spans = 0, at = 0, i = find_first_line(from, file);
  const struct line_span *list =
      exclusions_get_line_spans(mask->excluded, from->files[file], &spans);
  size_t row = search_text(out->summary.rows, out->summary.count, name,
                           from->files[file]);
  if (i == from->count || row == out->summary.count ||
      strcmp(out->summary.rows[row].name, from->files[file]))
    return;
  struct slice *slice = &out->segments[row];
  slice->begin = (uint32_t)(out->segment_list.size / sizeof(struct segment));
  for (; i < from->count && from->list[i].file == file; i++) {
    uint32_t line = from->list[i].line;
    while (at < spans && list[at].last < line)
      at++;
    if (at == spans || list[at].first > line)
      add_and_score_line(out, out->summary.rows[row].scores, &from->list[i]);
  }
  slice->count = (uint32_t)(out->segment_list.size / sizeof(struct segment)) -
                 slice->begin;
}

static void score_object_function(struct model *out,
                                  struct model_function *one) {
  const uint32_t *files = model_files_of(out, one);
  const struct model_branch *branch = model_branches_of(out, one);
  struct scores_summary *summary = &out->summary;
  one->scores[FUNCTIONS] = (struct score){1, one->count != 0};
  one->scores[BRANCHES] = (struct score){0, 0};
  for (uint32_t i = 0; i < 2 * one->branches.count; i++) {
    uint32_t row = files[branch[i / 2].file];
    score_add(&one->scores[BRANCHES], true, branch[i / 2].counts[i % 2]);
    if (row < summary->count)
      score_add(&summary->rows[row].scores[BRANCHES], true,
                branch[i / 2].counts[i % 2]);
  }
  if (*files < summary->count) {
    score_add(&summary->rows[*files].scores[FUNCTIONS], true, one->count);
    score_add(&out->instantiations[*files], true, one->count);
  }
  memcpy(one->counted, one->scores, sizeof one->scores);
}

void object_model_make_rows(struct model *out,
                            const struct evaluation_options *mask) {
  object_lines_compute_counts(mask->object, mask->only);
  for (uint32_t i = 0; i < mask->object->file_count; i++)
    add_source_lines(out, mask, i);
  for (size_t i = 0; i < model_function_count(out); i++)
    score_object_function(out, &model_functions(out)[i]);
}

const char *object_model_evaluate(struct model *exported,
                                  const struct evaluation_options *mask) {
  struct object_evaluation modelling = {
      .out = exported,
      .from = mask->object,
      .mask = mask,
      .branches = {.limit = (size_t)1 << 28}};
  size_t count;
  model_init(exported, OBJECT_LIST_MOST);
  exported->has_functions = exported->has_vectors = true;
  object_lines_compute_counts(mask->object, mask->only);
  for (uint32_t i = 0; i < mask->object->file_count; i++)
    if (find_first_line(mask->object, i) < mask->object->count)
      find_or_add_name(&modelling, i);
  struct object_function_copy *list = list_function_copies(&modelling, &count);
  for (const struct object_function_copy *at = list; at < list + count;)
    at = add_object_function(&modelling, at, list + count);
  free(list);
  map_free(&modelling.branches);
  evaluation_make_sorted_rows(exported, mask);
  model_set_sites(exported);
  return evaluate_make_rows(exported, mask);
}
