/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes a model as JSON in the format of `llvm-cov export`. As in
 * llvm-cov, the keys of an object are in alphabetical order.
 * ../model/coverage_model.c reads this JSON in a later report.
 */
#include "out.h"

#include "../../base/text.h"

enum { MCDC_FIRST = 18, VECTORS_FIRST = 22 };

struct export_writer {
  struct text_stream text;
  struct file_index files;
  const struct model *exported;
  const struct json_export_options *as;
  bool mcdc, vectors; /* The release writes decisions, and vectors. */
};

/* ---- elements ---- */

static void print_json_text(struct export_writer *writing, const char *text) {
  text_put_string(&writing->text, text);
}

/* Begins a list of numbers. As in llvm-cov, numbers are at most INT64_MAX. An
 * export has millions of these lists, so printf would take too long. */
static void print_open_number_list(struct export_writer *writing,
                                   const uint64_t *numbers, unsigned count) {
  text_put_char(&writing->text, '[');
  for (unsigned i = 0; i < count; i++) {
    text_put_decimal(&writing->text,
                     numbers[i] > INT64_MAX ? INT64_MAX : numbers[i], 0);
    text_put_char(&writing->text, ',');
  }
}

/* Ends a list. The bracket replaces the comma after the last element. */
static void print_list_end(struct export_writer *writing, const char *bracket) {
  struct text_stream *text = &writing->text;
  if (text->used && text->room[text->used - 1] == ',')
    text->used--;
  print_json_text(writing, bracket);
}

static void print_region(struct export_writer *writing,
                         const struct model_region *region) {
  const struct source_span *span = &region->span;
  const uint64_t numbers[] = {span->line,       span->column,  span->end_line,
                              span->end_column, region->count, region->file,
                              region->expanded, region->kind};
  print_open_number_list(writing, numbers, sizeof numbers / sizeof *numbers);
  print_list_end(writing, "],");
}

static void print_regions(struct export_writer *writing, const char *key,
                          const struct model_function *function) {
  const struct model_region *all =
      model_regions_of(writing->exported, function);
  print_json_text(writing, key);
  for (uint32_t i = 0; i < function->regions.count; i++)
    if (!all[i].added)
      print_region(writing, &all[i]);
  print_list_end(writing, "]");
}

static void print_branch(struct export_writer *writing,
                         const struct model_branch *branch) {
  const struct source_span *span = &branch->span;
  const uint64_t numbers[] = {
      span->line,        span->column,      span->end_line, span->end_column,
      branch->counts[0], branch->counts[1], branch->file,   0,
      branch->kind};
  print_open_number_list(writing, numbers, sizeof numbers / sizeof *numbers);
  print_list_end(writing, "],");
}

/* Writes a branch in the list of a function. Up to release 19, branches with
 * two constant outcomes are only in the lists of files. */
static void print_function_branch(struct export_writer *writing,
                                  const struct model_branch *branch) {
  unsigned release = writing->as->release;
  if (branch->constant != 3 || !release || release >= UNITED_FIRST)
    print_branch(writing, branch);
}

static void print_file_names(struct export_writer *writing,
                             const struct model_function *function) {
  const uint32_t *names = model_files_of(writing->exported, function);
  print_json_text(writing, "\"filenames\":[");
  for (uint32_t i = 0; i < function->files.count; i++)
    json_put_format(&writing->text, i ? ",%s" : "%s",
                    writing->exported->names[names[i]]);
  print_json_text(writing, "]");
}

/* ---- decisions ---- */

