/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The outputs read a model through three lists, which this file makes: the view
 * for the pages, the table of places for other formats, and the list of numbers
 * that are not known.
 */
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/demangle.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/os.h"
#include "places.h"

/* ==== This part makes the view by sorting, which puts the instantiations of a
 * position next to each other. All macros around a position identify it,
 * because a macro may use another macro twice. All conditions in a macro's
 * argument are at the position of the parameter. If such conditions belong to
 * one instantiation, they are adjacent and stay separate. */

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
      last->calls = add_saturated(last->calls, one->count);
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

/* Sets the numbers of conditions with and without an independence pair. */
static void set_condition_totals(const struct model_view *view,
                                 struct view_item *item,
                                 const struct model_decision *decision) {
  const struct model *from = view->exported;
  uint32_t at = decision->conditions.begin;
  for (uint32_t end = at + decision->conditions.count; at < end; at++) {
    bool shown = model_conditions(from)[at] != 0;
    item->shown += shown;
    item->hidden += !shown && model_condition_counts(from, at);
  }
}

static void add_branch_items(struct model_view *view,
                             const struct view_instantiation *instantiation) {
  const struct model_function *function =
      &model_functions(view->exported)[instantiation->function];
  for (uint32_t i = 0; i < function->branches.count; i++) {
    const struct model_branch *branch =
        &model_branches_of(view->exported, function)[i];
    struct view_item *item = &view->items[view->item_count];
    *item = (struct view_item){.owner = instantiation->owner,
                               .function = instantiation->function,
                               .index = function->branches.begin + i,
                               .span = branch->span,
                               .kind = VIEW_BRANCH,
                               .counts = {branch->counts[0], branch->counts[1]},
                               .constant = branch->constant,
                               .cause = branch->cause};
    locate_and_keep_item(view, branch->file);
  }
}

/* Returns the index of the file that contains a decision. Exports without
 * vectors do not have this file, so the file of a condition is used. */
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
                               const struct view_instantiation *instantiation) {
  const struct model_function *function =
      &model_functions(view->exported)[instantiation->function];
  for (uint32_t i = 0; i < function->decisions.count; i++) {
    const struct model_decision *decision =
        &model_decisions_of(view->exported, function)[i];
    if (!decision->conditions.count)
      continue;
    struct view_item *item = &view->items[view->item_count];
    *item = (struct view_item){.owner = instantiation->owner,
                               .function = instantiation->function,
                               .index = function->decisions.begin + i,
                               .span = decision->span,
                               .kind = VIEW_DECISION,
                               .cause = decision->cause};
    set_condition_totals(view, item, decision);
    locate_and_keep_item(view, find_decision_file(view, function, decision));
  }
}

static const uint64_t *sorted_paths;

/* Compares the macros around two items. Only a function that is passed to
 * view_unite_items may call this one, because that sets sorted_paths. */
