/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file compares a report with an earlier one. The functions of both are
 * listed by name; then each function of the earlier report is compared with
 * functions of the same name. For each metric, a function has a list of spots,
 * which are the elements that can be covered. A spot has a place relative to
 * the function, and a shape, which stays the same if code is moved.
 * baseline_show.c writes the result.
 */
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/json.h"
#include "../../base/os.h"
#include "../../base/source_name.h"

enum { REPORT_MOST = 1 << 30 };

static const char wrong_form[] =
    "this is not a coverage report; pass the file of bareprof report --json, "
    "or an llvm-cov export (release 13 or later) with functions";

/* ---- reports ---- */

static const char *add_report_model(struct baseline_side *side,
                                    struct bytes text) {
  struct baseline_model part = {.exported = NULL};
  const char *error = model_parse(&part.own, text);
  if (!error && !part.own.has_functions)
    error = wrong_form;
  if (error)
    model_free(&part.own);
  else
    LIST_ADD(side->parts, side->part_count, part);
  return error;
}

static const char *parse_report_models(struct baseline_side *side,
                                       struct bytes text) {
  struct json_reader json = json_make_reader(text);
  const char *error = NULL;
  char key[JSON_KEY];
  json_enter_bracket(&json, '{');
  while (json_next_member(&json, key)) {
    if (strcmp(key, "data") != 0) {
      json_skip_and_get_text(&json);
      continue;
    }
    json_enter_bracket(&json, '[');
    while (json_next_element(&json, ']') && !error) {
      struct bytes part = json_skip_and_get_text(&json);
      error = json.failed ? wrong_form : add_report_model(side, part);
    }
    if (error)
      return error;
  }
  return json.failed || !side->part_count ? wrong_form : NULL;
}

/* Lists the items of a view by function. part->begin receives the indexes in
 * part->items where the items of each function begin. */
static void list_items_by_function(struct baseline_model *part) {
  const struct model_view *view = &part->view;
  part->items = need_memory(calloc(view->item_count + 1, sizeof *part->items));
  part->begin =
      need_memory(calloc(view->function_count + 1, sizeof *part->begin));
  for (size_t i = 0; i < view->item_count; i++)
    part->begin[view->items[i].owner]++;
  for (size_t i = 1; i <= view->function_count; i++)
    part->begin[i] += part->begin[i - 1];
  for (size_t i = view->item_count; i--;)
    part->items[--part->begin[view->items[i].owner]] = (uint32_t)i;
}

static void make_views_and_totals(struct baseline_side *side) {
  for (size_t i = 0; i < side->part_count; i++) {
    struct baseline_model *part = &side->parts[i];
    view_make(&part->view, part->exported);
    list_items_by_function(part);
    for (size_t k = 0; k < part->exported->summary.count; k++)
      row_add_scores(&side->total, &part->exported->summary.rows[k]);
  }
}

const char *baseline_parse(struct baseline *against, struct bytes text) {
  struct baseline_side *then = &against->then;
  const char *error = parse_report_models(then, text);
  for (size_t i = 0; i < then->part_count; i++)
    then->parts[i].exported = &then->parts[i].own;
  if (!error)
    make_views_and_totals(then);
  return error;
}

void baseline_read(struct baseline *against, const char *name) {
  exit_if_failed(file_map(&against->file, name, REPORT_MOST));
  exit_on_error(name, baseline_parse(against, against->file.bytes));
}

/* ---- names ---- */

/* Compares names from their ends, so that files with similar folders are
 * neighbours in a sorted list. */
static int compare_file_ends(const char *a, const char *b) {
  size_t x = strlen(a), y = strlen(b);
  while (x && y && a[x - 1] == b[y - 1])
    x--, y--;
  return x && y ? (unsigned char)a[x - 1] - (unsigned char)b[y - 1]
                : (x > 0) - (y > 0);
}

static int compare_names(const void *left, const void *right) {
  const struct baseline_function_name *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  if (!order)
    order = compare_file_ends(a->file, b->file);
  if (!order)
    order = compare_numbers(a->part, b->part);
  return order ? order : compare_numbers(a->function, b->function);
}

static int compare_names_without_file(const void *left, const void *right) {
  const struct baseline_function_name *a = left, *b = right;
  return strcmp(view_name_without_file(a->name),
                view_name_without_file(b->name));
}

