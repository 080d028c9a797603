/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes a model as JSON in the form of `llvm-cov export`. As in llvm-cov, an
 * object's keys are in alphabetical order. ../model/exported.c reads the file
 * in a later report.
 */
#include "out.h"

#include "../../base/text.h"
#include "../model/view.h"

enum { MCDC_FIRST = 18, VECTORS_FIRST = 22 };

struct export_writing {
  struct text text;
  struct by_file files;
  const struct exported *exported;
  const struct json_export *as;
  bool mcdc, vectors; /* The release writes them. */
};

/* ---- elements ---- */

static void put(struct export_writing *writing, const char *text) {
  text_put(&writing->text, text);
}

/* Begins a list of numbers, which are at most INT64_MAX as in llvm-cov. An
 * export has millions of these lists, so printf would take too long. */
static void put_numbers(struct export_writing *writing, const uint64_t *numbers,
                        unsigned count) {
  text_letter(&writing->text, '[');
  for (unsigned i = 0; i < count; i++) {
    text_decimal(&writing->text,
                 numbers[i] > INT64_MAX ? INT64_MAX : numbers[i], 0);
    text_letter(&writing->text, ',');
  }
}

/* Ends a list. The bracket replaces the comma after the last element. */
static void close(struct export_writing *writing, const char *bracket) {
  struct text *text = &writing->text;
  if (text->used && text->room[text->used - 1] == ',')
    text->used--;
  put(writing, bracket);
}

static void put_region(struct export_writing *writing,
                       const struct exported_region *region) {
  const struct source_span *span = &region->span;
  const uint64_t numbers[] = {span->line,       span->column,  span->end_line,
                              span->end_column, region->count, region->file,
                              region->expanded, region->kind};
  put_numbers(writing, numbers, sizeof numbers / sizeof *numbers);
  close(writing, "],");
}

static void put_regions(struct export_writing *writing, const char *key,
                        const struct exported_function *function) {
  const struct exported_region *all =
      exported_regions_of(writing->exported, function);
  put(writing, key);
  for (uint32_t i = 0; i < function->regions.count; i++)
    if (!all[i].added)
      put_region(writing, &all[i]);
  close(writing, "]");
}

static void put_branch(struct export_writing *writing,
                       const struct exported_branch *branch) {
  const struct source_span *span = &branch->span;
  const uint64_t numbers[] = {
      span->line,        span->column,      span->end_line, span->end_column,
      branch->counts[0], branch->counts[1], branch->file,   0,
      branch->kind};
  put_numbers(writing, numbers, sizeof numbers / sizeof *numbers);
  close(writing, "],");
}

/* Writes a branch in a function's list. Up to release 19, only the lists of
 * files have branches with two constant outcomes. */
static void put_own_branch(struct export_writing *writing,
                           const struct exported_branch *branch) {
  unsigned release = writing->as->release;
  if (branch->constant != 3 || !release || release >= UNITED_FIRST)
    put_branch(writing, branch);
}

static void put_names(struct export_writing *writing,
                      const struct exported_function *function) {
  const uint32_t *names = exported_files_of(writing->exported, function);
  put(writing, "\"filenames\":[");
  for (uint32_t i = 0; i < function->files.count; i++)
    json_text_print(&writing->text, i ? ",%s" : "%s",
                    writing->exported->names[names[i]]);
  put(writing, "]");
}

/* ---- decisions ---- */

static void put_vectors(struct export_writing *writing,
                        const struct exported_decision *decision) {
  static const char *const words[] = {"false,", "true,", "null,"};
  const unsigned char *at =
      exported_values(writing->exported) + decision->values.begin;
  put(writing, ",[");
  for (uint32_t i = 0; i < decision->vectors; i++) {
    put(writing, "{\"conditions\":[");
    for (uint32_t k = 0; k < decision->conditions.count; k++) {
      put(writing, words[*at++]);
    }
    close(writing, "],\"executed\":true,\"result\":");
    put(writing, *at++ == VALUE_TRUE ? "true}," : "false},");
  }
  close(writing, "]");
}

/* Returns how many vectors have the result true. */
static uint32_t truths_of(const struct exported *exported,
                          const struct exported_decision *decision) {
  size_t width = (size_t)decision->conditions.count + 1;
  const unsigned char *values =
      exported_values(exported) + decision->values.begin;
  uint32_t truths = 0;
  for (uint32_t i = 0; i < decision->vectors; i++)
    truths += values[(i + 1) * width - 1] == VALUE_TRUE;
  return truths;
}