static int view_compare_paths(const struct view_item *a,
                              const struct view_item *b) {
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

/* Sorts items by identity, then by index, and unites the items of one identity.
 * The second item of one instantiation is united with the second item of each
 * other instantiation, and so on; all items without a function (NO_SITE) are
 * one. Returns the number of items that remain. */
static size_t view_unite_items(struct view_item *list, size_t count,
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

/* ==== This part makes the table of places. The branches of a source come from
 * the functions that use the source. */

enum { LIST_MOST = 1 << 30 };

/* ---- functions ---- */

static const uint32_t *
get_function_files(const struct file_index *files,
                   const struct model_function *function) {
  return model_files_of(files->exported, function);
}

static bool is_first_of_name(const uint32_t *names, uint32_t which) {
  for (uint32_t i = 0; i < which; i++)
    if (names[i] == names[which])
      return false;
  return true;
}

/* The first pass (store == false) counts the functions of each source, the
 * second pass stores them. */
static void count_or_store_functions(struct file_index *files, bool store) {
  const struct model *exported = files->exported;
  for (uint32_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *one = &model_functions(exported)[i];
    const uint32_t *names = get_function_files(files, one);
    for (uint32_t k = 0; k < one->files.count; k++) {
      if (!is_first_of_name(names, k))
        continue;
      uint32_t *at = &files->begin[names[k] + 1];
      if (store)
        files->functions[*at] = i;
      ++*at;
    }
  }
}

void file_index_make(struct file_index *files, const struct model *exported,
                     unsigned release) {
  size_t count = exported->name_count;
  *files = (struct file_index){.exported = exported,
                               .release = release,
                               .branches.limit = LIST_MOST,
                               .paths.limit = LIST_MOST};
  files->begin = need_memory(calloc(count + 2, sizeof *files->begin));
  files->functions = need_memory(malloc(exported->files.size + 1));
  count_or_store_functions(files, false);
  for (size_t i = 0, total = 0; i <= count; i++) {
    size_t size = files->begin[i + 1];
    files->begin[i + 1] = (uint32_t)total;
    total += size;
  }
  count_or_store_functions(files, true);
}

void file_index_free(struct file_index *files) {
  free(files->begin);
  free(files->functions);
  buffer_free(&files->branches);
  buffer_free(&files->paths);
}

/* ---- branches ---- */

static bool unites_branches(const struct file_index *files) {
  return !files->release || files->release >= UNITED_FIRST;
}

bool file_index_owns_branch(const struct file_index *files,
                            const struct model_function *function,
                            const struct model_branch *branch, size_t row) {
  return (!branch->file || unites_branches(files)) &&
         get_function_files(files, function)[branch->file] == row;
}

/* Adds a branch on the line where it counts. `function` is the function that
 * uses the branch, or NO_SITE if the branch is listed where its macro is
 * defined. `path` has the uses of the macros, outermost first; without macros,
 * the branch's own position. */
static void append_branch(struct file_index *files, uint32_t function,
                          const struct model_branch *branch,
                          const uint64_t *path, uint32_t depth) {
  const struct view_item made = {
      .site = {.line = (uint32_t)(path[0] >> 32)},
      .span = branch->span,
      .function = function,
      .index = (uint32_t)(files->branches.size / sizeof made),
      .depth = depth,
      .path = (uint32_t)(files->paths.size / sizeof *path),
      .counts = {branch->counts[0], branch->counts[1]},
      .constant = files->exported->as_llvm_cov ? 0 : branch->constant};
  need_append(&files->paths, path, depth * sizeof *path);
  need_append(&files->branches, &made, sizeof made);
}

static void append_function_branches(struct file_index *files, size_t row,
                                     uint32_t number) {
  const struct model_function *function =
      &model_functions(files->exported)[number];
  const struct model_branch *branches =
      model_branches_of(files->exported, function);
  bool main = function->main < function->files.count &&
              get_function_files(files, function)[function->main] == row;
  for (uint32_t i = 0; i < function->branches.count; i++) {
    const struct model_branch *one = &branches[i];
    uint64_t path[NESTED_MOST] = {span_begin(&one->span)};
    struct source_span span;
    uint32_t file = one->file;
    if (one->constant == 3)
      continue;
    /* clang does not record the expansion of a macro inside a macro in a loop's
     * condition. */
    bool lost =
        get_function_files(files, function)[one->file] == row &&
        one->file != function->main &&
        files->exported->sites[function->files.begin + one->file] == NO_SITE;
    if (lost || file_index_owns_branch(files, function, one, row))
      append_branch(files, NO_SITE, one, path, 1);
    uint32_t depth = main ? model_move_to_macro_use(files->exported, function,
                                                    &file, &span, path)
                          : 0;
    if (depth && file == function->main)
      append_branch(files, number, one, path, depth);
  }
}

static int compare_uses(const struct view_item *a, const struct view_item *b) {
  int order = view_compare_paths(a, b);
  if (!order)
    order = compare_numbers(span_begin(&a->span), span_begin(&b->span));
  return order ? order
               : compare_numbers(span_end(&a->span), span_end(&b->span));
}

ORDER_BY(by_column, struct view_item, x->site.line, x->span.column, x->index);

/* Returns the branches of a source, sorted by line. The list lasts until the
 * next call. */
static const struct view_item *list_branches(struct file_index *files,
                                             size_t row, size_t *count) {
  files->branches.size = files->paths.size = 0;
  for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++)
    append_function_branches(files, row, files->functions[i]);
  struct view_item *made = (struct view_item *)(void *)files->branches.data;
  *count = files->branches.size / sizeof *made;
  if (unites_branches(files))
    *count = view_unite_items(made, *count, &files->paths, compare_uses);
  else
    sort_array(made, *count, sizeof *made, by_column);
  return made;
}

/* ---- a source ---- */

static int compare_functions(const void *left, const void *right) {
  const struct place *a = left, *b = right;
  int order = compare_numbers(a->line, b->line);
  return order ? order : strcmp(a->name, b->name);
}

/* Adds the functions whose first file is this source. */
static void add_functions(struct places *places, const struct file_index *files,
                          size_t row) {
  const struct model *exported = files->exported;
  for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++) {
    const struct model_function *one =
        &model_functions(exported)[files->functions[i]];
    const struct model_region *body = model_regions_of(exported, one);
    if (one->regions.count && get_function_files(files, one)[0] == row)
      LIST_ADD(places->list, places->count,
               (struct place){.name = one->name,
                              .hits = {one->count},
                              .line = body->span.line,
                              .column = body->span.column,
                              .number = body->variant,
                              .metric = FUNCTIONS});
  }
}

