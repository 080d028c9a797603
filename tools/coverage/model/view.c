/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sorting brings the forms of a place together.
 */
#include "view.h"

#include <stdlib.h>

#include "../../base/compare.h"
#include "../../base/error.h"

enum { NESTED_MOST = 64, ALL_LINES_MOST = 1 << 24 };

/* ---- places ---- */

static int compare_spans(const struct span *a, const struct span *b) {
  int order = compare_numbers(place_number(a->line, a->column),
                              place_number(b->line, b->column));
  return order ? order
               : compare_numbers(place_number(b->end_line, b->end_column),
                                 place_number(a->end_line, a->end_column));
}

struct span view_site(const struct view *view,
                      const struct exported_function *function,
                      struct span span, uint32_t *file, uint32_t *depth) {
  const struct exported_region *regions =
      exported_regions(view->exported) + function->regions.begin;
  for (*depth = 0; *depth < NESTED_MOST; ++*depth) {
    uint32_t site = view->sites[function->files.begin + *file];
    if (site == NO_SITE)
      break;
    span = regions[site].span;
    *file = regions[site].file;
  }
  return span;
}

/* The row of a name. */
static uint32_t row_of(const struct view *view, uint32_t name) {
  return name < view->exported->summary.count ? name : NO_SITE;
}

static uint32_t name_of(const struct view *view,
                        const struct exported_function *function,
                        uint32_t file) {
  return exported_files(view->exported)[function->files.begin + file];
}

/* ---- functions ---- */

/* A form while forms are sorted. */
struct found {
  struct span span;
  uint32_t row, function;
};

static int by_span(const void *left, const void *right) {
  const struct found *a = left, *b = right;
  int order = compare_numbers(a->row, b->row);
  if (!order)
    order = compare_spans(&a->span, &b->span);
  return order ? order : compare_numbers(a->function, b->function);
}

/* The place of a function in a file of the report. */
static bool place_function(const struct view *view, uint32_t number,
                           struct found *found) {
  const struct exported_function *function =
      &exported_functions(view->exported)[number];
  uint32_t depth;
  if (!function->regions.count || !function->files.count)
    return false;
  const struct exported_region *body =
      &exported_regions(view->exported)[function->regions.begin];
  uint32_t file = body->file;
  found->span = view_site(view, function, body->span, &file, &depth);
  found->row = row_of(view, name_of(view, function, file));
  found->function = number;
  return found->row != NO_SITE;
}

const char *view_plain_name(const char *name) {
  const char *colon = strrchr(name, ':');
  return colon && colon != name && colon[-1] != ':' && colon[1] ? colon + 1
                                                                : name;
}

static void unite_functions(struct view *view, const struct found *found,
                            size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct exported_function *one =
        &exported_functions(view->exported)[found[i].function];
    struct view_function *last = &view->functions[view->function_count];
    if (i && found[i].row == found[i - 1].row &&
        compare_spans(&found[i].span, &found[i - 1].span) == 0) {
      last--;
      last->calls = last->calls > UINT64_MAX - one->count
                        ? UINT64_MAX
                        : last->calls + one->count;
      last->forms++;
    } else {
      *last = (struct view_function){.name = view_plain_name(one->name),
                                     .span = found[i].span,
                                     .calls = one->count,
                                     .row = found[i].row,
                                     .begin = (uint32_t)i,
                                     .forms = 1};
      view->function_count++;
    }
    view->forms[view->form_count++] = (struct view_form){
        found[i].function, (uint32_t)view->function_count - 1};
  }
}

static const char *find_functions(struct view *view) {
  size_t all = exported_function_count(view->exported), count = 0;
  struct found *found = malloc((all + 1) * sizeof *found);
  view->functions = malloc((all + 1) * sizeof *view->functions);
  view->forms = malloc((all + 1) * sizeof *view->forms);
  bool failed = !found || !view->functions || !view->forms;
  for (size_t i = 0; i < all && !failed; i++)
    count += place_function(view, (uint32_t)i, &found[count]);
  if (!failed) {
    sort(found, count, sizeof *found, by_span);
    unite_functions(view, found, count);
  }
  free(found);
  return failed ? out_of_memory : NULL;
}

/* ---- branches and decisions ---- */

/* Sets where an item is. false: in no file of the report. */
static bool place_item(const struct view *view, struct view_item *item,
                       uint32_t file) {
  const struct exported_function *function =
      &exported_functions(view->exported)[item->function];
  item->name = name_of(view, function, file);
  item->site = view_site(view, function, item->span, &file, &item->depth);
  item->row = row_of(view, name_of(view, function, file));
  item->forms = 1;
  return item->row != NO_SITE;
}

static uint32_t count_shown(const struct view *view,
                            const struct exported_decision *decision) {
  const unsigned char *conditions =
      exported_conditions(view->exported) + decision->conditions.begin;
  uint32_t shown = 0;
  for (uint32_t i = 0; i < decision->conditions.count; i++)
    shown += conditions[i] != 0;
  return shown;
}

static void add_branches(struct view *view, const struct view_form *form) {
  const struct exported_function *function =
      &exported_functions(view->exported)[form->function];
  for (uint32_t i = 0; i < function->branches.count; i++) {
    const struct exported_branch *branch =
        &exported_branches(view->exported)[function->branches.begin + i];
    struct view_item *item = &view->items[view->item_count];
    *item = (struct view_item){.owner = form->owner,
                               .function = form->function,
                               .index = function->branches.begin + i,
                               .span = branch->span,
                               .kind = VIEW_BRANCH,
                               .counts = {branch->counts[0], branch->counts[1]},
                               .constant = branch->constant};
    view->item_count += place_item(view, item, branch->file);
  }
}