static void print_vectors(struct export_writer *writing,
                          const struct model_decision *decision) {
  static const char *const words[] = {"false,", "true,", "null,"};
  const unsigned char *at =
      model_values(writing->exported) + decision->values.begin;
  print_json_text(writing, ",[");
  for (uint32_t i = 0; i < decision->vectors; i++) {
    print_json_text(writing, "{\"conditions\":[");
    for (uint32_t k = 0; k < decision->conditions.count; k++) {
      print_json_text(writing, words[*at++]);
    }
    print_list_end(writing, "],\"executed\":true,\"result\":");
    print_json_text(writing, *at++ == VALUE_TRUE ? "true}," : "false},");
  }
  print_list_end(writing, "]");
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

static void print_decision(struct export_writer *writing,
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
    print_json_text(writing, covered[i] ? "true," : "false,");
  }
  print_list_end(writing, "]");
  if (writing->vectors)
    print_vectors(writing, decision);
  print_json_text(writing, "],");
}

/* ---- scores ---- */

static void print_score(struct export_writer *writing, const char *name,
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
  print_json_text(writing, percent);
}

static void print_scores(struct export_writer *writing, const char *key,
                         const struct score scores[METRICS],
                         const struct score *forms) {
  print_json_text(writing, key);
  print_score(writing, "branches", &scores[BRANCHES], true);
  print_score(writing, "functions", &scores[FUNCTIONS], false);
  print_score(writing, "instantiations", forms, false);
  print_score(writing, "lines", &scores[LINES], false);
  if (writing->mcdc)
    print_score(writing, "mcdc", &scores[MCDC], true);
  print_score(writing, metric_names[REGIONS], &scores[REGIONS], true);
  print_list_end(writing, "}");
}

/* ---- expansions ---- */

/* Writes the branches of an expansion. The branches of macros inside the
 * expansion come first. */
static void print_expansion_branches(struct export_writer *writing,
                                     const struct model_function *function,
                                     uint32_t file, unsigned depth) {
  const struct model_region *regions =
      model_regions_of(writing->exported, function);
  const struct model_branch *branches =
      model_branches_of(writing->exported, function);
  for (uint32_t i = 0; i < function->regions.count && depth < NESTED_MOST; i++)
    if (regions[i].file == file && regions[i].kind == MODEL_EXPANSION)
      print_expansion_branches(writing, function, regions[i].expanded,
                               depth + 1);
  for (uint32_t i = 0; i < function->branches.count; i++)
    if (branches[i].file == file)
      print_function_branch(writing, &branches[i]);
}

static void print_expansions(struct export_writer *writing,
                             const struct model_function *function) {
  const struct model_region *regions =
      model_regions_of(writing->exported, function);
  for (uint32_t i = 0; i < function->regions.count; i++) {
    if (regions[i].file != function->main || regions[i].kind != MODEL_EXPANSION)
      continue;
    print_json_text(writing, "{\"branches\":[");
    print_expansion_branches(writing, function, regions[i].expanded, 0);
    print_list_end(writing, "],");
    print_file_names(writing, function);
    print_json_text(writing, ",\"source_region\":");
    print_region(writing, &regions[i]);
    print_regions(writing, "\"target_regions\":[", function);
    print_json_text(writing, "},");
  }
}

/* ---- files and functions ---- */

static const struct model_function *
get_indexed_function(const struct export_writer *writing, uint32_t i) {
  return &model_functions(writing->exported)[writing->files.functions[i]];
}

static void begin_file_and_print_branches(struct export_writer *writing,
                                          size_t row) {
  const struct file_index *files = &writing->files;
  print_json_text(writing, "{\"branches\":[");
  for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++) {
    const struct model_function *one = get_indexed_function(writing, i);
    for (uint32_t k = 0; k < one->branches.count; k++) {
      const struct model_branch *branch =
          &model_branches_of(writing->exported, one)[k];
      if (file_index_owns_branch(files, one, branch, row))
        print_branch(writing, branch);
    }
  }
  print_list_end(writing, "],");
}

static void print_file_expansions(struct export_writer *writing, size_t row) {
  const struct file_index *files = &writing->files;
  print_json_text(writing, "\"expansions\":[");
  for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++) {
    const struct model_function *one = get_indexed_function(writing, i);
    if (one->main < one->files.count &&
        model_files_of(writing->exported, one)[one->main] == row)
      print_expansions(writing, one);
  }
  print_list_end(writing, "],");
}

