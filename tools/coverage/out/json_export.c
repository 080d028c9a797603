/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes a model as JSON in the form of `llvm-cov export`. As in llvm-cov, an
 * object's keys are in alphabetical order. ../model/coverage_model.c reads the
 * file in a later report.
 */
#include "out.h"

#include "../../base/text.h"
#include "../model/view.h"

enum { MCDC_FIRST = 18, VECTORS_FIRST = 22 };

struct export_writer {
  struct text_stream text;
  struct file_index files;
  const struct model *exported;
  const struct json_export_options *as;
  bool mcdc, vectors; /* The release writes decisions, and vectors. */
};

/* ---- elements ---- */

static void put_json(struct export_writer *writing, const char *text) {
  text_put_string(&writing->text, text);
}

/* Begins a list of numbers, which are at most INT64_MAX as in llvm-cov. An
 * export has millions of these lists, so printf would take too long. */
static void put_open_numbers(struct export_writer *writing,
                             const uint64_t *numbers, unsigned count) {
  text_put_char(&writing->text, '[');
  for (unsigned i = 0; i < count; i++) {
    text_put_decimal(&writing->text,
                     numbers[i] > INT64_MAX ? INT64_MAX : numbers[i], 0);
    text_put_char(&writing->text, ',');
  }
}

/* Ends a list. The bracket replaces the comma after the last element. */
static void close_list(struct export_writer *writing, const char *bracket) {
  struct text_stream *text = &writing->text;
  if (text->used && text->room[text->used - 1] == ',')
    text->used--;
  put_json(writing, bracket);
}

static void put_region(struct export_writer *writing,
                       const struct model_region *region) {
  const struct source_span *span = &region->span;
  const uint64_t numbers[] = {span->line,       span->column,  span->end_line,
                              span->end_column, region->count, region->file,
                              region->expanded, region->kind};
  put_open_numbers(writing, numbers, sizeof numbers / sizeof *numbers);
  close_list(writing, "],");
}

static void put_regions(struct export_writer *writing, const char *key,
                        const struct model_function *function) {
  const struct model_region *all =
      model_regions_of(writing->exported, function);
  put_json(writing, key);
  for (uint32_t i = 0; i < function->regions.count; i++)
    if (!all[i].added)
      put_region(writing, &all[i]);
  close_list(writing, "]");
}

static void put_branch(struct export_writer *writing,
                       const struct model_branch *branch) {
  const struct source_span *span = &branch->span;
  const uint64_t numbers[] = {
      span->line,        span->column,      span->end_line, span->end_column,
      branch->counts[0], branch->counts[1], branch->file,   0,
      branch->kind};
  put_open_numbers(writing, numbers, sizeof numbers / sizeof *numbers);
  close_list(writing, "],");
}

/* Writes a branch in a function's list. Up to release 19, branches with two
 * constant outcomes are only in the lists of files. */
static void put_function_branch(struct export_writer *writing,
                                const struct model_branch *branch) {
  unsigned release = writing->as->release;
  if (branch->constant != 3 || !release || release >= UNITED_FIRST)
    put_branch(writing, branch);
}

static void put_filenames(struct export_writer *writing,
                          const struct model_function *function) {
  const uint32_t *names = model_files_of(writing->exported, function);
  put_json(writing, "\"filenames\":[");
  for (uint32_t i = 0; i < function->files.count; i++)
    json_put_format(&writing->text, i ? ",%s" : "%s",
                    writing->exported->names[names[i]]);
  put_json(writing, "]");
}

/* ---- decisions ---- */

static void put_vectors(struct export_writer *writing,
                        const struct model_decision *decision) {
  static const char *const words[] = {"false,", "true,", "null,"};
  const unsigned char *at =
      model_values(writing->exported) + decision->values.begin;
  put_json(writing, ",[");
  for (uint32_t i = 0; i < decision->vectors; i++) {
    put_json(writing, "{\"conditions\":[");
    for (uint32_t k = 0; k < decision->conditions.count; k++) {
      put_json(writing, words[*at++]);
    }
    close_list(writing, "],\"executed\":true,\"result\":");
    put_json(writing, *at++ == VALUE_TRUE ? "true}," : "false},");
  }
  close_list(writing, "]");
}

static uint32_t count_true_vectors(const struct model *exported,
                                   const struct model_decision *decision) {
  size_t width = (size_t)decision->conditions.count + 1;
  const unsigned char *values = model_values(exported) + decision->values.begin;
  uint32_t truths = 0;
  for (uint32_t i = 0; i < decision->vectors; i++)
    truths += values[(i + 1) * width - 1] == VALUE_TRUE;
  return truths;
}