/* Sorts the functions of a file, which begin at an index. Unites functions that
 * several ELFs contain. */
static void sort_and_merge_functions(struct places *places, size_t begin) {
  struct place *list = places->list;
  size_t kept = begin;
  sort_array(list + begin, places->count - begin, sizeof *list,
             compare_functions);
  for (size_t i = begin; i < places->count; i++)
    if (kept > begin && compare_functions(&list[kept - 1], &list[i]) == 0)
      list[kept - 1].hits[0] =
          add_saturated(list[kept - 1].hits[0], list[i].hits[0]);
    else
      list[kept++] = list[i];
  places->count = kept;
}

/* Adds each line, and after it the line's branches. Some branches may be after
 * the last line. */
static void add_lines(struct places *places, struct file_index *files,
                      size_t row) {
  struct source_lines lines = lines_make(files->exported, row);
  size_t count, at = 0;
  const struct view_item *branches = list_branches(files, row, &count);
  uint32_t number = 0;
  for (uint32_t i = 1; i < lines.count || at < count; i++) {
    if (i < lines.count && lines.list[i].counted)
      LIST_ADD(places->list, places->count,
               (struct place){
                   .hits = {lines.list[i].count}, .line = i, .metric = LINES});
    for (; at < count && (branches[at].site.line <= i || i >= lines.count);
         at++) {
      const struct view_item *one = &branches[at];
      number = at && one[-1].site.line == one->site.line ? number + 1 : 0;
      LIST_ADD(places->list, places->count,
               (struct place){.hits = {one->counts[0], one->counts[1]},
                              .line = one->site.line,
                              .number = number,
                              .constant = (unsigned char)one->constant,
                              .metric = BRANCHES});
    }
  }
  lines_free(&lines);
}

void places_add_source(struct places *places, struct file_index *files,
                       size_t row, bool unite) {
  size_t begin = places->count;
  add_functions(places, files, row);
  if (unite)
    sort_and_merge_functions(places, begin);
  add_lines(places, files, row);
  if (places->count != begin)
    LIST_ADD(
        places->files, places->file_count,
        (struct place_file){files->exported->names[row], begin, places->count});
}

/* ---- the table ---- */

size_t places_folder_size(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? (size_t)(slash - file) : 0;
}

bool places_is_same_folder(const char *a, const char *b) {
  size_t size = places_folder_size(a);
  return size == places_folder_size(b) && memcmp(a, b, size) == 0;
}

int places_compare_files(const char *a, const char *b) {
  int order = compare_bytes(a, places_folder_size(a), b, places_folder_size(b));
  return order ? order : strcmp(a, b);
}

/* Compares two pointers to names. */
static int compare_names(const void *left, const void *right) {
  const char *const *const *x = left, *const *const *y = right;
  return places_compare_files(**x, **y);
}

void places_make(struct places *places, const struct model *exported,
                 unsigned release) {
  struct file_index files;
  size_t count = exported->summary.count;
  *places = (struct places){.list = NULL};
  const char *const **rows = need_memory(malloc((count + 1) * sizeof *rows));
  file_index_make(&files, exported, release);
  for (size_t i = 0; i < count; i++)
    rows[i] = &exported->names[i];
  sort_array(rows, count, sizeof *rows, compare_names);
  for (size_t i = 0; i < count; i++)
    places_add_source(places, &files, (size_t)(rows[i] - exported->names),
                      true);
  file_index_free(&files);
  free(rows);
}

void places_free(struct places *places) {
  free(places->list);
  free(places->files);
  *places = (struct places){.list = NULL};
}

/* ==== This part lists the numbers of a model that are not known, for the table
 * and JSON. A number in a macro is listed where the macro is used, as on the
 * pages. The causes come from scores.c (whole functions), evaluate.c,
 * constexpr.c, tries.c, decisions.c, and ../mcdc/unmeasured.c. truth.c corrects
 * the causes in segments, from which segments_line_count (segments.c) decides
 * whether a line has one. */