/* Writes the decisions of a function that are in the source of a row. If `row`
 * is NO_SITE, writes all decisions of the function. */
static void print_decisions(struct export_writer *writing,
                            const struct model_function *function, size_t row) {
  const uint32_t *names = model_files_of(writing->exported, function);
  for (uint32_t i = 0; i < function->decisions.count; i++) {
    const struct model_decision *one =
        &model_decisions_of(writing->exported, function)[i];
    if (one->conditions.count && (row == NO_SITE || names[one->file] == row))
      print_decision(writing, one);
  }
}

static void print_segments(struct export_writer *writing, size_t row) {
  struct slice slice = writing->exported->segments[row];
  const struct segment *list = model_segments(writing->exported) + slice.begin;
  print_json_text(writing, "\"segments\":[");
  for (uint32_t i = 0; i < slice.count; i++) {
    print_open_number_list(
        writing,
        (const uint64_t[]){list[i].line, list[i].column, list[i].count}, 3);
    print_json_text(writing, list[i].counted ? "true," : "false,");
    print_json_text(writing, list[i].entry ? "true," : "false,");
    print_json_text(writing, list[i].gap ? "true]," : "false],");
  }
  print_list_end(writing, "],");
}

static void print_file(struct export_writer *writing, size_t row) {
  const struct file_index *files = &writing->files;
  begin_file_and_print_branches(writing, row);
  if (writing->as->expansions)
    print_file_expansions(writing, row);
  json_put_format(&writing->text, "\"filename\":%s",
                  writing->exported->names[row]);
  if (writing->mcdc) {
    print_json_text(writing, ",\"mcdc_records\":[");
    for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++)
      print_decisions(writing, get_indexed_function(writing, i), row);
    print_list_end(writing, "]");
  }
  print_json_text(writing, ",");
  print_segments(writing, row);
  print_scores(writing, "\"summary\":{",
               writing->exported->summary.rows[row].scores,
               &writing->exported->instantiations[row]);
  print_json_text(writing, "},");
}

static void print_function(struct export_writer *writing,
                           const struct model_function *function) {
  print_json_text(writing, "{\"branches\":[");
  for (uint32_t i = 0; i < function->branches.count; i++)
    print_function_branch(writing,
                          &model_branches_of(writing->exported, function)[i]);
  print_list_end(writing, "]");
  json_put_format(&writing->text, ",\"count\":%ju,", function->count);
  print_file_names(writing, function);
  if (writing->mcdc) {
    print_json_text(writing, ",\"mcdc_records\":[");
    print_decisions(writing, function, NO_SITE);
    print_list_end(writing, "]");
  }
  json_put_format(&writing->text, ",\"name\":%s", function->name);
  print_regions(writing, ",\"regions\":[", function);
  print_json_text(writing, "},");
}

/* ---- the export ---- */

static void print_export(struct export_writer *writing) {
  const struct model *exported = writing->exported;
  const struct scores_summary *summary = &exported->summary;
  print_json_text(writing, "{\"data\":[{\"files\":[");
  for (size_t i = 0; i < summary->count; i++)
    print_file(writing, i);
  print_list_end(writing, "],\"functions\":[");
  for (size_t i = 0; i < model_function_count(exported); i++)
    print_function(writing, &model_functions(exported)[i]);
  print_list_end(writing, "],");
  print_scores(writing, "\"totals\":{", summary->total.scores,
               &exported->instantiations[summary->count]);
  print_json_text(writing,
                  "}],\"type\":\"llvm.coverage.json.export\",\"version\":\"");
  print_json_text(writing, writing->vectors ? "3.1.0\"" : "2.0.1\"");
  if (writing->as->more) {
    print_json_text(writing, ",\"bareprof\":");
    print_json_text(writing, writing->as->more);
  }
  print_json_text(writing, "}");
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
  print_export(&writing);
  file_index_free(&writing.files);
}
