/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compares a report with an earlier one. The functions of both are listed by
 * name; then each function of the earlier report is compared with functions of
 * the same name (baseline_compare.c). baseline_show.c writes the result.
 */
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

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

static const char *add_report_part(struct baseline_side *side,
                                   struct bytes text) {
  struct baseline_part part = {.exported = NULL};
  const char *error = model_parse(&part.own, text);
  if (!error && !part.own.has_functions)
    error = wrong_form;
  if (error)
    model_free(&part.own);
  else
    LIST_ADD(side->parts, side->part_count, part);
  return error;
}

static const char *parse_report_parts(struct baseline_side *side,
                                      struct bytes text) {
  struct json_reader json = json_begin(text);
  const char *error = NULL;
  char key[JSON_KEY];
  json_enter(&json, '{');
  while (json_next_member(&json, key)) {
    if (strcmp(key, "data") != 0) {
      json_skip_value(&json);
      continue;
    }
    json_enter(&json, '[');
    while (json_has_more(&json, ']') && !error) {
      struct bytes part = json_skip_value(&json);
      error = json.failed ? wrong_form : add_report_part(side, part);
    }
    if (error)
      return error;
  }
  return json.failed || !side->part_count ? wrong_form : NULL;
}

/* Lists the items of a view by function. part->begin has where each function's
 * items begin in part->items. */
