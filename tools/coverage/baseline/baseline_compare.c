/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compares two functions. A function is a list of spots for each metric. A spot
 * has a place relative to the function, and a shape, which moved code keeps.
 * baseline_show.c writes the losses.
 */
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/buffer.h"
#include "../../base/need.h"

/* COMPARISON: the fixed cost of a comparison, counted in lines. */
enum { SPOTS_MOST = 1 << 28, LINES_LOOKED_AT = 1 << 28, COMPARISON = 16 };

/* One more metric, only for spots: lines of the macros that a function uses. */
enum { MACROS = METRICS };

enum spot_state { NOT_COMPARED, LOST, KEPT };

/* What can be covered in a function: itself, a line, an outcome of a branch, or
 * a condition. */
struct coverage_spot {
  uint32_t metric, line; /* line: from the first one of the function or macro */
  uint32_t row, at;      /* the file and the line there */
  uint64_t shape;        /* the column; of a line, a hash of its regions */
  uint32_t number;       /* the outcome of a branch, the number of a condition;
                            goes on over several branches at one place */
  bool covered;
  /* The result. */
  enum spot_state state;
  uint32_t now_row, now; /* the file and the line in this report */
};

/* ---- spots ---- */

static void add_spot(struct function_comparison *comparing, struct buffer *list,
                     struct coverage_spot spot) {
  if (!comparing->error)
    comparing->error = buffer_append(list, &spot, sizeof spot);
}

/* Returns a hash of the regions that begin on a line. Other segments depend on
 * counts, so they are not part of the shape. */
static uint64_t hash_line_shape(const struct source_lines *lines,
                                uint32_t line) {
  uint64_t shape = 0;
  for (uint32_t i = lines->list[line - 1].segments;
       i < lines->list[line].segments; i++) {
    const struct segment *one = &lines->segments[i];
    if (one->entry)
      shape = (shape ^
               ((uint64_t)one->column << 2 | one->gap << 1 | one->counted)) *
              UINT64_C(0x9E3779B97F4A7C15);
  }
  return shape;
}

/* Counts the lines that are compared: damaged reports may have too many. */
static void count_compared_lines(struct function_comparison *comparing,
                                 unsigned lines) {
  if (comparing->left < lines)
    comparing->error = "the functions have more lines than their sources; pass "
                       "the report unchanged";
  else
    comparing->left -= lines;
}

/* Adds the lines of a file, from the spot's line up to `last`. */
static void add_line_spots(struct function_comparison *comparing,
                           const struct view *view, struct coverage_spot spot,
                           uint32_t last, struct buffer *list) {
  const struct source_lines *lines = &view->lines[spot.row];
  for (; spot.at <= last && spot.at < lines->count; spot.at++, spot.line++) {
    const struct line_count *one = &lines->list[spot.at];
    if (comparing->error)
      return;
    count_compared_lines(comparing, 1);
    if (!spot.at || !one->counted)
      continue;
    spot.shape = hash_line_shape(lines, spot.at);
    spot.covered = one->count != 0;
    add_spot(comparing, list, spot);
  }
}

/* Adds the lines of all macros that a function uses, in the order of their
 * uses. Regions are sorted by file, then by place; each use of a macro is a
 * file. */
static void add_macro_spots(struct function_comparison *comparing,
                            const struct view *view,
                            const struct view_function *of,
                            struct buffer *list) {
  const struct model *exported = view->exported;
  const struct model_function *function =
      &model_functions(exported)[view->forms[of->begin].function];
  const struct model_region *all = model_regions_of(exported, function);
  uint32_t file = function->main, first = 0, next = 0;
  for (uint32_t i = 0; i < function->regions.count; i++) {
    const struct source_span *span = &all[i].span;
    uint32_t row = model_files_of(exported, function)[all[i].file];
    if (all[i].file == function->main || row >= exported->summary.count)
      continue;
    if (all[i].file != file)
      first = next = span->line;
    file = all[i].file;
    next = next > span->line ? next : span->line;
    struct coverage_spot spot = {.metric = MACROS, .row = row, .at = next};
    spot.line = next - first;
    add_line_spots(comparing, view, spot, span->end_line, list);
    next = next > span->end_line ? next : span->end_line + 1;
  }
}

