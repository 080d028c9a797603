/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file makes the view by sorting, which puts the instantiations of a
 * position next to each other. All macros around a position identify it,
 * because a macro may use another macro twice. All conditions in a macro's
 * argument are at the position of the parameter. If such conditions belong to
 * one instantiation, they are adjacent and stay separate.
 */
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/demangle.h"
#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/os.h"

/* ---- positions ---- */

static int compare_spans(const struct source_span *a,
                         const struct source_span *b) {
  int order = compare_numbers(span_begin(a), span_begin(b));
  return order ? order : compare_numbers(span_end(b), span_end(a));
}

static uint32_t row_of_name_number(const struct model_view *view,
                                   uint32_t name) {
  return name < view->exported->summary.count ? name : NO_SITE;
}

static uint32_t file_name_number(const struct model_view *view,
                                 const struct model_function *function,
                                 uint32_t file) {
  return model_files_of(view->exported, function)[file];
}

/* ---- functions ---- */

/* An instantiation in a list that is sorted by position. */
struct located_function {
  struct source_span span;
  uint32_t row, function;
};

static int compare_sorted_functions(const void *left, const void *right) {
  const struct located_function *a = left, *b = right;
  int order = compare_numbers(a->row, b->row);
  if (!order)
    order = compare_spans(&a->span, &b->span);
  return order ? order : compare_numbers(a->function, b->function);
}

/* Sets the position of a function. Returns false if the function is not in a
 * file of the report. */
static bool locate_function(const struct model_view *view, uint32_t number,
                            struct located_function *found) {
  const struct model_function *function =
      &model_functions(view->exported)[number];
  uint64_t path[NESTED_MOST];
  if (!function->regions.count || !function->files.count)
    return false;
  const struct model_region *body =
      &model_regions(view->exported)[function->regions.begin];
  uint32_t file = body->file;
  found->span = body->span;
  model_move_to_macro_use(view->exported, function, &file, &found->span, path);
  found->row = row_of_name_number(view, file_name_number(view, function, file));
  found->function = number;
  return found->row != NO_SITE;
}

const char *view_name_without_file(const char *name) {
  const char *colon = strrchr(name, ':');
  return colon && colon != name && colon[-1] != ':' && colon[1] ? colon + 1
                                                                : name;
}

/* Returns whether two functions are instantiations of one function: they begin
 * at the same position, as in scores.c. */
static bool is_at_same_place(const struct located_function *a,
                             const struct located_function *b) {
  return a->row == b->row && a->span.line == b->span.line &&
         a->span.column == b->span.column;
}

static void merge_instantiations(struct model_view *view,
                                 const struct located_function *found,
                                 size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct model_function *one =
        &model_functions(view->exported)[found[i].function];
    struct view_function *last = &view->functions[view->function_count];
    if (i && is_at_same_place(&found[i], &found[i - 1])) {
      last--;
      last->calls = last->calls > UINT64_MAX - one->count
                        ? UINT64_MAX
                        : last->calls + one->count;
      last->instantiation_count++;
    } else {
      *last = (struct view_function){.name = view_name_without_file(one->name),
                                     .span = found[i].span,
                                     .calls = one->count,
                                     .row = found[i].row,
                                     .begin = (uint32_t)i,
                                     .instantiation_count = 1};
      view->function_count++;
    }
    view->instantiations[view->instantiation_count++] =
        (struct view_instantiation){found[i].function,
                                    (uint32_t)view->function_count - 1};
  }
}

static void list_view_functions(struct model_view *view) {
  size_t all = model_function_count(view->exported), count = 0;
  struct located_function *found =
      need_memory(malloc((all + 1) * sizeof *found));
  view->functions = need_memory(malloc((all + 1) * sizeof *view->functions));
  view->instantiations =
      need_memory(malloc((all + 1) * sizeof *view->instantiations));
  for (size_t i = 0; i < all; i++)
    count += locate_function(view, (uint32_t)i, &found[count]);
  sort_array(found, count, sizeof *found, compare_sorted_functions);
  merge_instantiations(view, found, count);
  free(found);
}

/* ---- branches and decisions ---- */

/* Sets the position of the next item, and keeps the item if the position is in
 * a file of the report. */
static void locate_and_keep_item(struct model_view *view, uint32_t file) {
  struct view_item *item = &view->items[view->item_count];
  const struct model_function *function =
      &model_functions(view->exported)[item->function];
  uint64_t path[NESTED_MOST];
  item->name = file_name_number(view, function, file);
  item->site = item->span;
  item->depth = model_move_to_macro_use(view->exported, function, &file,
                                        &item->site, path);
  item->row = row_of_name_number(view, file_name_number(view, function, file));
  item->instantiation_count = 1;
  if (item->row == NO_SITE)
    return;
  view->item_count++;
  item->path = (uint32_t)(view->paths.size / sizeof *path);
  need_append(&view->paths, path, item->depth * sizeof *path);
}

