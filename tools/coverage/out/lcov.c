/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file lists the functions, lines and branches of a model for the writers
 * of formats, and writes the list as lcov's tracefile. Each source has these
 * records, and then sums:
 *   SF:FILE, FN:LINE,NAME, FNDA:HITS,NAME, DA:LINE,HITS,
 *   BRDA:LINE,BLOCK,BRANCH,TAKEN (-: the condition was never evaluated),
 *   MCDC:LINE,CONDITIONS,t or f,COVERED,NUMBER,TEXT (lcov 2), end_of_record
 */
#include "out.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../model/view.h"
#include "../model/coverage_model.h"

/* ---- entries ---- */

static void append_lcov_entry(struct lcov_list *lcov, struct lcov_entry entry) {
  LIST_ADD(lcov->entries, lcov->count, entry);
}

ORDER_BY(compare_lines, struct lcov_entry, x->line);

static int compare_functions(const void *left, const void *right) {
  const struct lcov_entry *a = left, *b = right;
  int order = compare_lines(a, b);
  return order ? order : strcmp(a->name, b->name);
}

/* Sorts the functions of a file, from index `begin` on. Merges functions that
 * several ELFs contain. */
static void sort_and_merge_functions(struct lcov_list *lcov, size_t begin) {
  struct lcov_entry *list = lcov->entries;
  size_t kept = begin, end = begin;
  while (end < lcov->count && list[end].kind == LCOV_FUNCTION)
    end++;
  sort_array(list + begin, end - begin, sizeof *list, compare_functions);
  for (size_t i = begin; i < lcov->count; i++) {
    if (i < end && kept > begin &&
        compare_functions(&list[kept - 1], &list[i]) == 0)
      list[kept - 1].hits = add_saturated(list[kept - 1].hits, list[i].hits);
    else
      list[kept++] = list[i];
  }
  lcov->count = kept;
}

/* Adds the functions whose first file is this source. */
static void add_function_entries(struct lcov_list *lcov,
                                 const struct file_index *files, size_t row) {
  const struct model *exported = files->exported;
  for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++) {
    const struct model_function *one =
        &model_functions(exported)[files->functions[i]];
    const struct model_region *body = model_regions_of(exported, one);
    if (one->regions.count && model_files(exported)[one->files.begin] == row)
      append_lcov_entry(
          lcov, (struct lcov_entry){.file = exported->names[row],
                                    .name = one->name,
                                    .kind = LCOV_FUNCTION,
                                    .branch = lcov_pack_column_and_number(
                                        body->span.column, body->form),
                                    .line = body->span.line,
                                    .hits = one->count});
  }
}

/* Adds each line, and after it the possible outcomes of its branches. The
 * branches are sorted by line; some may be after the last line. */
static void add_line_entries(struct lcov_list *lcov,
                             const struct source_lines *lines,
                             const struct file_branch *branches, size_t count,
                             const char *file) {
  uint32_t block = 0;
  for (size_t i = 1, at = 0; i < lines->count || at < count; i++) {
    if (i < lines->count && lines->list[i].counted)
      append_lcov_entry(lcov,
                        (struct lcov_entry){.file = file,
                                            .kind = LCOV_LINE,
                                            .line = (uint32_t)i,
                                            .hits = lines->list[i].count});
    for (; at < count && (branches[at].line <= i || i >= lines->count); at++) {
      const struct file_branch *one = &branches[at];
      block = at && one[-1].line == one->line ? block + 1 : 0;
      for (unsigned side = 0; side < 2; side++)
        if (!(one->constant >> side & 1))
          append_lcov_entry(lcov,
                            (struct lcov_entry){.file = file,
                                                .kind = LCOV_BRANCH,
                                                .line = one->line,
                                                .branch = 2 * block + side,
                                                .hits = one->counts[side]});
    }
  }
}

/* Adds a file: its functions in the order of the model, then its lines with
 * their branches. */
static void add_file_entries(struct lcov_list *lcov, struct file_index *files,
                             size_t row) {
  struct source_lines lines = lines_make(files->exported, row);
  size_t count;
  const struct file_branch *branches =
      file_index_list_branches(files, row, &count);
  add_function_entries(lcov, files, row);
  add_line_entries(lcov, &lines, branches, count, files->exported->names[row]);
  lines_free(&lines);
}

/* ---- order ---- */

size_t lcov_folder_size(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? (size_t)(slash - file) : 0;
}

bool lcov_is_same_folder(const char *a, const char *b) {
  size_t size = lcov_folder_size(a);
  return size == lcov_folder_size(b) && memcmp(a, b, size) == 0;
}

