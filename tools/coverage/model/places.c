/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file makes the table of places. The branches of a source come from the
 * functions that use the source.
 */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "view.h"

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

/* The first pass (put == false) counts the functions of each source, the second
 * pass stores them. */
static void count_or_store_functions(struct file_index *files, bool put) {
  const struct model *exported = files->exported;
  for (uint32_t i = 0; i < model_function_count(exported); i++) {
    const struct model_function *one = &model_functions(exported)[i];
    const uint32_t *names = get_function_files(files, one);
    for (uint32_t k = 0; k < one->files.count; k++) {
      if (!is_first_of_name(names, k))
        continue;
      uint32_t *at = &files->begin[names[k] + 1];
      if (put)
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
                              .number = body->form,
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
