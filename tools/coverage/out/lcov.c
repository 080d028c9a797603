/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file writes lcov's tracefile. Each source has these records, and then
 * sums:
 *   SF:FILE, FN:LINE,NAME, FNDA:HITS,NAME, DA:LINE,HITS,
 *   BRDA:LINE,BLOCK,BRANCH,TAKEN (-: the condition was never evaluated),
 *   MCDC:LINE,CONDITIONS,t or f,COVERED,NUMBER,TEXT (lcov 2), end_of_record
 */
#include "out.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/text.h"

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

/* Writes the outcomes of a branch that can occur. `most` is a mask for counts,
 * because llvm-cov writes only 32 bits here. */
static void print_branch(struct text_stream *text, const struct place *branch,
                         uint64_t most) {
  for (unsigned side = 0; side < 2; side++) {
    if (!place_has_outcome(branch, side))
      continue;
    print_lcov_format(text, "BRDA:%u,%u,%u,", branch->line, branch->number,
                      2 * branch->number + side);
    if (branch->hits[0] || branch->hits[1])
      print_lcov_format(text, "%ju\n", branch->hits[side] & most);
    else
      text_put_string(text, "-\n");
  }
}

/* ---- MC/DC ---- */

static int compare_decisions(const void *left, const void *right) {
  const struct model_decision *const *a = left, *const *b = right;
  int order = compare_numbers(span_begin(&(*a)->span), span_begin(&(*b)->span));
  return order
             ? order
             : compare_numbers((*a)->conditions.count, (*b)->conditions.count);
}

/* Returns the decisions of a source that count in its score, sorted. The caller
 * frees the list. */
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
      if (at->file == one->main && names[at->file] == row)
        LIST_ADD(list, *count, at);
    }
  }
  if (*count)
    sort_array(list, *count, sizeof *list, compare_decisions);
  return list;
}

/* Returns whether a condition of equal decisions counts. Sets *covered to
 * whether one of the decisions covers the condition. */
static bool find_condition(const struct model *exported,
                           const struct model_decision **list,
                           const struct model_decision **end, uint32_t number,
                           bool *covered) {
  bool counts = *covered = false;
  for (; list < end; list++) {
    uint32_t at = (*list)->conditions.begin + number;
    counts |= model_condition_counts(exported, at);
    *covered |= model_conditions(exported)[at];
  }
  return counts;
}

/* A condition of a line, and whether an independence pair covers it. */
struct line_condition {
  const struct model_decision *decision;
  uint32_t number;
  bool covered;
};

/* Writes the decisions of a line as one group, because lcov tells groups of a
 * line apart only by their sizes. `end` is the index after the line's last
 * decision. One independence pair covers both outcomes of a condition. */
static void print_line_decisions(struct text_stream *text,
                                 const struct model *exported,
                                 const struct model_decision **at,
                                 const struct model_decision **end) {
  struct line_condition *list = NULL, one;
  size_t count = 0;
  for (const struct model_decision **next; at < end; at = next) {
    for (next = at + 1; next < end && compare_decisions(at, next) == 0;)
      next++;
    one = (struct line_condition){.decision = *at};
    for (; one.number < (*at)->conditions.count; one.number++)
      if (find_condition(exported, at, next, one.number, &one.covered))
        LIST_ADD(list, count, one);
  }
  for (size_t i = 0; i < 2 * count; i++) {
    one = list[i / 2];
    print_lcov_format(
        text, "MCDC:%u,%zu,%s,%u,%zu,condition %u of %u at column %u\n",
        one.decision->span.line, count, i % 2 ? "f" : "t", one.covered, i / 2,
        one.number + 1, one.decision->conditions.count,
        one.decision->span.column);
  }
  free(list);
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
  bool llvm = files->exported->as_llvm_cov;
  struct places file = {.list = NULL};
  size_t count = 0; /* number of functions */
  places_add_source(&file, files, row, false);
  print_lcov_format(text, "SF:%s\n", files->exported->names[row]);
  while (count < file.count && file.list[count].metric == FUNCTIONS)
    count++;
  for (size_t i = 0; i < count; i++)
    print_lcov_format(text, "FN:%u,%s\n", file.list[i].line, file.list[i].name);
  for (size_t i = 0; i < count; i++)
    print_lcov_format(text, "FNDA:%ju,%s\n", file.list[i].hits[0],
                      file.list[i].name);
  print_lcov_format(text, "FNF:%ju\nFNH:%ju\n", scores[FUNCTIONS].count,
                    scores[FUNCTIONS].covered);
  for (size_t i = count; i < file.count; i++)
    if (file.list[i].metric == LINES)
      print_lcov_format(text, "DA:%u,%ju\n", file.list[i].line,
                        file.list[i].hits[0]);
  for (size_t i = count; i < file.count; i++)
    if (file.list[i].metric == BRANCHES)
      print_branch(text, &file.list[i], llvm ? UINT32_MAX : UINT64_MAX);
  if (!llvm)
    print_decisions(text, files, row);
  print_lcov_format(text, "BRF:%ju\nBRH:%ju\nLF:%ju\nLH:%ju\nend_of_record\n",
                    scores[BRANCHES].count, scores[BRANCHES].covered,
                    scores[LINES].count, scores[LINES].covered);
  places_free(&file);
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