static void order_items(struct baseline_part *part) {
  const struct view *view = &part->view;
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

static void make_views(struct baseline_side *side) {
  for (size_t i = 0; i < side->part_count; i++) {
    struct baseline_part *part = &side->parts[i];
    view_make(&part->view, part->exported);
    order_items(part);
    for (size_t k = 0; k < part->exported->summary.count; k++)
      row_add_scores(&side->total, &part->exported->summary.rows[k]);
  }
}

const char *baseline_parse(struct baseline *against, struct bytes text) {
  struct baseline_side *then = &against->then;
  const char *error = parse_report_parts(then, text);
  for (size_t i = 0; i < then->part_count; i++)
    then->parts[i].exported = &then->parts[i].own;
  if (!error)
    make_views(then);
  return error;
}

int baseline_read(struct baseline *against, const char *name) {
  if (file_map(&against->file, name, REPORT_MOST))
    return 1;
  const char *error = baseline_parse(against, against->file.bytes);
  return error ? report(name, "%s", error) : 0;
}

/* ---- names ---- */

/* Compares names from their ends, so that files in folders of the same names
 * are neighbours. */
static int compare_file_ends(const char *a, const char *b) {
  size_t x = strlen(a), y = strlen(b);
  while (x && y && a[x - 1] == b[y - 1])
    x--, y--;
  return x && y ? (unsigned char)a[x - 1] - (unsigned char)b[y - 1]
                : (x > 0) - (y > 0);
}

static int compare_names(const void *left, const void *right) {
  const struct baseline_name *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  if (!order)
    order = compare_file_ends(a->file, b->file);
  if (!order)
    order = compare_numbers(a->part, b->part);
  return order ? order : compare_numbers(a->function, b->function);
}

static int compare_plain_names(const void *left, const void *right) {
  const struct baseline_name *a = left, *b = right;
  return strcmp(view_plain_name(a->name), view_plain_name(b->name));
}

static int compare_plain_then_full(const void *left, const void *right) {
  int order = compare_plain_names(left, right);
  return order ? order : compare_names(left, right);
}

static void list_names(struct baseline_side *side) {
  size_t count = 0;
  for (size_t i = 0; i < side->part_count; i++)
    count += side->parts[i].view.form_count;
  side->names = need_memory(malloc((count + 1) * sizeof *side->names));
  side->others = need_memory(malloc((count + 1) * sizeof *side->others));
  for (size_t i = 0; i < side->part_count; i++) {
    const struct view *view = &side->parts[i].view;
    for (size_t k = 0; k < view->form_count; k++) {
      const struct view_instantiation *form = &view->forms[k];
      uint32_t row = view->functions[form->owner].row;
      side->names[side->name_count++] = (struct baseline_name){
          model_functions(view->exported)[form->function].name,
          view->exported->summary.rows[row].name, (uint32_t)i, form->owner};
    }
  }
  sort_array(side->names, side->name_count, sizeof *side->names, compare_names);
}

/* Returns the index of the first element that is not below the key; behind:
 * that is above the key. */
static size_t search_name(const struct baseline_name *list, size_t count,
                          const struct baseline_name *key,
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

static size_t find_place(const struct baseline_side *side,
                         const struct baseline_name *key) {
  return search_name(side->names, side->name_count, key, compare_names, false);
}

static bool has_name(const struct baseline_side *side, const char *name) {
  const struct baseline_name key = {name, "", 0, 0};
  size_t at = find_place(side, &key);
  return at < side->name_count && strcmp(side->names[at].name, name) == 0;
}

static void list_unmatched_names(struct baseline_side *side,
                                 const struct baseline_side *than) {
  for (size_t i = 0; i < side->name_count; i++)
    if (!has_name(than, side->names[i].name))
      side->others[side->other_count++] = side->names[i];
  sort_array(side->others, side->other_count, sizeof *side->others,
             compare_plain_then_full);
}

/* ---- pairs ---- */

/* Returns how alike an element's file and the key's file are; 0: the element is
 * not there, or has another name. */
static unsigned rate_likeness(const struct baseline_side *side, size_t at,
                              const struct baseline_name *key) {
  return at < side->name_count && !strcmp(side->names[at].name, key->name)
             ? 1 + source_name_count_shared(side->names[at].file, key->file)
             : 0;
}

/* Returns the greatest likeness of all elements of the key's name. A neighbour
 * of the key's place has it. */
static unsigned find_best_likeness(const struct baseline_side *side,
                                   const struct baseline_name *key) {
  size_t at = find_place(side, key);
  unsigned before = rate_likeness(side, at - 1, key);
  unsigned there = rate_likeness(side, at, key);
  return before > there ? before : there;
}

/* Compares with a function of the name, unless another function of the earlier
 * report is nearer to it. Returns false if no more have to be compared. */
static bool compare_if_nearest(struct function_comparison *comparing, size_t at,
                               const struct baseline_name *key, unsigned best) {
  const struct baseline *against = comparing->against;
  if (rate_likeness(&against->now, at, key) != best)
    return false;
  if (find_best_likeness(&against->then, &against->now.names[at]) <= best)
    baseline_function_compare(comparing, &against->now.names[at]);
  return !baseline_function_done(comparing);
}

/* Compares with all functions of the name whose files are nearest to the key's.
 * Functions of the same part come first. */
static void compare_functions_of_name(struct function_comparison *comparing,
                                      const struct baseline_name *key) {
  const struct baseline_side *now = &comparing->against->now;
  size_t at = find_place(now, key), i = at;
  unsigned best = find_best_likeness(now, key);
  while (best && compare_if_nearest(comparing, i, key, best))
    i++;
  for (i = at; best && i && compare_if_nearest(comparing, i - 1, key, best);)
    i--;
}

/* Finds the elements of `others` with a plain name. Returns false if there are
 * none, or their full names differ. */
static bool find_unmatched(const struct baseline_side *side, const char *plain,
                           size_t *begin, size_t *end) {
  const struct baseline_name key = {plain, "", 0, 0}, *list = side->others;
  *begin =
      search_name(list, side->other_count, &key, compare_plain_names, false);
  *end = search_name(list, side->other_count, &key, compare_plain_names, true);
  return *end > *begin && !strcmp(list[*begin].name, list[*end - 1].name);
}

/* Compares a static function whose file, and so its full name, has another name
 * now. */
static void compare_renamed_function(struct function_comparison *comparing,
                                     const char *name) {
  const struct baseline *against = comparing->against;
  const char *plain = view_plain_name(name);
  size_t begin, end;
  if (!find_unmatched(&against->then, plain, &begin, &end) ||
      !find_unmatched(&against->now, plain, &begin, &end))
    return;
  for (; begin < end && !baseline_function_done(comparing); begin++)
    baseline_function_compare(comparing, &against->now.others[begin]);
}

static const char *compare_function(struct function_comparison *comparing,
                                    uint32_t part, uint32_t function) {
  const struct view *view = &comparing->against->then.parts[part].view;
  const struct view_function *one = &view->functions[function];
  const char *file = view->exported->summary.rows[one->row].name;
  const struct model_function *all = model_functions(view->exported);
  const struct view_instantiation *forms = &view->forms[one->begin];
  baseline_function_begin(comparing, part, function);
  for (uint32_t i = 0; i < one->forms && !baseline_function_done(comparing);
       i++)
    compare_functions_of_name(
        comparing,
        &(struct baseline_name){all[forms[i].function].name, file, part, 0});
  for (uint32_t i = 0; i < one->forms && !comparing->last.name; i++)
    compare_renamed_function(comparing, all[forms[i].function].name);
  return baseline_function_end(comparing);
}

/* ---- all ---- */

static const char *compare_functions(struct baseline *against) {
  struct function_comparison comparing;
  const char *error = NULL;
  baseline_compare_begin(&comparing, against);
  for (size_t i = 0; i < against->then.part_count; i++) {
    const struct view *view = &against->then.parts[i].view;
    for (size_t k = 0; k < view->function_count && !error; k++)
      error = compare_function(&comparing, (uint32_t)i, (uint32_t)k);
  }
  baseline_compare_end(&comparing);
  baseline_finish_losses(against);
  return error;
}

int baseline_measure(struct baseline *against,
                     const struct coverage *coverage) {
  struct baseline_side *now = &against->now;
  now->parts = need_memory(calloc(1, sizeof *now->parts));
  now->part_count = 1;
  now->parts[0].exported = &coverage->exported;
  against->no_constants = coverage->release && coverage->release < UNITED_FIRST;
  make_views(now);
  list_names(&against->then);
  list_names(now);
  list_unmatched_names(&against->then, now);
  list_unmatched_names(now, &against->then);
  const char *error = compare_functions(against);
  return error ? report(against->file.name, "%s", error) : 0;
}

static void free_side(struct baseline_side *side) {
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
  free_side(&against->then);
  free_side(&against->now);
  free(against->lost);
  free(against->gone);
  file_close(&against->file);
  *against = (struct baseline){0};
}