static void put_decision(struct export_writing *writing,
                         const struct exported_decision *decision) {
  const unsigned char *covered =
      exported_conditions(writing->exported) + decision->conditions.begin;
  uint32_t truths = truths_of(writing->exported, decision);
  const struct source_span *span = &decision->span;
  json_text_print(&writing->text, "[%u,%u,%u,%u", span->line, span->column,
                  span->end_line, span->end_column);
  if (writing->vectors)
    json_text_print(&writing->text, ",%u,%u,%u", truths,
                    decision->vectors - truths, decision->file);
  json_text_print(&writing->text, ",0,%u,[", EXPORTED_DECISION);
  for (uint32_t i = 0; i < decision->conditions.count; i++) {
    put(writing, covered[i] ? "true," : "false,");
  }
  close(writing, "]");
  if (writing->vectors)
    put_vectors(writing, decision);
  put(writing, "],");
}

/* ---- scores ---- */

static void put_score(struct export_writing *writing, const char *name,
                      const struct score *score, bool missed) {
  char percent[64];
  snprintf(percent, sizeof percent, ",\"percent\":%.17g},",
           score->count ? (double)score->covered / (double)score->count * 100
                        : 0);
  json_text_print(&writing->text, "%s:{\"count\":%ju,\"covered\":%ju", name,
                  score->count, score->covered);
  if (missed)
    json_text_print(&writing->text, ",\"notcovered\":%ju",
                    score->count - score->covered);
  put(writing, percent);
}

static void put_scores(struct export_writing *writing, const char *key,
                       const struct score scores[METRICS],
                       const struct score *forms) {
  put(writing, key);
  put_score(writing, "branches", &scores[BRANCHES], true);
  put_score(writing, "functions", &scores[FUNCTIONS], false);
  put_score(writing, "instantiations", forms, false);
  put_score(writing, "lines", &scores[LINES], false);
  if (writing->mcdc)
    put_score(writing, "mcdc", &scores[MCDC], true);
  put_score(writing, metric_names[REGIONS], &scores[REGIONS], true);
  close(writing, "}");
}

/* ---- expansions ---- */

/* Writes the branches of an expansion. Branches of macros inside it come
 * first. */
static void put_inner(struct export_writing *writing,
                      const struct exported_function *function, uint32_t file,
                      unsigned depth) {
  const struct exported_region *regions =
      exported_regions_of(writing->exported, function);
  const struct exported_branch *branches =
      exported_branches_of(writing->exported, function);
  for (uint32_t i = 0; i < function->regions.count && depth < NESTED_MOST; i++)
    if (regions[i].file == file && regions[i].kind == EXPORTED_EXPANSION)
      put_inner(writing, function, regions[i].expanded, depth + 1);
  for (uint32_t i = 0; i < function->branches.count; i++)
    if (branches[i].file == file)
      put_own_branch(writing, &branches[i]);
}

static void put_expansions(struct export_writing *writing,
                           const struct exported_function *function) {
  const struct exported_region *regions =
      exported_regions_of(writing->exported, function);
  for (uint32_t i = 0; i < function->regions.count; i++) {
    if (regions[i].file != function->main ||
        regions[i].kind != EXPORTED_EXPANSION)
      continue;
    put(writing, "{\"branches\":[");
    put_inner(writing, function, regions[i].expanded, 0);
    close(writing, "],");
    put_names(writing, function);
    put(writing, ",\"source_region\":");
    put_region(writing, &regions[i]);
    put_regions(writing, "\"target_regions\":[", function);
    put(writing, "},");
  }
}

/* ---- files and functions ---- */

static const struct exported_function *
function_at(const struct export_writing *writing, uint32_t i) {
  return &exported_functions(writing->exported)[writing->files.functions[i]];
}

static void put_file_branches(struct export_writing *writing, size_t row) {
  const struct by_file *files = &writing->files;
  put(writing, "{\"branches\":[");
  for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++) {
    const struct exported_function *one = function_at(writing, i);
    for (uint32_t k = 0; k < one->branches.count; k++) {
      const struct exported_branch *branch =
          &exported_branches_of(writing->exported, one)[k];
      if (by_file_owns(files, one, branch, row))
        put_branch(writing, branch);
    }
  }
  close(writing, "],");
}

