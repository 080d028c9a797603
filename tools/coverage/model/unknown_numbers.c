/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file lists the numbers of a model that are not known, for the table and
 * JSON. A number in a macro is listed where the macro is used, as on the pages.
 * The causes come from scores.c (whole functions), evaluate.c, constexpr.c,
 * decisions.c, and ../mcdc/negated.c. truth.c corrects the causes in segments,
 * from which segments_line_count (segments.c) decides whether a line has one.
 */
#include "coverage_model.h"

#include "../../base/compare.h"
#include "../../base/need.h"

const char *const cause_texts[CAUSES] = {
    [CAUSE_NEGATIVE] = "a count would be below 0, as after setjmp, or "
                       "while a task waits inside a call, or a 4-byte counter "
                       "of it has stopped",
    [CAUSE_LOST] = "clang lost the count, as in a macro of a system header",
    [CAUSE_HIDDEN] = "a macro of a system header hides operators",
    [CAUSE_CONTRARY] = "vectors and counts contradict each other, as while a "
                       "task waits inside a call",
    [CAUSE_NEGATED] = "clang measures the negated part wrongly",
    [CAUSE_EMPTY] = "clang's mapping lacks some conditions",
    [CAUSE_MACRO] = "a macro may hide a ! in front of a part",
    [CAUSE_CONSTEXPR] = "a jump in an if constexpr hides its count",
    [CAUSE_ACTIVE] = "the call before, which led to a dump, may not have "
                     "returned",
    [CAUSE_MAPPING] = "clang's mapping of the function is damaged",
    [CAUSE_FLOW] = "the outcomes do not follow from the counts of the code",
    [CAUSE_TWINS] = "functions of several files have this name, and the counts "
                    "may be from another one"};

ORDER_BY(by_place, struct unknown_number, x->cause, x->metric, x->name, x->line,
         x->column);

static void append_unknown_number(struct buffer *list,
                                  const struct model *exported,
                                  const struct model_function *function,
                                  uint32_t file, struct source_span span,
                                  struct unknown_number found) {
  uint64_t path[NESTED_MOST];
  if (!found.cause)
    return;
  model_move_to_macro_use(exported, function, &file, &span, path);
  found.name = model_files_of(exported, function)[file];
  found.line = span.line;
  found.column = span.column;
  if (found.name < exported->summary.count)
    need_append(list, &found, sizeof found);
}

static void append_function_unknowns(struct buffer *list,
                                     const struct model *exported,
                                     const struct model_function *function) {
  const struct model_region *body = model_regions_of(exported, function);
  const struct model_branch *branch = model_branches_of(exported, function);
  const struct model_decision *one = model_decisions_of(exported, function);
  if (function->regions.count && body->cause >= CAUSE_MAPPING)
    append_unknown_number(list, exported, function, body->file, body->span,
                          (struct unknown_number){.metric = FUNCTIONS,
                                                  .cause = body->cause,
                                                  .function = function->name});
  for (uint32_t i = 0; i < function->branches.count; i++, branch++)
    append_unknown_number(
        list, exported, function, branch->file, branch->span,
        (struct unknown_number){.metric = BRANCHES, .cause = branch->cause});
  for (uint32_t i = 0; i < function->decisions.count; i++, one++)
    if (one->cause != CAUSE_NEGATED && one->cause != CAUSE_EMPTY)
      append_unknown_number(
          list, exported, function, one->file, one->span,
          (struct unknown_number){.metric = MCDC, .cause = one->cause});
}

static void append_line_unknowns(struct buffer *list,
                                 const struct model *exported, uint32_t row) {
  const struct slice *slice = &exported->segments[row];
  const struct segment *all = model_segments(exported) + slice->begin;
  struct source_lines lines = {.count = 0};
  bool any = false;
  for (uint32_t i = 0; i < slice->count; i++)
    any |= all[i].cause;
  if (any)
    lines = lines_make(exported, row);
  for (uint32_t i = 1; i < lines.count; i++)
    if (lines.list[i].cause)
      need_append(
          list,
          &(struct unknown_number){row, i, 0, LINES, lines.list[i].cause, NULL},
          sizeof(struct unknown_number));
  lines_free(&lines);
}

void unknown_numbers_append(const struct model *exported, struct buffer *list) {
  for (size_t i = 0; i < model_function_count(exported); i++)
    append_function_unknowns(list, exported, &model_functions(exported)[i]);
  for (uint32_t i = 0; i < exported->summary.count; i++)
    append_line_unknowns(list, exported, i);
  struct unknown_number *all = (struct unknown_number *)(void *)list->data;
  size_t count = list->size / sizeof *all, kept = 0;
  if (count)
    sort_array(all, count, sizeof *all, by_place);
  for (size_t i = 0; i < count; i++)
    if (!kept || by_place(&all[kept - 1], &all[i]))
      all[kept++] = all[i];
  list->size = kept * sizeof *all;
}