/* Sets the numbers of conditions with and without an independence pair. An
 * earlier report does not say which conditions are constant. */
static void set_condition_totals(const struct model_view *view,
                                 struct view_item *item,
                                 const struct model_decision *decision) {
  const struct model *from = view->exported;
  size_t begin = decision->conditions.begin;
  const struct model_condition *atoms =
      from->atoms.size ? model_atoms(from) + begin : NULL;
  for (uint32_t i = 0; i < decision->conditions.count; i++) {
    bool shown = model_conditions(from)[begin + i] != 0;
    item->shown += shown;
    item->hidden += !shown && !(atoms && atoms[i].constant);
  }
}

static void add_branch_items(struct model_view *view,
                             const struct view_instantiation *form) {
  const struct model_function *function =
      &model_functions(view->exported)[form->function];
  for (uint32_t i = 0; i < function->branches.count; i++) {
    const struct model_branch *branch =
        &model_branches_of(view->exported, function)[i];
    struct view_item *item = &view->items[view->item_count];
    *item = (struct view_item){.owner = form->owner,
                               .function = form->function,
                               .index = function->branches.begin + i,
                               .span = branch->span,
                               .kind = VIEW_BRANCH,
                               .counts = {branch->counts[0], branch->counts[1]},
                               .constant = branch->constant,
                               .cause = branch->cause};
    locate_and_keep_item(view, branch->file);
  }
}

/* Returns the index of the file that contains a decision. Exports up to release
 * 19 do not have this file, so the file of a condition is used. */
static uint32_t find_decision_file(const struct model_view *view,
                                   const struct model_function *function,
                                   const struct model_decision *decision) {
  if (view->exported->has_vectors)
    return decision->file;
  for (uint32_t i = 0; i < function->branches.count; i++) {
    const struct model_branch *branch =
        &model_branches_of(view->exported, function)[i];
    if (branch->kind == MODEL_CONDITION &&
        span_contains(&decision->span, &branch->span))
      return branch->file;
  }
  return decision->file;
}

static void add_decision_items(struct model_view *view,
                               const struct view_instantiation *form) {
  const struct model_function *function =
      &model_functions(view->exported)[form->function];
  for (uint32_t i = 0; i < function->decisions.count; i++) {
    const struct model_decision *decision =
        &model_decisions_of(view->exported, function)[i];
    if (!decision->conditions.count)
      continue;
    struct view_item *item = &view->items[view->item_count];
    *item = (struct view_item){.owner = form->owner,
                               .function = form->function,
                               .index = function->decisions.begin + i,
                               .span = decision->span,
                               .kind = VIEW_DECISION,
                               .cause = decision->cause};
    set_condition_totals(view, item, decision);
    locate_and_keep_item(view, find_decision_file(view, function, decision));
  }
}

static const uint64_t *sorted_paths;

int view_compare_paths(const struct view_item *a, const struct view_item *b) {
  uint32_t least = a->depth < b->depth ? a->depth : b->depth;
  for (uint32_t i = 0; i < least; i++) {
    int order =
        compare_numbers(sorted_paths[a->path + i], sorted_paths[b->path + i]);
    if (order)
      return order;
  }
  return compare_numbers(a->depth, b->depth);
}

static int compare_item_identities(const struct view_item *a,
                                   const struct view_item *b) {
  int order = compare_numbers(a->row, b->row);
  if (!order)
    order = compare_spans(&a->site, &b->site);
  if (!order)
    order = compare_numbers(a->kind, b->kind);
  if (!order)
    order = compare_numbers(a->owner, b->owner);
  if (!order)
    order = view_compare_paths(a, b);
  if (!order)
    order = compare_numbers(a->name, b->name);
  return order ? order : compare_spans(&a->span, &b->span);
}

static int (*sorted_identity)(const struct view_item *a,
                              const struct view_item *b);

static int compare_items(const void *left, const void *right) {
  const struct view_item *a = left, *b = right;
  int order = sorted_identity(a, b);
  return order ? order : compare_numbers(a->index, b->index);
}

/* Adds an instantiation to an item. For a decision, the page shows the
 * instantiation with the best coverage. */
static void merge_item(struct view_item *to, const struct view_item *item) {
  to->counts[0] = add_saturated(to->counts[0], item->counts[0]);
  to->counts[1] = add_saturated(to->counts[1], item->counts[1]);
  to->constant &= item->constant;
  to->cause = to->cause ? to->cause : item->cause;
  to->instantiation_count++;
  if (item->shown <= to->shown)
    return;
  to->function = item->function;
  to->index = item->index;
  to->shown = item->shown;
  to->hidden = item->hidden;
}