const char *const cause_texts[CAUSES] = {
    [CAUSE_NEGATIVE] = "a count would be below 0, for example after setjmp, "
                       "while a task waits inside a call, or after a 4-byte "
                       "counter stopped at 2^31",
    [CAUSE_LOST] = "clang lost the count, as in a macro of a system header",
    [CAUSE_HIDDEN] = "a macro of a system header hides operators",
    [CAUSE_CONTRARY] = "vectors and counts contradict each other, for example "
                       "while a task waits inside a call",
    [CAUSE_NEGATED] = "clang measures the negated part wrongly",
    [CAUSE_EMPTY] = "clang's mapping lacks some conditions",
    [CAUSE_MACRO] = "a macro may hide a ! in front of a part",
    [CAUSE_CONSTEXPR] = "a jump in an if constexpr, a computed goto or an asm "
                        "goto hides its count",
    [CAUSE_ACTIVE] = "the call before, which led to a dump, may not have "
                     "returned",
    [CAUSE_ARGUMENT] = "a macro does not show how often it ran this part of an "
                       "argument",
    [CAUSE_THROWN] = "an exception may have left the try before",
    [CAUSE_MAPPING] = "clang's mapping of the function is damaged",
    [CAUSE_FLOW] = "the outcomes do not follow from the counts of the code",
    [CAUSE_TWINS] = "functions of several files have this name, and the counts "
                    "may be from another one"};

ORDER_BY(by_place, struct unknown_number, x->cause, x->metric, x->name, x->line,
         x->column);

static void append_unknown_number(struct buffer *list,
                                  const struct model *exported,
                                  const struct model_function *function,
                                  uint32_t file, struct source_span span,
                                  struct unknown_number found) {
  uint64_t path[NESTED_MOST];
  if (!found.cause)
    return;
  model_move_to_macro_use(exported, function, &file, &span, path);
  found.name = model_files_of(exported, function)[file];
  found.line = span.line;
  found.column = span.column;
  if (found.name < exported->summary.count)
    need_append(list, &found, sizeof found);
}

static void append_function_unknowns(struct buffer *list,
                                     const struct model *exported,
                                     const struct model_function *function) {
  const struct model_region *body = model_regions_of(exported, function);
  const struct model_branch *branch = model_branches_of(exported, function);
  const struct model_decision *one = model_decisions_of(exported, function);
  if (function->regions.count && body->cause >= CAUSE_MAPPING)
    append_unknown_number(list, exported, function, body->file, body->span,
                          (struct unknown_number){.metric = FUNCTIONS,
                                                  .cause = body->cause,
                                                  .function = function->name});
  for (uint32_t i = 0; i < function->branches.count; i++, branch++)
    append_unknown_number(
        list, exported, function, branch->file, branch->span,
        (struct unknown_number){.metric = BRANCHES, .cause = branch->cause});
  for (uint32_t i = 0; i < function->decisions.count; i++, one++)
    if (one->cause != CAUSE_NEGATED && one->cause != CAUSE_EMPTY)
      append_unknown_number(
          list, exported, function, one->file, one->span,
          (struct unknown_number){.metric = MCDC, .cause = one->cause});
}

static void append_line_unknowns(struct buffer *list,
                                 const struct model *exported, uint32_t row) {
  const struct slice *slice = &exported->segments[row];
  const struct segment *all = model_segments(exported) + slice->begin;
  struct source_lines lines = {.count = 0};
  bool any = false;
  for (uint32_t i = 0; i < slice->count; i++)
    any |= all[i].cause;
  if (any)
    lines = lines_make(exported, row);
  for (uint32_t i = 1; i < lines.count; i++)
    if (lines.list[i].cause)
      need_append(
          list,
          &(struct unknown_number){row, i, 0, LINES, lines.list[i].cause, NULL},
          sizeof(struct unknown_number));
  lines_free(&lines);
}

void unknown_numbers_append(const struct model *exported, struct buffer *list) {
  for (size_t i = 0; i < model_function_count(exported); i++)
    append_function_unknowns(list, exported, &model_functions(exported)[i]);
  for (uint32_t i = 0; i < exported->summary.count; i++)
    append_line_unknowns(list, exported, i);
  struct unknown_number *all = (struct unknown_number *)(void *)list->data;
  size_t count = list->size / sizeof *all, kept = 0;
  if (count)
    sort_array(all, count, sizeof *all, by_place);
  for (size_t i = 0; i < count; i++)
    if (!kept || by_place(&all[kept - 1], &all[i]))
      all[kept++] = all[i];
  list->size = kept * sizeof *all;
}
