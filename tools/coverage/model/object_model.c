/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A line is a segment of its own. A branch instruction counts in the source of
 * its line, which may be inlined into the function of another source.
 */
#include <string.h>

#include "../../base/arena.h"
#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/error.h"
#include "model_inside.h"

enum { LINE_END = 1 << 20 /* a column */ };
#define OBJECT_LIST_MOST ((size_t)1 << 31)

struct modelling {
  struct exported *out;
  const struct object_model *from;
  const struct evaluate_mask *mask;
  uint32_t *names;        /* the model's number of each file */
  struct buffer regions;  /* struct region: what a mask sees of a function */
  const char **own_names; /* of the function's files */
};

/* ---- sources ---- */

struct object_file {
  const char *name;
  uint32_t number;
  bool left_out;
};

static int by_name(const void *left, const void *right) {
  const struct object_file *a = left, *b = right;
  return a->left_out != b->left_out ? a->left_out - b->left_out
                                    : strcmp(a->name, b->name);
}

/* Numbers the sources by their names, the report's sources first. */
static const char *number_sources(struct modelling *modelling) {
  const struct object_model *from = modelling->from;
  struct exported *out = modelling->out;
  const struct evaluate_mask *mask = modelling->mask;
  struct object_file *list = malloc((from->file_count + 1) * sizeof *list);
  size_t rows = 0;
  bool done = list != NULL;
  for (uint32_t i = 0; done && i < from->file_count; i++) {
    list[i] = (struct object_file){
        from->files[i], i,
        mask->filter &&
            !filter_keeps(mask->filter, mask->paths, from->files[i])};
    rows += !list[i].left_out;
  }
  if (done)
    sort(list, from->file_count, sizeof *list, by_name);
  for (size_t i = 0; done && i < from->file_count; i++)
    done =
        exported_number(out, list[i].name, &modelling->names[list[i].number]);
  free(list);
  out->segments = calloc(rows + 1, sizeof *out->segments);
  out->instantiations = calloc(rows + 1, sizeof *out->instantiations);
  out->summary.rows = calloc(rows + 1, sizeof *out->summary.rows);
  done &= out->segments && out->instantiations && out->summary.rows;
  for (size_t i = 0; done && i < rows; i++) {
    out->summary.rows[i].name = strdup(out->names[i]);
    out->summary.count += out->summary.rows[i].name != NULL;
  }
  return done && out->summary.count == rows ? NULL : out_of_memory;
}

static struct score *scores_of(const struct modelling *modelling,
                               uint32_t file) {
  uint32_t row = modelling->names[file];
  struct scores_summary *summary = &modelling->out->summary;
  return row < summary->count ? summary->rows[row].scores : NULL;
}

/* ---- lines ---- */

static const char *add_line(struct modelling *modelling, struct score *scores,
                            const struct object_source_line *line) {
  const struct segment pieces[] = {
      {line->line, 1, line->count, true, true, false, CAUSE_NONE},
      {line->line, LINE_END, 0, false, false, false, CAUSE_NONE}};
  scores[LINES].count++;
  scores[LINES].covered += line->count != 0;
  scores[REGIONS].count += line->instructions;
  scores[REGIONS].covered += line->ran;
  return buffer_add(&modelling->out->segment_list, pieces, sizeof pieces);
}

/* The segments of a row are in the order of rows. */
static const char *add_lines(struct modelling *modelling, uint32_t file) {
  const struct object_model *from = modelling->from;
  const struct evaluate_mask *mask = modelling->mask;
  struct exported *out = modelling->out;
  struct score *scores = scores_of(modelling, file);
  if (!scores)
    return NULL;
  struct slice *slice = &out->segments[modelling->names[file]];
  size_t spans = 0, at = 0;
  const struct line_span *list =
      exclusions_lines(mask->excluded, from->files[file], &spans);
  const char *error = NULL;
  slice->begin = (uint32_t)(out->segment_list.size / sizeof(struct segment));
  for (size_t i = search_from(from->lines, from->line_count, file, file);
       !error && i < from->line_count && from->lines[i].file == file; i++) {
    uint32_t line = from->lines[i].line;
    while (at < spans && list[at].last < line)
      at++;
    if (at == spans || list[at].first > line)
      error = add_line(modelling, scores, &from->lines[i]);
  }
  slice->count = (uint32_t)(out->segment_list.size / sizeof(struct segment)) -
                 slice->begin;
  return error;
}

/* ---- functions ---- */

/* The number of a file within the function at hand. */
static const char *own_file(struct modelling *modelling, uint32_t begin,
                            uint32_t file, uint32_t *number) {
  struct exported *out = modelling->out;
  uint32_t name = modelling->names[file];
  const uint32_t *files = exported_files(out);
  uint32_t count = (uint32_t)(out->files.size / sizeof *files) - begin;
  for (*number = 0; *number < count; ++*number)
    if (files[begin + *number] == name)
      return NULL;
  modelling->own_names[count] = out->names[name];
  return buffer_add(&out->files, &name, sizeof name);
}

static const char *see_region(struct modelling *modelling, uint32_t begin,
                              uint32_t file, uint32_t line, uint32_t last,
                              enum region_kind kind) {
  struct region region = {
      .kind = kind, .begin = {line, 1}, .end = {last, LINE_END}};
  const char *error = own_file(modelling, begin, file, &region.file);
  return error ? error
               : buffer_add(&modelling->regions, &region, sizeof region);
}