size_t view_unite_items(struct view_item *list, size_t count,
                        const struct buffer *paths,
                        int (*identity)(const struct view_item *a,
                                        const struct view_item *b)) {
  size_t kept = 0, first = 0, turn = 0;
  uint32_t function = NO_SITE;
  sorted_paths = (const uint64_t *)(void *)paths->data;
  sorted_identity = identity;
  sort_array(list, count, sizeof *list, compare_items);
  for (size_t i = 0; i < count; i++) {
    if (!kept || identity(&list[first], &list[i])) {
      first = kept;
      turn = 0;
    } else {
      bool again = list[i].function == function && function != NO_SITE;
      turn = again ? turn + 1 : 0;
    }
    function = list[i].function;
    if (first + turn == kept)
      list[kept++] = list[i];
    else
      merge_item(&list[first + turn], &list[i]);
  }
  return kept;
}

unsigned view_missing_outcomes(const struct view_item *branch) {
  return ((branch->counts[0] ? 0u : TRUE_SIDE) |
          (branch->counts[1] ? 0u : FALSE_SIDE)) &
         ~branch->constant;
}

/* Sets the numbers of missing branches and lines of functions. Missing
 * conditions are counted later, when the pages are written. */
static void set_missing_counts(struct model_view *view) {
  for (size_t i = 0; i < view->item_count; i++) {
    const struct view_item *item = &view->items[i];
    struct view_function *owner = &view->functions[item->owner];
    unsigned sides = view_missing_outcomes(item);
    if (item->kind == VIEW_BRANCH)
      owner->branches += (sides & 1) + (sides >> 1);
  }
  for (size_t i = 0; i < view->function_count; i++) {
    struct view_function *one = &view->functions[i];
    one->lines = lines_count_missed(&view->lines[one->row], one->span.line,
                                    one->span.end_line);
  }
}

static void set_use_sites(struct model_view *view) {
  size_t rows = view->exported->summary.count;
  view->uses = need_memory(calloc(rows + 1, sizeof *view->uses));
  for (size_t i = 0; i < view->item_count; i++) {
    const struct view_item *item = &view->items[i];
    if (item->name == item->row || item->name >= rows)
      continue;
    struct view_use_sites *uses = &view->uses[item->name];
    if (!uses->count++)
      uses->first = (uint32_t)i;
  }
}

static void list_view_items(struct model_view *view) {
  const struct model *exported = view->exported;
  size_t most = exported->branches.size / sizeof(struct model_branch) +
                exported->decisions.size / sizeof(struct model_decision);
  view->items = need_memory(malloc((most + 1) * sizeof *view->items));
  for (size_t i = 0; i < view->instantiation_count; i++) {
    add_branch_items(view, &view->instantiations[i]);
    add_decision_items(view, &view->instantiations[i]);
  }
  view->item_count = view_unite_items(view->items, view->item_count,
                                      &view->paths, compare_item_identities);
  set_missing_counts(view);
  set_use_sites(view);
}

/* ---- the view ---- */

void view_make(struct model_view *view, const struct model *exported) {
  *view = (struct model_view){.exported = exported,
                              .texts.limit = UINT32_MAX,
                              .paths.limit = UINT32_MAX};
  size_t rows = exported->summary.count;
  view->lines = need_memory(calloc(rows + 1, sizeof *view->lines));
  for (size_t i = 0; i < rows; i++)
    view->lines[i] = lines_make(exported, i);
  list_view_functions(view);
  list_view_items(view);
}

void view_free(struct model_view *view) {
  for (size_t i = 0; view->lines && i < view->exported->summary.count; i++)
    lines_free(&view->lines[i]);
  free(view->lines);
  free(view->functions);
  free(view->instantiations);
  free(view->items);
  free(view->uses);
  buffer_free(&view->paths);
  arena_free(&view->texts);
  *view = (struct model_view){0};
}

/* ---- plain names ----
 *
 * One run of llvm-cxxfilt demangles all names, one name per line.
 */

static bool is_mangled(const char *name) {
  return (strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0) &&
         !strchr(name, '\n');
}

static size_t print_mangled_names(const struct model_view *view, FILE *lines) {
  size_t count = 0;
  for (size_t i = 0; i < view->function_count; i++)
    if (is_mangled(view->functions[i].name)) {
      fprintf(lines, "%s\n", view->functions[i].name);
      count++;
    }
  fflush(lines);
  return count;
}

static void set_demangled_names(struct model_view *view,
                                const struct buffer *plain) {
  const char *at = (const char *)plain->data, *end = at + plain->size;
  for (size_t i = 0; i < view->function_count; i++) {
    struct view_function *one = &view->functions[i];
    const char *line = at < end && is_mangled(one->name)
                           ? memchr(at, '\n', (size_t)(end - at))
                           : NULL;
    if (!line)
      continue;
    one->name = need_memory(arena_copy(&view->texts, at, (size_t)(line - at)));
    at = line + 1;
  }
}

void view_demangle(struct model_view *view, unsigned release) {
  struct buffer plain = {.data = NULL};
  FILE *lines = os_temporary_file();
  if (lines && print_mangled_names(view, lines) &&
      demangle_lines(release, lines, &plain))
    set_demangled_names(view, &plain);
  buffer_free(&plain);
  if (lines)
    fclose(lines);
}