int lcov_compare_folder_then_name(const char *a, const char *b) {
  int order = compare_bytes(a, lcov_folder_size(a), b, lcov_folder_size(b));
  return order ? order : strcmp(a, b);
}

/* Compares two pointers to names, first by folder, then by name. */
static int compare_names(const void *left, const void *right) {
  const char *const *const *x = left, *const *const *y = right;
  return lcov_compare_folder_then_name(**x, **y);
}

void lcov_make_list(struct lcov_list *lcov, const struct model *exported,
                    unsigned release) {
  struct file_index files;
  size_t count = exported->summary.count;
  *lcov = (struct lcov_list){.entries = NULL};
  const char *const **rows = need_memory(malloc((count + 1) * sizeof *rows));
  file_index_make(&files, exported, release);
  for (size_t i = 0; i < count; i++)
    rows[i] = &exported->names[i];
  sort_array(rows, count, sizeof *rows, compare_names);
  for (size_t i = 0; i < count; i++) {
    size_t begin = lcov->count;
    add_file_entries(lcov, &files, (size_t)(rows[i] - exported->names));
    sort_and_merge_functions(lcov, begin);
  }
  file_index_free(&files);
  free(rows);
}

void lcov_free_list(struct lcov_list *lcov) {
  free(lcov->entries);
  *lcov = (struct lcov_list){.entries = NULL};
}

/* ---- the tracefile ---- */

/* Writes a name, with \n for a line end, which would begin a new record. */
static void print_lcov_text(struct text_stream *text, const char *name) {
  for (const char *end; (end = strchr(name, '\n')); name = end + 1) {
    text_put_bytes(text, name, (size_t)(end - name));
    text_put_string(text, "\\n");
  }
  text_put_string(text, name);
}

static void PRINTS_AS(2, 3)
    print_lcov_format(struct text_stream *text, const char *format, ...) {
  va_list values;
  va_start(values, format);
  text_put_format(text, print_lcov_text, format, values);
  va_end(values);
}

/* Returns whether the entry at an index is the other outcome of a branch, and
 * whether this outcome occurred. */
static bool is_opposite_side_taken(const struct lcov_list *lcov, size_t at,
                                   const struct lcov_entry *side) {
  const struct lcov_entry *one = &lcov->entries[at];
  return at < lcov->count && one->kind == LCOV_BRANCH &&
         one->line == side->line && one->branch == (side->branch ^ 1) &&
         one->hits;
}

/* Writes the branches. The two outcomes of a branch are neighbours. `most` is a
 * mask for counts, because llvm-cov writes only 32 bits here. */
static void print_branches(struct text_stream *text,
                           const struct lcov_list *lcov, uint64_t most) {
  for (size_t i = 0; i < lcov->count; i++) {
    const struct lcov_entry *one = &lcov->entries[i];
    if (one->kind != LCOV_BRANCH)
      continue;
    print_lcov_format(text, "BRDA:%u,%u,%u,", one->line, one->branch / 2u,
                      (unsigned)one->branch);
    if (one->hits ||
        is_opposite_side_taken(lcov, one->branch % 2 ? i - 1 : i + 1, one))
      print_lcov_format(text, "%ju\n", one->hits & most);
    else
      text_put_string(text, "-\n");
  }
}

/* ---- MC/DC ---- */

static int compare_decisions(const void *left, const void *right) {
  const struct model_decision *const *a = left, *const *b = right;
  const struct source_span *x = &(*a)->span, *y = &(*b)->span;
  int order = (x->line > y->line) - (x->line < y->line);
  if (!order)
    order = (x->column > y->column) - (x->column < y->column);
  return order ? order
               : ((*a)->conditions.count > (*b)->conditions.count) -
                     ((*a)->conditions.count < (*b)->conditions.count);
}

/* Returns the decisions of a source, sorted. The caller frees the list. */
static const struct model_decision **
list_decisions(const struct file_index *files, size_t row, size_t *count) {
  const struct model *exported = files->exported;
  const struct model_decision **list = NULL;
  *count = 0;
  for (uint32_t i = files->begin[row]; i < files->begin[row + 1]; i++) {
    const struct model_function *one =
        &model_functions(exported)[files->functions[i]];
    const uint32_t *names = model_files_of(exported, one);
    for (uint32_t k = 0; k < one->decisions.count; k++) {
      const struct model_decision *at = &model_decisions_of(exported, one)[k];
      if (names[at->file] == row)
        LIST_ADD(list, *count, at);
    }
  }
  if (*count)
    sort_array(list, *count, sizeof *list, compare_decisions);
  return list;
}