/* Lists the function and its branches as a mask knows them, and asks it. */
static const char *ask_mask(struct modelling *modelling,
                            const struct object_source_function *one,
                            uint32_t begin) {
  modelling->regions.size = 0;
  const char *error = see_region(modelling, begin, one->file, one->line,
                                 one->last, REGION_CODE);
  for (uint32_t i = 0; !error && i < one->branches.count; i++) {
    const struct object_source_branch *branch =
        &modelling->from->branches[one->branches.begin + i];
    error = see_region(modelling, begin, branch->file, branch->line,
                       branch->line, REGION_BRANCH);
  }
  const struct evaluate_mask *mask = modelling->mask;
  struct region *regions = (void *)modelling->regions.data;
  struct mapping mapping = {
      .regions = regions,
      .region_count = error ? 0 : one->branches.count + 1,
      .file_count = modelling->out->files.size / sizeof(uint32_t) - begin};
  if (!error && mask->excluded)
    error = mask_apply(mask->excluded, &mapping, modelling->own_names);
  if (!error && !mapping.region_count)
    regions->kind = REGION_EXCLUDED;
  return error;
}

static const char *add_branch(struct modelling *modelling,
                              const struct object_source_branch *branch,
                              uint32_t file, struct score *function) {
  struct exported_branch made = {
      .span = {branch->line, branch->number, branch->line, branch->number + 1},
      .file = file,
      .kind = EXPORTED_BRANCH,
      .address = branch->address,
      .cause = branch->known ? CAUSE_NONE : CAUSE_FLOW};
  struct score *scores = scores_of(modelling, branch->file);
  for (unsigned side = 0; side < 2; side++) {
    made.counts[side] = branch->known ? branch->counts[side] : 0;
    function->count++;
    function->covered += made.counts[side] != 0;
    if (scores) {
      scores[BRANCHES].count++;
      scores[BRANCHES].covered += made.counts[side] != 0;
    }
  }
  return buffer_add(&modelling->out->branches, &made, sizeof made);
}

static void score_function(struct modelling *modelling,
                           const struct object_source_function *one) {
  struct score *scores = scores_of(modelling, one->file);
  if (!scores)
    return;
  struct score *forms =
      &modelling->out->instantiations[modelling->names[one->file]];
  scores[FUNCTIONS].count++;
  scores[FUNCTIONS].covered += one->count != 0;
  forms->count++;
  forms->covered += one->count != 0;
}

static const char *add_function(struct modelling *modelling,
                                const struct object_source_function *one) {
  struct exported *out = modelling->out;
  const struct region *seen;
  struct exported_function function = {.name = one->name, .count = one->count};
  const struct exported_region body = {
      .span = {one->line, 1, one->last, LINE_END}, .count = one->count};
  exported_mark(out, &function, false);
  const char *error = ask_mask(modelling, one, function.files.begin);
  seen = (const void *)modelling->regions.data;
  if (error || seen->kind == REGION_EXCLUDED) {
    out->files.size = function.files.begin * sizeof(uint32_t);
    return error;
  }
  error = buffer_add(&out->regions, &body, sizeof body);
  for (uint32_t i = 0; !error && i < one->branches.count; i++)
    if (seen[i + 1].kind != REGION_EXCLUDED)
      error = add_branch(modelling,
                         &modelling->from->branches[one->branches.begin + i],
                         seen[i + 1].file, &function.scores[BRANCHES]);
  exported_mark(out, &function, true);
  function.scores[FUNCTIONS] = (struct score){1, one->count != 0};
  function.scores[REGIONS] = (struct score){one->instructions, one->ran};
  score_function(modelling, one);
  return error ? error
               : buffer_add(&out->functions, &function, sizeof function);
}

/* ---- all ---- */

static const char *add_all(struct modelling *modelling) {
  const struct object_model *from = modelling->from;
  struct exported *out = modelling->out;
  struct scores_summary *summary = &out->summary;
  const char *error = number_sources(modelling);
  for (uint32_t i = 0; !error && i < from->file_count; i++)
    error = add_lines(modelling, i);
  for (size_t i = 0; !error && i < from->function_count; i++)
    error = add_function(modelling, &from->functions[i]);
  for (size_t i = 0; !error && i < summary->count; i++) {
    struct score *total = &out->instantiations[summary->count];
    row_add(&summary->total, &summary->rows[i]);
    total->count += out->instantiations[i].count;
    total->covered += out->instantiations[i].covered;
  }
  exported_settle(out);
  return error ? error : lines_check(out);
}

const char *object_model_evaluate(struct exported *exported,
                                  const struct object_model *from,
                                  const struct evaluate_mask *mask) {
  struct modelling modelling = {
      .out = exported,
      .from = from,
      .mask = mask,
      .names = calloc(from->file_count + 1, sizeof *modelling.names),
      .regions.limit = OBJECT_LIST_MOST,
      .own_names = calloc(from->file_count + 1, sizeof *modelling.own_names)};
  exported_begin(exported, OBJECT_LIST_MOST);
  exported->has_functions = exported->has_vectors = true;
  const char *error = modelling.names && modelling.own_names
                          ? add_all(&modelling)
                          : out_of_memory;
  free(modelling.names);
  free((void *)modelling.own_names);
  buffer_free(&modelling.regions);
  return error;
}
