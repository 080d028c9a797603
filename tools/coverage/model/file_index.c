/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file lists the branches of each source for lcov and Cobertura. A branch
 * in a macro counts where the macro is used. The branch's path is the position
 * of that use, then the positions of the macros in between. Branches with equal
 * paths and equal positions in the macro are instantiations. The exception is a
 * function that has several such branches, because all conditions in a macro's
 * argument are at the position of the parameter.
 */
#include "view.h"

#include "../../base/compare.h"
#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../base/number.h"

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
                               .places.limit = LIST_MOST};
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
  buffer_free(&files->places);
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

/* The parameter `function` has the same meaning as in struct file_branch. */
static void append_branch(struct file_index *files, uint32_t function,
                          const struct model_branch *branch,
                          const uint64_t *path, uint32_t depth) {
  const struct file_branch made = {
      .line = (uint32_t)(path[0] >> 32),
      .span = branch->span,
      .counts = {branch->counts[0], branch->counts[1]},
      .path = {(uint32_t)(files->places.size / sizeof *path), depth},
      .constant = files->exported->as_llvm_cov ? 0 : branch->constant,
      .number = (uint32_t)(files->branches.size / sizeof made),
      .function = function};
  need_append(&files->places, path, depth * sizeof *path);
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

/* ---- order ---- */

static const uint64_t *sorted_places;

static int compare_paths(const struct file_branch *a,
                         const struct file_branch *b) {
  const uint64_t *x = sorted_places + a->path.begin;
  const uint64_t *y = sorted_places + b->path.begin;
  for (uint32_t i = 0; i < a->path.count && i < b->path.count; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return compare_numbers(a->path.count, b->path.count);
}

static int compare_spans(const struct file_branch *a,
                         const struct file_branch *b) {
  int order = compare_numbers(span_begin(&a->span), span_begin(&b->span));
  return order ? order
               : compare_numbers(span_end(&a->span), span_end(&b->span));
}

static int compare_branch_uses(const void *left, const void *right) {
  const struct file_branch *a = left, *b = right;
  int order = compare_paths(a, b);
  if (!order)
    order = compare_spans(a, b);
  return order ? order : compare_numbers(a->number, b->number);
}

ORDER_BY(by_column, struct file_branch, x->line, x->span.column, x->number);

/* Unites instantiations of a branch. The branches with the same path and
 * position begin at index `first` and are sorted by function. */
static size_t merge_branch_instances(struct file_branch *list, size_t count) {
  size_t kept = 0, first = 0, turn = 0;
  uint32_t function = NO_SITE;
  for (size_t i = 0; i < count; i++) {
    if (!kept || compare_paths(&list[first], &list[i]) ||
        compare_spans(&list[first], &list[i])) {
      first = kept;
      turn = 0;
    } else {
      bool again = list[i].function == function && function != NO_SITE;
      turn = again ? turn + 1 : 0;
    }
    function = list[i].function;
    struct file_branch *to = &list[first + turn];
    if (first + turn == kept) {
      list[kept++] = list[i];
      continue;
    }
    to->constant &= list[i].constant;
    for (unsigned k = 0; k < 2; k++)
      to->counts[k] = add_saturated(to->counts[k], list[i].counts[k]);
  }
  return kept;
}

const struct file_branch *file_index_list_branches(struct file_index *files,
                                                   size_t row, size_t *count) {
  files->branches.size = files->places.size = 0;
  for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++)
    append_function_branches(files, row, files->functions[i]);
  struct file_branch *made = (struct file_branch *)(void *)files->branches.data;
  *count = files->branches.size / sizeof *made;
  sorted_places = (const uint64_t *)(void *)files->places.data;
  if (*count)
    sort_array(made, *count, sizeof *made,
               unites_branches(files) ? compare_branch_uses : by_column);
  if (unites_branches(files))
    *count = merge_branch_instances(made, *count);
  return made;
}