/* Writes the decisions of a line as one group, because lcov tells groups of a
 * line apart only by their sizes. `end` is the index after the line's last
 * decision. One independence pair covers both outcomes of a condition. */
static void print_line_decisions(struct text_stream *text,
                                 const struct model *exported,
                                 const struct model_decision **list,
                                 const struct model_decision **end) {
  uint32_t size = 0, number = 0;
  for (const struct model_decision **at = list; at < end; at++)
    size += at == list || compare_decisions(at - 1, at)
                ? (*at)->conditions.count
                : 0;
  for (const struct model_decision **next; list < end; list = next) {
    for (next = list + 1; next < end && compare_decisions(list, next) == 0;)
      next++;
    uint32_t count = (*list)->conditions.count;
    for (uint32_t i = 0; i < count; i++, number++) {
      bool covered = false;
      for (const struct model_decision **at = list; at < next; at++)
        covered |= model_conditions(exported)[(*at)->conditions.begin + i];
      for (unsigned sense = 0; sense < 2; sense++)
        print_lcov_format(
            text, "MCDC:%u,%u,%s,%u,%u,condition %u of %u at column %u\n",
            (*list)->span.line, size, sense ? "f" : "t", covered, number, i + 1,
            count, (*list)->span.column);
    }
  }
}

static void print_decisions(struct text_stream *text,
                            const struct file_index *files, size_t row) {
  const struct score *score = &files->exported->summary.rows[row].scores[MCDC];
  size_t count;
  const struct model_decision **list = list_decisions(files, row, &count);
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1;
         end < count && list[end]->span.line == list[i]->span.line;)
      end++;
    print_line_decisions(text, files->exported, list + i, list + end);
  }
  if (count)
    print_lcov_format(text, "MCF:%ju\nMCH:%ju\n", 2 * score->count,
                      2 * score->covered);
  free(list);
}

/* Writes the name of a test. lcov allows only letters, digits and underscores
 * in it. */
static void print_test_name(struct text_stream *text, const char *test) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkl"
                              "mnopqrstuvwxyz0123456789";
  text_put_string(text, "TN:");
  for (; *test; test++)
    text_put_string(text,
                    strchr(plain, *test) ? (const char[]){*test, 0} : "_");
  text_put_string(text, "\n");
}

static void print_lcov_file(struct text_stream *text, struct file_index *files,
                            size_t row) {
  const struct score *scores = files->exported->summary.rows[row].scores;
  struct lcov_list file = {.entries = NULL};
  size_t count = 0; /* number of functions */
  add_file_entries(&file, files, row);
  print_lcov_format(text, "SF:%s\n", files->exported->names[row]);
  while (count < file.count && file.entries[count].kind == LCOV_FUNCTION)
    count++;
  for (size_t i = 0; i < count; i++)
    print_lcov_format(text, "FN:%u,%s\n", file.entries[i].line,
                      file.entries[i].name);
  for (size_t i = 0; i < count; i++)
    print_lcov_format(text, "FNDA:%ju,%s\n", file.entries[i].hits,
                      file.entries[i].name);
  print_lcov_format(text, "FNF:%ju\nFNH:%ju\n", scores[FUNCTIONS].count,
                    scores[FUNCTIONS].covered);
  for (size_t i = count; i < file.count; i++)
    if (file.entries[i].kind == LCOV_LINE)
      print_lcov_format(text, "DA:%u,%ju\n", file.entries[i].line,
                        file.entries[i].hits);
  print_branches(text, &file,
                 files->exported->as_llvm_cov ? UINT32_MAX : UINT64_MAX);
  if (!files->exported->as_llvm_cov)
    print_decisions(text, files, row);
  print_lcov_format(text, "BRF:%ju\nBRH:%ju\nLF:%ju\nLH:%ju\nend_of_record\n",
                    scores[BRANCHES].count, scores[BRANCHES].covered,
                    scores[LINES].count, scores[LINES].covered);
  lcov_free_list(&file);
}

void lcov_print_tracefile(const struct model *exported, unsigned release,
                          const char *test, FILE *stream) {
  struct file_index files;
  struct text_stream text;
  file_index_make(&files, exported, release);
  text_begin(&text, stream);
  for (size_t i = 0; i < exported->summary.count; i++) {
    if (test)
      print_test_name(&text, test);
    print_lcov_file(&text, &files, i);
  }
  text_flush(&text);
  file_index_free(&files);
}
