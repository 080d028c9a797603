/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file prints the lines that ran only before a reset. Such lines are in
 * dumps named "reset: ..." and in no other dump.
 */
#include "tests.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../model/view.h"

static const char prefix[] = "reset: ";

static bool is_reset_test(const struct test *test) {
  return test->name && strncmp(test->name, prefix, sizeof prefix - 1) == 0;
}

/* The state while the resets are printed. */
struct reset_printer {
  const struct tests *tests;
  const struct source_maps *paths;
  struct model_view view;
  const struct test_line **lines; /* lines of one reset, sorted by position */
  size_t count;
};

static bool has_run_without_reset(const struct tests *tests,
                                  const struct test_line *line) {
  for (uint32_t i = 0; i < line->test_count; i++)
    if (!is_reset_test(&tests->list[line->tests[i]]))
      return true;
  return false;
}

/* Returns the innermost function that contains a line. Returns NULL if the line
 * is outside of functions, as in the body of a macro. */
static const struct view_function *
find_function_of_line(const struct reset_printer *showing,
                      const struct test_line *line) {
  const struct model_view *view = &showing->view;
  const struct view_function *best = NULL;
  for (size_t i = 0; i < view->function_count; i++) {
    const struct view_function *one = &view->functions[i];
    if (one->span.line <= line->line && line->line <= one->span.end_line &&
        strcmp(view->exported->names[one->row], line->file) == 0 &&
        (!best || best->span.line <= one->span.line))
      best = one;
  }
  return best;
}

/* Prints the lines from index `from` to `to` as FIRST-LAST,... */
static void print_line_ranges(const struct reset_printer *showing, size_t from,
                              size_t to) {
  for (size_t i = from; i < to;) {
    unsigned begin = showing->lines[i]->line, last = begin;
    while (++i < to && showing->lines[i]->line == last + 1)
      last++;
    printf(begin == showing->lines[from]->line ? "%u" : ",%u", begin);
    if (last != begin)
      printf("-%u", last);
  }
}

/* Prints the lines of one function. Returns the index where the lines of the
 * next function begin. */
static size_t print_function_lines(const struct reset_printer *showing,
                                   size_t from) {
  const struct test_line *first = showing->lines[from];
  const struct view_function *function = find_function_of_line(showing, first);
  char shown[1000];
  size_t to = from + 1;
  while (to < showing->count &&
         strcmp(showing->lines[to]->file, first->file) == 0 &&
         find_function_of_line(showing, showing->lines[to]) == function)
    to++;
  printf("  %s:",
         make_printable(shown, sizeof shown,
                        paths_shown_name(showing->paths, first->file)));
  print_line_ranges(showing, from, to);
  printf(" %s\n", function
                      ? make_printable(shown, sizeof shown,
                                       view_name_without_file(function->name))
                      : "");
  return to;
}

static void print_reset_lines(struct reset_printer *showing,
                              const struct test *test) {
  char shown[NAMING_LINE];
  showing->count = 0;
  for (size_t i = 0; i < test->line_count; i++) {
    const struct test_line *line = &showing->tests->lines[test->lines[i]];
    if (!has_run_without_reset(showing->tests, line))
      showing->lines[showing->count++] = line;
  }
  printf("\n%s: ", make_printable(shown, sizeof shown, test->name));
  if (test->dumps > 1)
    printf("%zu times; ", test->dumps);
  if (!showing->count) {
    puts("all lines that ran before this reset ran without a reset, too.");
    return;
  }
  printf("%zu line%s ran before this reset that never ran without a reset:\n",
         showing->count, showing->count == 1 ? "" : "s");
  for (size_t i = 0; i < showing->count;)
    i = print_function_lines(showing, i);
}

void tests_print_resets(const struct tests *tests, const struct model *exported,
                        const struct source_maps *paths) {
  struct reset_printer showing = {.tests = tests, .paths = paths};
  size_t resets = 0;
  view_make(&showing.view, exported);
  showing.lines =
      need_memory(calloc(tests->line_count + 1, sizeof *showing.lines));
  for (size_t i = 0; i < tests->count; i++)
    if (is_reset_test(&tests->list[i]) && !tests->list[i].failed) {
      print_reset_lines(&showing, &tests->list[i]);
      resets++;
    }
  if (!resets)
    puts("\nNo dump is from a reset: see bareprof_reboot_name.");
  view_free(&showing.view);
  free(showing.lines);
}