static int compare_names_without_file_first(const void *left,
                                            const void *right) {
  int order = compare_names_without_file(left, right);
  return order ? order : compare_names(left, right);
}

static void list_function_names(struct baseline_side *side) {
  size_t count = 0;
  for (size_t i = 0; i < side->part_count; i++)
    count += side->parts[i].view.instantiation_count;
  side->names = need_memory(malloc((count + 1) * sizeof *side->names));
  side->others = need_memory(malloc((count + 1) * sizeof *side->others));
  for (size_t i = 0; i < side->part_count; i++) {
    const struct model_view *view = &side->parts[i].view;
    for (size_t k = 0; k < view->instantiation_count; k++) {
      const struct view_instantiation *form = &view->instantiations[k];
      uint32_t row = view->functions[form->owner].row;
      side->names[side->name_count++] = (struct baseline_function_name){
          model_functions(view->exported)[form->function].name,
          view->exported->summary.rows[row].name, (uint32_t)i, form->owner};
    }
  }
  sort_array(side->names, side->name_count, sizeof *side->names, compare_names);
}

/* Returns the index of the first element that is not below the key. If `behind`
 * is set, returns the index of the first element above the key. */
static size_t search_baseline_name(const struct baseline_function_name *list,
                                   size_t count,
                                   const struct baseline_function_name *key,
                                   int (*order)(const void *, const void *),
                                   bool behind) {
  size_t low = 0;
  while (low < count) {
    size_t middle = low + (count - low) / 2;
    if (order(&list[middle], key) < (behind ? 1 : 0))
      low = middle + 1;
    else
      count = middle;
  }
  return low;
}

static size_t find_name_index(const struct baseline_side *side,
                              const struct baseline_function_name *key) {
  return search_baseline_name(side->names, side->name_count, key, compare_names,
                              false);
}

static void list_unmatched_names(struct baseline_side *side,
                                 const struct baseline_side *than) {
  for (size_t i = 0; i < side->name_count; i++) {
    const struct baseline_function_name key = {side->names[i].name, "", 0, 0};
    size_t at = find_name_index(than, &key);
    if (at == than->name_count || strcmp(than->names[at].name, key.name))
      side->others[side->other_count++] = side->names[i];
  }
  sort_array(side->others, side->other_count, sizeof *side->others,
             compare_names_without_file_first);
}

/* ---- two functions ---- */

/* The limits of the work. COMPARISON is the fixed cost of comparing two
 * functions, in lines. */
enum { SPOTS_MOST = 1 << 28, LINES_LOOKED_AT = 1 << 28, COMPARISON = 16 };

/* A further metric, which only spots have: the lines of macros that a function
 * uses. */
enum { MACROS = METRICS };

/* The comparison of one function of the earlier report with its candidates,
 * which are functions of this report. */
struct function_comparison {
  struct baseline *against;
  uint32_t part, function; /* indexes in the earlier report */
  struct buffer then, now; /* struct coverage_spot lists of both reports */
  struct baseline_function_name
      last;    /* last candidate; its name is NULL if none */
  size_t left; /* number of lines that may still be compared */
  size_t open; /* number of covered spots of the earlier report
                                that were not found covered yet */
  const char *error;
};

enum spot_state { NOT_COMPARED, LOST, KEPT };

/* An element of a function that can be covered: the function itself, a line, an
 * outcome of a branch, or a condition. */
struct coverage_spot {
  uint32_t metric, line; /* metric; line relative to the function or macro */
  uint32_t row, at;      /* row of the file; line in the file */
  uint64_t shape;        /* the column; for a line, a hash of the line's
                            regions */
  uint32_t number;       /* the outcome of a branch, or the number of a
                            condition; the numbers continue over several
                            branches at one place */
  bool covered;
  /* The comparison sets the next fields. */
  enum spot_state state;
  uint32_t now_row, now; /* row of the file and line in this report */
};

static void add_spot(struct buffer *list, struct coverage_spot spot) {
  need_append(list, &spot, sizeof spot);
}

/* Returns a hash of the regions that begin on a line. Other segments depend on
 * counts, so they are not part of the shape. */
