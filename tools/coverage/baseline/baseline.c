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

static const char *add_part(struct against_side *side, struct bytes text) {
  struct against_part part = {.exported = NULL};
  const char *error = exported_read(&part.own, text);
  if (!error && !part.own.has_functions)
    error = wrong_form;
  if (error)
    exported_free(&part.own);
  else
    LIST_ADD(side->parts, side->part_count, part);
  return error;
}

static const char *read_parts(struct against_side *side, struct bytes text) {
  struct json json = json_begin(text);
  const char *error = NULL;
  char key[JSON_KEY];
  json_open(&json, '{');
  while (json_member(&json, key)) {
    if (strcmp(key, "data") != 0) {
      json_skip(&json);
      continue;
    }
    json_open(&json, '[');
    while (json_more(&json, ']') && !error) {
      struct bytes part = json_skip(&json);
      error = json.failed ? wrong_form : add_part(side, part);
    }
    if (error)
      return error;
  }
  return json.failed || !side->part_count ? wrong_form : NULL;
}

/* Lists the items of a view by function. part->begin has where each function's
 * items begin in part->items. */
static void order_items(struct against_part *part) {
  const struct view *view = &part->view;
  part->items = need(calloc(view->item_count + 1, sizeof *part->items));
  part->begin = need(calloc(view->function_count + 1, sizeof *part->begin));
  for (size_t i = 0; i < view->item_count; i++)
    part->begin[view->items[i].owner]++;
  for (size_t i = 1; i <= view->function_count; i++)
    part->begin[i] += part->begin[i - 1];
  for (size_t i = view->item_count; i--;)
    part->items[--part->begin[view->items[i].owner]] = (uint32_t)i;
}

static void make_views(struct against_side *side) {
  for (size_t i = 0; i < side->part_count; i++) {
    struct against_part *part = &side->parts[i];
    view_make(&part->view, part->exported);
    order_items(part);
    for (size_t k = 0; k < part->exported->summary.count; k++)
      row_add(&side->total, &part->exported->summary.rows[k]);
  }
}

const char *against_take(struct baseline *against, struct bytes text) {
  struct against_side *then = &against->then;
  const char *error = read_parts(then, text);
  for (size_t i = 0; i < then->part_count; i++)
    then->parts[i].exported = &then->parts[i].own;
  if (!error)
    make_views(then);
  return error;
}

int against_read(struct baseline *against, const char *name) {
  if (file_map(&against->file, name, REPORT_MOST))
    return 1;
  const char *error = against_take(against, against->file.bytes);
  return error ? report(name, "%s", error) : 0;
}

/* ---- names ---- */

/* Compares names from their ends, so that files in folders of the same names
 * are neighbours. */
static int compare_files(const char *a, const char *b) {
  size_t x = strlen(a), y = strlen(b);
  while (x && y && a[x - 1] == b[y - 1])
    x--, y--;
  return x && y ? (unsigned char)a[x - 1] - (unsigned char)b[y - 1]
                : (x > 0) - (y > 0);
}

static int by_name(const void *left, const void *right) {
  const struct against_name *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  if (!order)
    order = compare_files(a->file, b->file);
  if (!order)
    order = compare_numbers(a->part, b->part);
  return order ? order : compare_numbers(a->function, b->function);
}

static int by_plain_name_only(const void *left, const void *right) {
  const struct against_name *a = left, *b = right;
  return strcmp(view_plain_name(a->name), view_plain_name(b->name));
}

static int by_plain_name(const void *left, const void *right) {
  int order = by_plain_name_only(left, right);
  return order ? order : by_name(left, right);
}

static void list_names(struct against_side *side) {
  size_t count = 0;
  for (size_t i = 0; i < side->part_count; i++)
    count += side->parts[i].view.form_count;
  side->names = need(malloc((count + 1) * sizeof *side->names));
  side->others = need(malloc((count + 1) * sizeof *side->others));
  for (size_t i = 0; i < side->part_count; i++) {
    const struct view *view = &side->parts[i].view;
    for (size_t k = 0; k < view->form_count; k++) {
      const struct view_form *form = &view->forms[k];
      uint32_t row = view->functions[form->owner].row;
      side->names[side->name_count++] = (struct against_name){
          exported_functions(view->exported)[form->function].name,
          view->exported->summary.rows[row].name, (uint32_t)i, form->owner};
    }
  }
  sort(side->names, side->name_count, sizeof *side->names, by_name);
}

/* Returns the index of the first element that is not below the key; behind:
 * that is above the key. */