static void put_decision(struct export_writer *writing,
                         const struct model_decision *decision) {
  const unsigned char *covered =
      model_conditions(writing->exported) + decision->conditions.begin;
  uint32_t truths = count_true_vectors(writing->exported, decision);
  const struct source_span *span = &decision->span;
  json_put_format(&writing->text, "[%u,%u,%u,%u", span->line, span->column,
                  span->end_line, span->end_column);
  if (writing->vectors)
    json_put_format(&writing->text, ",%u,%u,%u", truths,
                    decision->vectors - truths, decision->file);
  json_put_format(&writing->text, ",0,%u,[", MODEL_DECISION);
  for (uint32_t i = 0; i < decision->conditions.count; i++) {
    put_json(writing, covered[i] ? "true," : "false,");
  }
  close_list(writing, "]");
  if (writing->vectors)
    put_vectors(writing, decision);
  put_json(writing, "],");
}

/* ---- scores ---- */

static void put_score(struct export_writer *writing, const char *name,
                      const struct score *score, bool missed) {
  char percent[64];
  snprintf(percent, sizeof percent, ",\"percent\":%.17g},",
           score->count ? (double)score->covered / (double)score->count * 100
                        : 0);
  json_put_format(&writing->text, "%s:{\"count\":%ju,\"covered\":%ju", name,
                  score->count, score->covered);
  if (missed)
    json_put_format(&writing->text, ",\"notcovered\":%ju",
                    score->count - score->covered);
  put_json(writing, percent);
}

static void put_scores(struct export_writer *writing, const char *key,
                       const struct score scores[METRICS],
                       const struct score *forms) {
  put_json(writing, key);
  put_score(writing, "branches", &scores[BRANCHES], true);
  put_score(writing, "functions", &scores[FUNCTIONS], false);
  put_score(writing, "instantiations", forms, false);
  put_score(writing, "lines", &scores[LINES], false);
  if (writing->mcdc)
    put_score(writing, "mcdc", &scores[MCDC], true);
  put_score(writing, metric_names[REGIONS], &scores[REGIONS], true);
  close_list(writing, "}");
}

/* ---- expansions ---- */

/* Writes the branches of an expansion. Branches of macros inside the expansion
 * come first. */
static void put_expansion_branches(struct export_writer *writing,
                                   const struct model_function *function,
                                   uint32_t file, unsigned depth) {
  const struct model_region *regions =
      model_regions_of(writing->exported, function);
  const struct model_branch *branches =
      model_branches_of(writing->exported, function);
  for (uint32_t i = 0; i < function->regions.count && depth < NESTED_MOST; i++)
    if (regions[i].file == file && regions[i].kind == MODEL_EXPANSION)
      put_expansion_branches(writing, function, regions[i].expanded, depth + 1);
  for (uint32_t i = 0; i < function->branches.count; i++)
    if (branches[i].file == file)
      put_function_branch(writing, &branches[i]);
}

static void put_expansions(struct export_writer *writing,
                           const struct model_function *function) {
  const struct model_region *regions =
      model_regions_of(writing->exported, function);
  for (uint32_t i = 0; i < function->regions.count; i++) {
    if (regions[i].file != function->main || regions[i].kind != MODEL_EXPANSION)
      continue;
    put_json(writing, "{\"branches\":[");
    put_expansion_branches(writing, function, regions[i].expanded, 0);
    close_list(writing, "],");
    put_filenames(writing, function);
    put_json(writing, ",\"source_region\":");
    put_region(writing, &regions[i]);
    put_regions(writing, "\"target_regions\":[", function);
    put_json(writing, "},");
  }
}

/* ---- files and functions ---- */

static const struct model_function *
function_at(const struct export_writer *writing, uint32_t i) {
  return &model_functions(writing->exported)[writing->files.functions[i]];
}

static void put_file_branches(struct export_writer *writing, size_t row) {
  const struct file_index *files = &writing->files;
  put_json(writing, "{\"branches\":[");
  for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++) {
    const struct model_function *one = function_at(writing, i);
    for (uint32_t k = 0; k < one->branches.count; k++) {
      const struct model_branch *branch =
          &model_branches_of(writing->exported, one)[k];
      if (file_index_owns(files, one, branch, row))
        put_branch(writing, branch);
    }
  }
  close_list(writing, "],");
}