static uint64_t hash_line_regions(const struct source_lines *lines,
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

/* Counts lines as compared. The work is limited, because a damaged report may
 * have any number of lines. */
static void count_compared_lines(struct function_comparison *comparing,
                                 unsigned lines) {
  if (comparing->left < lines)
    comparing->error = "the functions have more lines than their sources; pass "
                       "the report unchanged";
  else
    comparing->left -= lines;
}

/* Adds the lines of a file, from the line of `spot` up to `last`. */
static void add_line_spots(struct function_comparison *comparing,
                           const struct model_view *view,
                           struct coverage_spot spot, uint32_t last,
                           struct buffer *list) {
  const struct source_lines *lines = &view->lines[spot.row];
  for (; spot.at <= last && spot.at < lines->count; spot.at++, spot.line++) {
    const struct line_count *one = &lines->list[spot.at];
    count_compared_lines(comparing, 1);
    if (comparing->error)
      return;
    if (!spot.at || !one->counted)
      continue;
    spot.shape = hash_line_regions(lines, spot.at);
    spot.covered = one->count != 0;
    add_spot(list, spot);
  }
}

/* Adds the lines of all macros that a function uses, in the order of their
 * uses. Regions are sorted by file, then by place. Each use of a macro is a
 * file. */
static void add_macro_spots(struct function_comparison *comparing,
                            const struct model_view *view,
                            const struct view_function *of,
                            struct buffer *list) {
  const struct model *exported = view->exported;
  const struct model_function *function =
      &model_functions(exported)[view->instantiations[of->begin].function];
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
                           const struct model_view *view,
                           const struct view_item *item, struct buffer *list) {
  const struct view_function *function = &view->functions[item->owner];
  struct coverage_spot spot = {.metric =
                                   item->kind == VIEW_BRANCH ? BRANCHES : MCDC,
                               .row = function->row,
                               .at = item->site.line,
                               .line = item->site.line - function->span.line,
                               .shape = item->site.column};
  bool unlisted = comparing->against->no_constants && item->constant == 3;
  if (unlisted)
    return;
  const struct coverage_spot *last =
      (const struct coverage_spot *)(void *)(list->data + list->size) - 1;
  if (last->metric == spot.metric && last->line == spot.line &&
      last->shape == spot.shape)
    spot.number = last->number + 1;
  if (item->kind == VIEW_BRANCH) {
    for (unsigned side = 0; side < 2; side++, spot.number++) {
      spot.covered = item->counts[side] != 0;
      add_spot(list, spot);
    }
    return;
  }
  const struct model_decision *decision =
      &model_decisions(view->exported)[item->index];
  const unsigned char *conditions =
      model_conditions(view->exported) + decision->conditions.begin;
  for (uint32_t i = 0; i < decision->conditions.count; i++, spot.number++) {
    spot.covered = conditions[i] != 0;
    add_spot(list, spot);
  }
}

/* Lists all spots of a function, one metric after another. */
static void list_function_spots(struct function_comparison *comparing,
                                const struct baseline_model *part,
                                uint32_t number, struct buffer *list) {
  const struct model_view *view = &part->view;
  const struct view_function *function = &view->functions[number];
  struct coverage_spot first = {.metric = FUNCTIONS,
                                .row = function->row,
                                .at = function->span.line,
                                .covered = function->calls != 0};
  list->size = 0;
  add_spot(list, first);
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

/* The spots of one metric. `lines` is the number of lines after the function's
 * first line; 0 for macros. */
struct metric_spots {
  struct coverage_spot *list;
  size_t count;
  uint32_t lines;
};

static struct metric_spots get_metric_spots(const struct buffer *list,
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
  /* This number wraps around if the function has fewer lines than before. */
  uint32_t longer = now->lines - then->lines;
  for (size_t k = 1; k <= least - i; k++) {
    struct coverage_spot *a = &then->list[then->count - k];
    const struct coverage_spot *b = &now->list[now->count - k];
    if (a->line + longer != b->line || !is_same_spot(a, b))
      break;
    note_spot_state(comparing, a, b);
  }
}

static void begin_function_comparison(struct function_comparison *comparing,
                                      uint32_t part, uint32_t function) {
  comparing->part = part;
  comparing->function = function;
  comparing->last.name = NULL;
  list_function_spots(comparing, &comparing->against->then.parts[part],
                      function, &comparing->then);
  size_t count;
  const struct coverage_spot *spots = get_spots(&comparing->then, &count);
  comparing->open = 0;
  for (size_t i = 0; i < count; i++)
    comparing->open += spots[i].covered;
}

static bool is_comparison_done(const struct function_comparison *comparing) {
  return comparing->error || (comparing->last.name && !comparing->open);
}

/* Compares with a function of this report, unless it was the last one. */
static void compare_with_candidate(struct function_comparison *comparing,
                                   const struct baseline_function_name *name) {
  const struct baseline *against = comparing->against;
  const struct baseline_function_name *last = &comparing->last;
  const struct baseline_model *part = &against->now.parts[name->part];
  if (comparing->error || (last->name && last->part == name->part &&
                           last->function == name->function))
    return;
  comparing->last = *name;
  count_compared_lines(comparing, COMPARISON);
  list_function_spots(comparing, part, name->function, &comparing->now);
  for (unsigned i = 0; i <= MACROS && !comparing->error; i++) {
    const struct model_view *view = &against->then.parts[comparing->part].view;
    struct metric_spots then = get_metric_spots(
        &comparing->then, &view->functions[comparing->function].span, i);
    struct metric_spots now = get_metric_spots(
        &comparing->now, &part->view.functions[name->function].span, i);
    compare_metric_spots(comparing, &then, &now);
  }
}

/* Lists the spots that were covered and are not covered now, or the function if
 * this report lacks it. Counts the spots whose code has changed. */
static const char *
append_function_losses(struct function_comparison *comparing) {
  struct baseline *against = comparing->against;
  const struct model_view *view = &against->then.parts[comparing->part].view;
  const struct view_function *function = &view->functions[comparing->function];
  struct baseline_loss loss = {
      .file = view->exported->summary.rows[function->row].name,
      .name = function->name,
      .was = function->span.line};
  size_t count;
  const struct coverage_spot *spots = get_spots(&comparing->then, &count);
  bool any = comparing->last.name, changed = false;
  if (!any && comparing->open)
    LIST_ADD(against->gone, against->gone_count, loss);
  for (size_t i = 0; i < count && any && !comparing->error; i++) {
    const struct coverage_spot *spot = &spots[i];
    /* The lines of a macro count once, not for each function that uses the
     * macro. */
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

static void sort_unique_losses(struct baseline_loss *list, size_t *count) {
  size_t kept = 0;
  sort_array(list, *count, sizeof *list, compare_losses);
  for (size_t i = 0; i < *count; i++)
    if (!kept || compare_losses(&list[kept - 1], &list[i]) != 0)
      list[kept++] = list[i];
  *count = kept;
}

/* ---- pairs ---- */

/* Returns a number that is higher if the file names of an element and of the
 * key are more alike. Returns 0 if the element does not exist or if its
 * function has another name. */
static unsigned
rate_source_name_likeness(const struct baseline_side *side, size_t at,
                          const struct baseline_function_name *key) {
  return at < side->name_count && !strcmp(side->names[at].name, key->name)
             ? 1 + source_name_count_shared_parts(side->names[at].file,
                                                  key->file)
             : 0;
}

/* Returns the highest likeness of all elements with the name of the key. The
 * element that is most alike is next to the key in the order. */
static unsigned
compute_best_name_likeness(const struct baseline_side *side,
                           const struct baseline_function_name *key) {
  size_t at = find_name_index(side, key);
  unsigned before = rate_source_name_likeness(side, at - 1, key);
  unsigned there = rate_source_name_likeness(side, at, key);
  return before > there ? before : there;
}

/* Compares the function of the key with a function of the same name, unless
 * another function of the earlier report is nearer to the latter. Returns false
 * if no more functions have to be compared. */
static bool
compare_function_if_nearest(struct function_comparison *comparing, size_t at,
                            const struct baseline_function_name *key,
                            unsigned best) {
  const struct baseline *against = comparing->against;
  if (rate_source_name_likeness(&against->now, at, key) != best)
    return false;
  if (compute_best_name_likeness(&against->then, &against->now.names[at]) <=
      best)
    compare_with_candidate(comparing, &against->now.names[at]);
  return !is_comparison_done(comparing);
}

/* Compares the function of the key with all functions of the same name whose
 * file names are most similar to the key's. Functions of the same part come
 * first. */
static void
compare_functions_of_name(struct function_comparison *comparing,
                          const struct baseline_function_name *key) {
  const struct baseline_side *now = &comparing->against->now;
  size_t at = find_name_index(now, key), i = at;
  unsigned best = compute_best_name_likeness(now, key);
  while (best && compare_function_if_nearest(comparing, i, key, best))
    i++;
  for (i = at;
       best && i && compare_function_if_nearest(comparing, i - 1, key, best);)
    i--;
}

/* Finds the elements of `others` with a plain name. Returns false if there are
 * none, or if their full names differ. */
static bool find_unambiguous_names(const struct baseline_side *side,
                                   const char *plain, size_t *begin,
                                   size_t *end) {
  const struct baseline_function_name key = {plain, "", 0, 0},
                                      *list = side->others;
  *begin = search_baseline_name(list, side->other_count, &key,
                                compare_names_without_file, false);
  *end = search_baseline_name(list, side->other_count, &key,
                              compare_names_without_file, true);
  return *end > *begin && !strcmp(list[*begin].name, list[*end - 1].name);
}

/* Compares a static function whose file was renamed. The function's full name
 * contains the name of the file. */
static void compare_renamed_function(struct function_comparison *comparing,
                                     const char *name) {
  const struct baseline *against = comparing->against;
  const char *plain = view_name_without_file(name);
  size_t begin, end;
  if (!find_unambiguous_names(&against->then, plain, &begin, &end) ||
      !find_unambiguous_names(&against->now, plain, &begin, &end))
    return;
  for (; begin < end && !is_comparison_done(comparing); begin++)
    compare_with_candidate(comparing, &against->now.others[begin]);
}

static const char *compare_function(struct function_comparison *comparing,
                                    uint32_t part, uint32_t function) {
  const struct model_view *view = &comparing->against->then.parts[part].view;
  const struct view_function *one = &view->functions[function];
  const char *file = view->exported->summary.rows[one->row].name;
  const struct model_function *all = model_functions(view->exported);
  const struct view_instantiation *forms = &view->instantiations[one->begin];
  begin_function_comparison(comparing, part, function);
  for (uint32_t i = 0;
       i < one->instantiation_count && !is_comparison_done(comparing); i++)
    compare_functions_of_name(
        comparing, &(struct baseline_function_name){all[forms[i].function].name,
                                                    file, part, 0});
  for (uint32_t i = 0; i < one->instantiation_count && !comparing->last.name;
       i++)
    compare_renamed_function(comparing, all[forms[i].function].name);
  return append_function_losses(comparing);
}

/* ---- both reports ---- */

static const char *compare_functions(struct baseline *against) {
  struct function_comparison comparing = {.against = against,
                                          .then.limit = SPOTS_MOST,
                                          .now.limit = SPOTS_MOST,
                                          .left = LINES_LOOKED_AT};
  const char *error = NULL;
  for (size_t i = 0; i < against->then.part_count; i++) {
    const struct model_view *view = &against->then.parts[i].view;
    for (size_t k = 0; k < view->function_count && !error; k++)
      error = compare_function(&comparing, (uint32_t)i, (uint32_t)k);
  }
  buffer_free(&comparing.then);
  buffer_free(&comparing.now);
  sort_unique_losses(against->lost, &against->lost_count);
  sort_unique_losses(against->gone, &against->gone_count);
  for (size_t i = 0; i < against->lost_count; i++)
    against->counts[against->lost[i].metric]++;
  return error;
}

void baseline_compare(struct baseline *against,
                      const struct coverage *coverage) {
  struct baseline_side *now = &against->now;
  now->parts = need_memory(calloc(1, sizeof *now->parts));
  now->part_count = 1;
  now->parts[0].exported = &coverage->exported;
  against->no_constants = coverage->release && coverage->release < UNITED_FIRST;
  make_views_and_totals(now);
  list_function_names(&against->then);
  list_function_names(now);
  list_unmatched_names(&against->then, now);
  list_unmatched_names(now, &against->then);
  exit_on_error(against->file.name, compare_functions(against));
}

static void free_baseline_side(struct baseline_side *side) {
  for (size_t i = 0; i < side->part_count; i++) {
    view_free(&side->parts[i].view);
    model_free(&side->parts[i].own);
    free(side->parts[i].items);
    free(side->parts[i].begin);
  }
  free(side->parts);
  free(side->names);
  free(side->others);
}

void baseline_free(struct baseline *against) {
  free_baseline_side(&against->then);
  free_baseline_side(&against->now);
  free(against->lost);
  free(against->gone);
  file_close(&against->file);
  *against = (struct baseline){0};
}