static size_t search_name(const struct against_name *list, size_t count,
                          const struct against_name *key,
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

static size_t place_of(const struct against_side *side,
                       const struct against_name *key) {
  return search_name(side->names, side->name_count, key, by_name, false);
}

static bool has_name(const struct against_side *side, const char *name) {
  const struct against_name key = {name, "", 0, 0};
  size_t at = place_of(side, &key);
  return at < side->name_count && strcmp(side->names[at].name, name) == 0;
}

static void list_others(struct against_side *side,
                        const struct against_side *than) {
  for (size_t i = 0; i < side->name_count; i++)
    if (!has_name(than, side->names[i].name))
      side->others[side->other_count++] = side->names[i];
  sort(side->others, side->other_count, sizeof *side->others, by_plain_name);
}

/* ---- pairs ---- */

/* Returns how alike an element's file and the key's file are; 0: the element is
 * not there, or has another name. */
static unsigned likeness_at(const struct against_side *side, size_t at,
                            const struct against_name *key) {
  return at < side->name_count && !strcmp(side->names[at].name, key->name)
             ? 1 + source_likeness(side->names[at].file, key->file)
             : 0;
}

/* Returns the greatest likeness of all elements of the key's name. A neighbour
 * of the key's place has it. */
static unsigned nearest(const struct against_side *side,
                        const struct against_name *key) {
  size_t at = place_of(side, key);
  unsigned before = likeness_at(side, at - 1, key);
  unsigned there = likeness_at(side, at, key);
  return before > there ? before : there;
}

/* Compares with a function of the name, unless another function of the earlier
 * report is nearer to it. Returns false if no more have to be compared. */
static bool compare_near(struct comparing *comparing, size_t at,
                         const struct against_name *key, unsigned best) {
  const struct baseline *against = comparing->against;
  if (likeness_at(&against->now, at, key) != best)
    return false;
  if (nearest(&against->then, &against->now.names[at]) <= best)
    compare_with(comparing, &against->now.names[at]);
  return !compare_done(comparing);
}

/* Compares with all functions of the name whose files are nearest to the key's.
 * Functions of the same part come first. */
static void compare_named(struct comparing *comparing,
                          const struct against_name *key) {
  const struct against_side *now = &comparing->against->now;
  size_t at = place_of(now, key), i = at;
  unsigned best = nearest(now, key);
  while (best && compare_near(comparing, i, key, best))
    i++;
  for (i = at; best && i && compare_near(comparing, i - 1, key, best);)
    i--;
}

/* Finds the elements of `others` with a plain name. Returns false if there are
 * none, or their full names differ. */
static bool find_others(const struct against_side *side, const char *plain,
                        size_t *begin, size_t *end) {
  const struct against_name key = {plain, "", 0, 0}, *list = side->others;
  *begin =
      search_name(list, side->other_count, &key, by_plain_name_only, false);
  *end = search_name(list, side->other_count, &key, by_plain_name_only, true);
  return *end > *begin && !strcmp(list[*begin].name, list[*end - 1].name);
}

/* Compares a static function whose file, and so its full name, has another name
 * now. */
static void compare_renamed(struct comparing *comparing, const char *name) {
  const struct baseline *against = comparing->against;
  const char *plain = view_plain_name(name);
  size_t begin, end;
  if (!find_others(&against->then, plain, &begin, &end) ||
      !find_others(&against->now, plain, &begin, &end))
    return;
  for (; begin < end && !compare_done(comparing); begin++)
    compare_with(comparing, &against->now.others[begin]);
}

static const char *compare_one(struct comparing *comparing, uint32_t part,
                               uint32_t function) {
  const struct view *view = &comparing->against->then.parts[part].view;
  const struct view_function *one = &view->functions[function];
  const char *file = view->exported->summary.rows[one->row].name;
  const struct exported_function *all = exported_functions(view->exported);
  const struct view_form *forms = &view->forms[one->begin];
  compare_begin(comparing, part, function);
  for (uint32_t i = 0; i < one->forms && !compare_done(comparing); i++)
    compare_named(comparing, &(struct against_name){all[forms[i].function].name,
                                                    file, part, 0});
  for (uint32_t i = 0; i < one->forms && !comparing->last.name; i++)
    compare_renamed(comparing, all[forms[i].function].name);
  return compare_end(comparing);
}

/* ---- all ---- */

static const char *compare_all(struct baseline *against) {
  struct comparing comparing;
  const char *error = NULL;
  comparing_begin(&comparing, against);
  for (size_t i = 0; i < against->then.part_count; i++) {
    const struct view *view = &against->then.parts[i].view;
    for (size_t k = 0; k < view->function_count && !error; k++)
      error = compare_one(&comparing, (uint32_t)i, (uint32_t)k);
  }
  comparing_end(&comparing);
  comparing_settle(against);
  return error;
}

int against_measure(struct baseline *against, const struct coverage *coverage) {
  struct against_side *now = &against->now;
  now->parts = need(calloc(1, sizeof *now->parts));
  now->part_count = 1;
  now->parts[0].exported = &coverage->exported;
  against->no_constants = coverage->release && coverage->release < UNITED_FIRST;
  make_views(now);
  list_names(&against->then);
  list_names(now);
  list_others(&against->then, now);
  list_others(now, &against->then);
  const char *error = compare_all(against);
  return error ? report(against->file.name, "%s", error) : 0;
}

static void free_side(struct against_side *side) {
  for (size_t i = 0; i < side->part_count; i++) {
    view_free(&side->parts[i].view);
    exported_free(&side->parts[i].own);
    free(side->parts[i].items);
    free(side->parts[i].begin);
  }
  free(side->parts);
  free(side->names);
  free(side->others);
}

void against_free(struct baseline *against) {
  free_side(&against->then);
  free_side(&against->now);
  free(against->lost);
  free(against->gone);
  file_close(&against->file);
  *against = (struct baseline){0};
}
