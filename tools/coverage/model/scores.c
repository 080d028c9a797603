/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Scores of functions add up to those of their source. Functions that begin at
 * one place are instantiations: of each metric the best of them counts.
 */
#include "inside.h"

#include "../../base/compare.h"
#include "../../base/error.h"
#include "../lines.h"

/* ---- a function ---- */

void scores_lines(struct evaluation *evaluation, struct fact *fact) {
  const struct exported *out = evaluation->out;
  const struct exported_function *function =
      &exported_functions(out)[fact->function];
  const struct exported_region *all =
      exported_regions(out) + function->regions.begin;
  struct buffer *segments = &evaluation->segments;
  struct exported_region *own = evaluation_room(
      evaluation, &evaluation->scratch, function->regions.count, sizeof *own);
  size_t count = 0;
  if (!own)
    return;
  for (uint32_t i = 0; i < function->regions.count; i++)
    if (all[i].file == function->main)
      own[count++] = all[i];
  segments->size = 0;
  segments_build(evaluation, own, count, segments);
  fact->scores[LINES] = lines_score((const struct segment *)segments->data,
                                    segments->size / sizeof(struct segment));
}

/* ---- sources ---- */

ORDER_BY(by_place, struct fact, x->row, x->line, x->column, x->function);

static bool is_one(const struct fact *a, const struct fact *b) {
  return a->row == b->row && a->line == b->line && a->column == b->column;
}

static void take_best(struct score *to, const struct score *from) {
  to->count = from->count > to->count ? from->count : to->count;
  to->covered = from->covered > to->covered ? from->covered : to->covered;
}

static void score_functions(struct evaluation *evaluation) {
  struct exported *out = evaluation->out;
  struct summary *summary = &out->summary;
  struct fact *facts = (struct fact *)(void *)evaluation->facts.data;
  size_t count = evaluation->facts.size / sizeof *facts;
  sort(facts, count, sizeof *facts, by_place);
  for (size_t i = 0, end; i < count && facts[i].row != NO_FILE; i = end) {
    struct row group = {NULL, {{0, 0}}};
    struct score *forms = &out->instantiations[facts[i].row];
    for (end = i; end < count && is_one(&facts[i], &facts[end]); end++) {
      for (unsigned k = 0; k < METRICS; k++)
        take_best(&group.scores[k], &facts[end].scores[k]);
      forms->count++;
      forms->covered += facts[end].scores[FUNCTIONS].covered;
    }
    row_add(&summary->rows[facts[i].row], &group);
  }
  struct score *all = &out->instantiations[summary->count];
  for (size_t i = 0; i < summary->count; i++) {
    row_add(&summary->total, &summary->rows[i]);
    all->count += out->instantiations[i].count;
    all->covered += out->instantiations[i].covered;
  }
}

/* Sorts the regions of all functions by their source: those of source i end up
 * before ends[i]. */
static struct exported_region *regions_by_row(struct evaluation *evaluation,
                                              size_t *ends) {
  const struct exported *out = evaluation->out;
  const struct exported_function *functions = exported_functions(out);
  size_t count = exported_function_count(out), total = 0;
  struct exported_region *list = malloc(out->regions.size + !out->regions.size);
  for (unsigned pass = 0; pass < 2 && list; pass++) {
    for (size_t i = 0; i < count; i++) {
      const uint32_t *files = exported_files(out) + functions[i].files.begin;
      for (uint32_t k = 0; k < functions[i].regions.count; k++) {
        const struct exported_region *region =
            &exported_regions(out)[functions[i].regions.begin + k];
        size_t *end = &ends[files[region->file]];
        if (pass)
          list[*end] = *region;
        ++*end;
      }
    }
    /* Counts become beginnings, which move to the ends. */
    for (size_t i = 0; i < out->name_count && !pass; i++) {
      size_t size = ends[i];
      ends[i] = total;
      total += size;
    }
  }
  return list;
}

static void build_rows(struct evaluation *evaluation) {
  struct exported *out = evaluation->out;
  size_t *ends = calloc(out->name_count + 1, sizeof *ends), begin = 0;
  struct exported_region *list = ends ? regions_by_row(evaluation, ends) : NULL;
  if (!list)
    evaluation->error = out_of_memory;
  for (size_t i = 0; i < out->name_count && !evaluation->error; i++) {
    struct slice *slice = &out->segments[i];
    slice->begin = (uint32_t)(out->segment_list.size / sizeof(struct segment));
    segments_build(evaluation, list + begin, ends[i] - begin,
                   &out->segment_list);
    slice->count = (uint32_t)(out->segment_list.size / sizeof(struct segment)) -
                   slice->begin;
    begin = ends[i];
  }
  free(list);
  free(ends);
}

void scores_rows(struct evaluation *evaluation) {
  struct exported *out = evaluation->out;
  struct summary *summary = &out->summary;
  size_t count = out->name_count;
  out->segments = calloc(count + 1, sizeof *out->segments);
  out->instantiations = calloc(count + 1, sizeof *out->instantiations);
  summary->rows = calloc(count + 1, sizeof *summary->rows);
  if (!out->segments || !out->instantiations || !summary->rows) {
    evaluation->error = out_of_memory;
    return;
  }
  for (; summary->count < count; summary->count++) {
    struct row *row = &summary->rows[summary->count];
    row->name = strdup(out->names[summary->count]);
    if (!row->name) {
      evaluation->error = out_of_memory;
      return;
    }
  }
  build_rows(evaluation);
  if (!evaluation->error)
    score_functions(evaluation);
}