static void add_item_spots(struct function_comparison *comparing,
                           const struct view *view,
                           const struct view_item *item, struct buffer *list) {
  const struct view_function *function = &view->functions[item->owner];
  struct coverage_spot spot = {.metric =
                                   item->kind == VIEW_BRANCH ? BRANCHES : MCDC,
                               .row = function->row,
                               .at = item->site.line,
                               .line = item->site.line - function->span.line,
                               .shape = item->site.column};
  bool unlisted = comparing->against->no_constants && item->constant == 3;
  if (comparing->error || unlisted)
    return;
  const struct coverage_spot *last =
      (const struct coverage_spot *)(void *)(list->data + list->size) - 1;
  if (last->metric == spot.metric && last->line == spot.line &&
      last->shape == spot.shape)
    spot.number = last->number + 1;
  if (item->kind == VIEW_BRANCH) {
    for (unsigned side = 0; side < 2; side++, spot.number++) {
      spot.covered = item->counts[side] != 0;
      add_spot(comparing, list, spot);
    }
    return;
  }
  const struct model_decision *decision =
      &model_decisions(view->exported)[item->index];
  const unsigned char *conditions =
      model_conditions(view->exported) + decision->conditions.begin;
  for (uint32_t i = 0; i < decision->conditions.count; i++, spot.number++) {
    spot.covered = conditions[i] != 0;
    add_spot(comparing, list, spot);
  }
}

/* Lists all spots of a function, metric after metric. */
static void list_spots(struct function_comparison *comparing,
                       const struct baseline_part *part, uint32_t number,
                       struct buffer *list) {
  const struct view *view = &part->view;
  const struct view_function *function = &view->functions[number];
  struct coverage_spot first = {.metric = FUNCTIONS,
                                .row = function->row,
                                .at = function->span.line,
                                .covered = function->calls != 0};
  list->size = 0;
  add_spot(comparing, list, first);
  first.metric = LINES;
  add_line_spots(comparing, view, first, function->span.end_line, list);
  add_macro_spots(comparing, view, function, list);
  for (unsigned kind = VIEW_BRANCH; kind <= VIEW_DECISION; kind++)
    for (uint32_t i = part->begin[number]; i < part->begin[number + 1]; i++)
      if (view->items[part->items[i]].kind == kind)
        add_item_spots(comparing, view, &view->items[part->items[i]], list);
}

static struct coverage_spot *get_spots(const struct buffer *list,
                                       size_t *count) {
  *count = list->size / sizeof(struct coverage_spot);
  return (struct coverage_spot *)(void *)list->data;
}

/* ---- pairs ---- */

/* The spots of one metric. lines: how many lines follow the function's first
 * line; 0 for macros. */
struct metric_spots {
  struct coverage_spot *list;
  size_t count;
  uint32_t lines;
};

static struct metric_spots find_metric_spots(const struct buffer *list,
                                             const struct source_span *span,
                                             unsigned metric) {
  size_t count, begin = 0, end;
  struct coverage_spot *spots = get_spots(list, &count);
  while (begin < count && spots[begin].metric != metric)
    begin++;
  for (end = begin; end < count && spots[end].metric == metric;)
    end++;
  return (struct metric_spots){spots + begin, end - begin,
                               metric == MACROS ? 0
                                                : span->end_line - span->line};
}

static bool is_same_spot(const struct coverage_spot *a,
                         const struct coverage_spot *b) {
  return a->shape == b->shape && a->number == b->number;
}

static void note_spot_state(struct function_comparison *comparing,
                            struct coverage_spot *then,
                            const struct coverage_spot *now) {
  enum spot_state state = now->covered ? KEPT : LOST;
  if (!then->covered || state <= then->state)
    return;
  comparing->open -= state == KEPT;
  then->state = state;
  then->now_row = now->row;
  then->now = now->at;
}

static void compare_metric_spots(struct function_comparison *comparing,
                                 const struct metric_spots *then,
                                 const struct metric_spots *now) {
  size_t least = then->count < now->count ? then->count : now->count, i = 0;
  for (; i < least; i++) {
    struct coverage_spot *a = &then->list[i];
    const struct coverage_spot *b = &now->list[i];
    if (a->line != b->line || !is_same_spot(a, b))
      break;
    note_spot_state(comparing, a, b);
  }
  uint32_t longer = now->lines - then->lines;
  for (size_t k = 1; k <= least - i; k++) {
    struct coverage_spot *a = &then->list[then->count - k];
    const struct coverage_spot *b = &now->list[now->count - k];
    if (a->line + longer != b->line || !is_same_spot(a, b))
      break;
    note_spot_state(comparing, a, b);
  }
}

void baseline_compare_begin(struct function_comparison *comparing,
                            struct baseline *against) {
  *comparing = (struct function_comparison){.against = against,
                                            .then.limit = SPOTS_MOST,
                                            .now.limit = SPOTS_MOST,
                                            .left = LINES_LOOKED_AT};
}