static void put_file_expansions(struct export_writing *writing, size_t row) {
  const struct by_file *files = &writing->files;
  put(writing, "\"expansions\":[");
  for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++) {
    const struct exported_function *one = function_at(writing, i);
    if (one->main < one->files.count &&
        exported_files_of(writing->exported, one)[one->main] == row)
      put_expansions(writing, one);
  }
  close(writing, "],");
}

/* Writes the decisions of a function that are in the source of a row; NO_SITE:
 * all of its decisions. */
static void put_decisions(struct export_writing *writing,
                          const struct exported_function *function,
                          size_t row) {
  const uint32_t *names = exported_files_of(writing->exported, function);
  for (uint32_t i = 0; i < function->decisions.count; i++) {
    const struct exported_decision *one =
        &exported_decisions_of(writing->exported, function)[i];
    if (one->conditions.count && (row == NO_SITE || names[one->file] == row))
      put_decision(writing, one);
  }
}

static void put_segments(struct export_writing *writing, size_t row) {
  struct slice slice = writing->exported->segments[row];
  const struct segment *list =
      exported_segments(writing->exported) + slice.begin;
  put(writing, "\"segments\":[");
  for (uint32_t i = 0; i < slice.count; i++) {
    put_numbers(writing,
                (const uint64_t[]){list[i].line, list[i].column, list[i].count},
                3);
    put(writing, list[i].counted ? "true," : "false,");
    put(writing, list[i].entry ? "true," : "false,");
    put(writing, list[i].gap ? "true]," : "false],");
  }
  close(writing, "],");
}

static void put_file(struct export_writing *writing, size_t row) {
  const struct by_file *files = &writing->files;
  put_file_branches(writing, row);
  if (writing->as->expansions)
    put_file_expansions(writing, row);
  json_text_print(&writing->text, "\"filename\":%s",
                  writing->exported->names[row]);
  if (writing->mcdc) {
    put(writing, ",\"mcdc_records\":[");
    for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++)
      put_decisions(writing, function_at(writing, i), row);
    close(writing, "]");
  }
  put(writing, ",");
  put_segments(writing, row);
  put_scores(writing, "\"summary\":{",
             writing->exported->summary.rows[row].scores,
             &writing->exported->instantiations[row]);
  put(writing, "},");
}

static void put_function(struct export_writing *writing,
                         const struct exported_function *function) {
  put(writing, "{\"branches\":[");
  for (uint32_t i = 0; i < function->branches.count; i++)
    put_own_branch(writing,
                   &exported_branches_of(writing->exported, function)[i]);
  close(writing, "]");
  json_text_print(&writing->text, ",\"count\":%ju,", function->count);
  put_names(writing, function);
  if (writing->mcdc) {
    put(writing, ",\"mcdc_records\":[");
    put_decisions(writing, function, NO_SITE);
    close(writing, "]");
  }
  json_text_print(&writing->text, ",\"name\":%s", function->name);
  put_regions(writing, ",\"regions\":[", function);
  put(writing, "},");
}

/* ---- all ---- */

static void put_all(struct export_writing *writing) {
  const struct exported *exported = writing->exported;
  const struct scores_summary *summary = &exported->summary;
  put(writing, "{\"data\":[{\"files\":[");
  for (size_t i = 0; i < summary->count; i++)
    put_file(writing, i);
  close(writing, "],\"functions\":[");
  for (size_t i = 0; i < exported_function_count(exported); i++)
    put_function(writing, &exported_functions(exported)[i]);
  close(writing, "],");
  put_scores(writing, "\"totals\":{", summary->total.scores,
             &exported->instantiations[summary->count]);
  put(writing, "}],\"type\":\"llvm.coverage.json.export\",\"version\":\"");
  put(writing, writing->vectors ? "3.1.0\"" : "2.0.1\"");
  if (writing->as->more) {
    put(writing, ",\"bareprof\":");
    put(writing, writing->as->more);
  }
  put(writing, "}");
  text_flush(&writing->text);
}

void json_export(const struct exported *exported, const struct json_export *as,
                 FILE *stream) {
  struct export_writing writing = {
      .exported = exported,
      .as = as,
      .mcdc = !as->release || as->release >= MCDC_FIRST,
      .vectors = !as->release || as->release >= VECTORS_FIRST};
  by_file_make(&writing.files, exported, as->release);
  text_begin(&writing.text, stream);
  put_all(&writing);
  by_file_free(&writing.files);
}