static void put_file_expansions(struct export_writer *writing, size_t row) {
  const struct file_index *files = &writing->files;
  put_json(writing, "\"expansions\":[");
  for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++) {
    const struct model_function *one = function_at(writing, i);
    if (one->main < one->files.count &&
        model_files_of(writing->exported, one)[one->main] == row)
      put_expansions(writing, one);
  }
  close_list(writing, "],");
}

/* Writes the decisions of a function that are in the source of a row; NO_SITE:
 * all of its decisions. */
static void put_decisions(struct export_writer *writing,
                          const struct model_function *function, size_t row) {
  const uint32_t *names = model_files_of(writing->exported, function);
  for (uint32_t i = 0; i < function->decisions.count; i++) {
    const struct model_decision *one =
        &model_decisions_of(writing->exported, function)[i];
    if (one->conditions.count && (row == NO_SITE || names[one->file] == row))
      put_decision(writing, one);
  }
}

static void put_segments(struct export_writer *writing, size_t row) {
  struct slice slice = writing->exported->segments[row];
  const struct segment *list = model_segments(writing->exported) + slice.begin;
  put_json(writing, "\"segments\":[");
  for (uint32_t i = 0; i < slice.count; i++) {
    put_open_numbers(
        writing,
        (const uint64_t[]){list[i].line, list[i].column, list[i].count}, 3);
    put_json(writing, list[i].counted ? "true," : "false,");
    put_json(writing, list[i].entry ? "true," : "false,");
    put_json(writing, list[i].gap ? "true]," : "false],");
  }
  close_list(writing, "],");
}

static void put_file(struct export_writer *writing, size_t row) {
  const struct file_index *files = &writing->files;
  put_file_branches(writing, row);
  if (writing->as->expansions)
    put_file_expansions(writing, row);
  json_put_format(&writing->text, "\"filename\":%s",
                  writing->exported->names[row]);
  if (writing->mcdc) {
    put_json(writing, ",\"mcdc_records\":[");
    for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++)
      put_decisions(writing, function_at(writing, i), row);
    close_list(writing, "]");
  }
  put_json(writing, ",");
  put_segments(writing, row);
  put_scores(writing, "\"summary\":{",
             writing->exported->summary.rows[row].scores,
             &writing->exported->instantiations[row]);
  put_json(writing, "},");
}

static void put_function(struct export_writer *writing,
                         const struct model_function *function) {
  put_json(writing, "{\"branches\":[");
  for (uint32_t i = 0; i < function->branches.count; i++)
    put_function_branch(writing,
                        &model_branches_of(writing->exported, function)[i]);
  close_list(writing, "]");
  json_put_format(&writing->text, ",\"count\":%ju,", function->count);
  put_filenames(writing, function);
  if (writing->mcdc) {
    put_json(writing, ",\"mcdc_records\":[");
    put_decisions(writing, function, NO_SITE);
    close_list(writing, "]");
  }
  json_put_format(&writing->text, ",\"name\":%s", function->name);
  put_regions(writing, ",\"regions\":[", function);
  put_json(writing, "},");
}

/* ---- the export ---- */

static void put_export(struct export_writer *writing) {
  const struct model *exported = writing->exported;
  const struct scores_summary *summary = &exported->summary;
  put_json(writing, "{\"data\":[{\"files\":[");
  for (size_t i = 0; i < summary->count; i++)
    put_file(writing, i);
  close_list(writing, "],\"functions\":[");
  for (size_t i = 0; i < model_function_count(exported); i++)
    put_function(writing, &model_functions(exported)[i]);
  close_list(writing, "],");
  put_scores(writing, "\"totals\":{", summary->total.scores,
             &exported->instantiations[summary->count]);
  put_json(writing, "}],\"type\":\"llvm.coverage.json.export\",\"version\":\"");
  put_json(writing, writing->vectors ? "3.1.0\"" : "2.0.1\"");
  if (writing->as->more) {
    put_json(writing, ",\"bareprof\":");
    put_json(writing, writing->as->more);
  }
  put_json(writing, "}");
  text_flush(&writing->text);
}

void json_export(const struct model *exported,
                 const struct json_export_options *as, FILE *stream) {
  struct export_writer writing = {
      .exported = exported,
      .as = as,
      .mcdc = !as->release || as->release >= MCDC_FIRST,
      .vectors = !as->release || as->release >= VECTORS_FIRST};
  file_index_make(&writing.files, exported, as->release);
  text_begin(&writing.text, stream);
  put_export(&writing);
  file_index_free(&writing.files);
}