void baseline_compare_end(struct function_comparison *comparing) {
  buffer_free(&comparing->then);
  buffer_free(&comparing->now);
}

void baseline_function_begin(struct function_comparison *comparing,
                             uint32_t part, uint32_t function) {
  comparing->part = part;
  comparing->function = function;
  comparing->last.name = NULL;
  list_spots(comparing, &comparing->against->then.parts[part], function,
             &comparing->then);
  size_t count;
  const struct coverage_spot *spots = get_spots(&comparing->then, &count);
  comparing->open = 0;
  for (size_t i = 0; i < count; i++)
    comparing->open += spots[i].covered;
}

bool baseline_function_done(const struct function_comparison *comparing) {
  return comparing->error || (comparing->last.name && !comparing->open);
}

void baseline_function_compare(struct function_comparison *comparing,
                               const struct baseline_name *name) {
  const struct baseline *against = comparing->against;
  const struct baseline_name *last = &comparing->last;
  const struct baseline_part *part = &against->now.parts[name->part];
  if (comparing->error || (last->name && last->part == name->part &&
                           last->function == name->function))
    return;
  comparing->last = *name;
  count_compared_lines(comparing, COMPARISON);
  list_spots(comparing, part, name->function, &comparing->now);
  for (unsigned i = 0; i <= MACROS && !comparing->error; i++) {
    const struct view *view = &against->then.parts[comparing->part].view;
    struct metric_spots then = find_metric_spots(
        &comparing->then, &view->functions[comparing->function].span, i);
    struct metric_spots now = find_metric_spots(
        &comparing->now, &part->view.functions[name->function].span, i);
    compare_metric_spots(comparing, &then, &now);
  }
}

/* ---- results ---- */

static void add_gone_function(struct function_comparison *comparing,
                              const struct baseline_loss *loss) {
  size_t count;
  const struct coverage_spot *spots = get_spots(&comparing->then, &count);
  bool ran = false;
  for (size_t i = 0; i < count; i++)
    ran |= spots[i].covered;
  if (ran)
    LIST_ADD(comparing->against->gone, comparing->against->gone_count, *loss);
}

const char *baseline_function_end(struct function_comparison *comparing) {
  struct baseline *against = comparing->against;
  const struct view *view = &against->then.parts[comparing->part].view;
  const struct view_function *function = &view->functions[comparing->function];
  struct baseline_loss loss = {
      .file = view->exported->summary.rows[function->row].name,
      .name = function->name,
      .was = function->span.line};
  size_t count;
  const struct coverage_spot *spots = get_spots(&comparing->then, &count);
  bool any = comparing->last.name, changed = false;
  if (!any)
    add_gone_function(comparing, &loss);
  for (size_t i = 0; i < count && any && !comparing->error; i++) {
    const struct coverage_spot *spot = &spots[i];
    /* A macro's lines count once, not for each function that uses it. */
    bool here =
        spot->covered && spot->state == NOT_COMPARED && spot->metric != MACROS;
    if (here)
      against->changed_counts[spot->metric]++;
    changed |= here;
    if (!spot->covered || spot->state != LOST)
      continue;
    loss.file = against->now.parts->exported->summary.rows[spot->now_row].name;
    loss.line = spot->now;
    loss.was = spot->at;
    loss.metric = spot->metric == MACROS ? LINES : spot->metric;
    loss.column = loss.metric == LINES ? 0 : (uint32_t)spot->shape;
    loss.number = spot->number;
    LIST_ADD(against->lost, against->lost_count, loss);
  }
  against->changed += changed;
  return comparing->error;
}

static int compare_losses(const void *left, const void *right) {
  const struct baseline_loss *a = left, *b = right;
  int order = strcmp(a->file, b->file);
  if (!order)
    order = compare_numbers((uint64_t)a->line << 32 | a->was,
                            (uint64_t)b->line << 32 | b->was);
  if (!order)
    order = compare_numbers((uint64_t)a->metric << 32 | a->column,
                            (uint64_t)b->metric << 32 | b->column);
  return order ? order : compare_numbers(a->number, b->number);
}

static void merge_losses(struct baseline_loss *list, size_t *count) {
  size_t kept = 0;
  sort_array(list, *count, sizeof *list, compare_losses);
  for (size_t i = 0; i < *count; i++)
    if (!kept || compare_losses(&list[kept - 1], &list[i]) != 0)
      list[kept++] = list[i];
  *count = kept;
}

void baseline_finish_losses(struct baseline *against) {
  merge_losses(against->lost, &against->lost_count);
  merge_losses(against->gone, &against->gone_count);
  for (size_t i = 0; i < against->lost_count; i++)
    against->counts[against->lost[i].metric]++;
}