uint32_t view_decision_file(const struct view *view,
                            const struct exported_function *function,
                            const struct exported_decision *decision) {
  if (view->exported->has_vectors)
    return decision->file;
  for (uint32_t i = 0; i < function->branches.count; i++) {
    const struct exported_branch *branch =
        &exported_branches(view->exported)[function->branches.begin + i];
    if (branch->kind == EXPORTED_CONDITION &&
        span_holds(&decision->span, &branch->span))
      return branch->file;
  }
  return decision->file;
}

static void add_decisions(struct view *view, const struct view_form *form) {
  const struct exported_function *function =
      &exported_functions(view->exported)[form->function];
  for (uint32_t i = 0; i < function->decisions.count; i++) {
    const struct exported_decision *decision =
        &exported_decisions(view->exported)[function->decisions.begin + i];
    struct view_item *item = &view->items[view->item_count];
    *item = (struct view_item){.owner = form->owner,
                               .function = form->function,
                               .index = function->decisions.begin + i,
                               .span = decision->span,
                               .kind = VIEW_DECISION,
                               .shown = count_shown(view, decision)};
    view->item_count +=
        place_item(view, item, view_decision_file(view, function, decision));
  }
}

static int by_place(const void *left, const void *right) {
  const struct view_item *a = left, *b = right;
  int order = compare_numbers(a->row, b->row);
  if (!order)
    order = compare_spans(&a->site, &b->site);
  if (!order)
    order = compare_numbers(a->kind, b->kind);
  if (!order)
    order = compare_numbers(a->owner, b->owner);
  if (!order)
    order = compare_numbers(a->name, b->name);
  if (!order)
    order = compare_spans(&a->span, &b->span);
  if (!order) /* The form that covers most is shown. */
    order = compare_numbers(b->shown, a->shown);
  return order ? order : compare_numbers(a->index, b->index);
}

static bool same_place(const struct view_item *a, const struct view_item *b) {
  return a->row == b->row && a->kind == b->kind && a->owner == b->owner &&
         a->name == b->name && compare_spans(&a->site, &b->site) == 0 &&
         compare_spans(&a->span, &b->span) == 0;
}

static void unite_items(struct view *view) {
  size_t kept = 0;
  for (size_t i = 0; i < view->item_count; i++) {
    struct view_item *item = &view->items[i];
    struct view_item *last = kept ? &view->items[kept - 1] : NULL;
    if (!last || !same_place(last, item)) {
      view->items[kept++] = *item;
      continue;
    }
    for (unsigned side = 0; side < 2; side++)
      last->counts[side] = last->counts[side] > UINT64_MAX - item->counts[side]
                               ? UINT64_MAX
                               : last->counts[side] + item->counts[side];
    last->constant &= item->constant;
    last->forms++;
  }
  view->item_count = kept;
}

unsigned view_missing(const struct view_item *branch) {
  return ((branch->counts[0] ? 0u : TRUE_SIDE) |
          (branch->counts[1] ? 0u : FALSE_SIDE)) &
         ~branch->constant;
}

/* Conditions of a decision that no pair shows. A constant needs none, which
 * only the pages know: this is an upper bound. */
static void count_missing(struct view *view) {
  for (size_t i = 0; i < view->item_count; i++) {
    const struct view_item *item = &view->items[i];
    struct view_function *owner = &view->functions[item->owner];
    unsigned sides = view_missing(item);
    if (item->kind == VIEW_BRANCH)
      owner->branches += (sides & 1) + (sides >> 1);
  }
  for (size_t i = 0; i < view->function_count; i++) {
    struct view_function *one = &view->functions[i];
    one->lines = lines_missed(&view->lines[one->row], one->span.line,
                              one->span.end_line);
  }
}

static const char *find_items(struct view *view) {
  const struct exported *exported = view->exported;
  size_t most = exported->branches.size / sizeof(struct exported_branch) +
                exported->decisions.size / sizeof(struct exported_decision);
  view->items = malloc((most + 1) * sizeof *view->items);
  if (!view->items)
    return out_of_memory;
  for (size_t i = 0; i < view->form_count; i++) {
    add_branches(view, &view->forms[i]);
    add_decisions(view, &view->forms[i]);
  }
  sort(view->items, view->item_count, sizeof *view->items, by_place);
  unite_items(view);
  count_missing(view);
  return NULL;
}

/* ---- all ---- */

const char *view_make(struct view *view, const struct exported *exported) {
  *view = (struct view){.exported = exported, .texts.limit = UINT32_MAX};
  size_t rows = exported->summary.count;
  const char *error = NULL;
  view->lines = calloc(rows + 1, sizeof *view->lines);
  if (!view->lines)
    return out_of_memory;
  size_t all = 0;
  for (size_t i = 0; i < rows && !error; i++) {
    error = lines_count(&view->lines[i], exported, i);
    all += view->lines[i].count;
    if (!error && all > ALL_LINES_MOST)
      error = "its sources have more lines than memory is for; report fewer "
              "ELFs at a time";
  }
  view->sites = error ? NULL : sites_find(exported);
  if (!error && !view->sites)
    error = out_of_memory;
  if (!error)
    error = find_functions(view);
  return error ? error : find_items(view);
}

void view_free(struct view *view) {
  for (size_t i = 0; view->lines && i < view->exported->summary.count; i++)
    lines_free(&view->lines[i]);
  free(view->lines);
  free(view->functions);
  free(view->forms);
  free(view->items);
  free(view->sites);
  arena_free(&view->texts);
  *view = (struct view){0};
}
