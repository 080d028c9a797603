/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tests for people.
 */
#include "by_test.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
#include "../../base/number.h"
#include "../../base/source_name.h"

enum { SHOWN = 30 };

/* ---- what ran outside of tests ---- */

const struct test *tests_outside(const struct tests *tests) {
  for (size_t i = 0; i < tests->count; i++)
    if (!tests->list[i].name)
      return &tests->list[i];
  return NULL;
}

/* How many of the lines that ran outside also count for a test. */
static size_t shared_lines(const struct tests *tests,
                           const struct test *outside) {
  size_t count = 0;
  for (size_t i = 0; i < outside->line_count; i++) {
    bool found = false;
    for (size_t k = 0; k < tests->order_count && !found; k++)
      found = test_reaches(&tests->list[tests->order[k]], outside->lines[i]);
    count += found;
  }
  return count;
}

static void show_outside(const struct tests *tests) {
  const struct test *outside = tests_outside(tests);
  if (!outside)
    return;
  size_t shared = shared_lines(tests, outside);
  printf("Outside of tests %zu line%s ran", outside->line_count,
         outside->line_count == 1 ? "" : "s");
  if (shared)
    printf("; %zu of them also count for a test, and may be of an interrupt "
           "or another task there",
           shared);
  puts(".");
}

/* ---- the list ---- */

static int name_width(const struct tests *tests) {
  size_t width = 4;
  for (size_t i = 0; i < tests->order_count && i < SHOWN; i++) {
    char shown[NAMING_LINE];
    size_t size = strlen(
        printable(shown, sizeof shown, tests->list[tests->order[i]].name));
    width = size > width ? size : width;
  }
  return width > 60 ? 60 : (int)width;
}

static void show_list(const struct tests *tests) {
  int width = name_width(tests);
  size_t idle = 0, failed = 0;
  printf("\n%-*s  %8s  %8s\n", width, "test", "lines", "new");
  for (size_t i = 0; i < tests->order_count; i++) {
    const struct test *test = &tests->list[tests->order[i]];
    char shown[NAMING_LINE];
    idle += !test->adds;
    if (i >= SHOWN)
      continue;
    printf("%-*s  %8zu  %8zu\n", width,
           printable(shown, sizeof shown, test->name), test->line_count,
           test->adds);
  }
  for (size_t i = 0; i < tests->count; i++)
    failed += tests->list[i].failed;
  if (tests->order_count > SHOWN)
    printf("and %zu more, in tests.json\n", tests->order_count - SHOWN);
  if (idle)
    printf("%zu test%s no line that no test above reaches.\n", idle,
           idle == 1 ? " adds" : "s add");
  if (failed)
    printf("%zu test%s failed and %s left out.\n", failed,
           failed == 1 ? "" : "s", failed == 1 ? "is" : "are");
}

/* ---- which ---- */

bool test_asked(const char *place, const char *name,
                const struct paths *paths) {
  char *wanted = strdup(place);
  if (wanted)
    *strrchr(wanted, ':') = 0;
  bool is = wanted && (paths_end(name, source_name(wanted)) ||
                       paths_end(paths_shown(paths, name), wanted));
  free(wanted);
  return is;
}

static void show_which(const struct tests *tests, const char *place,
                       const struct paths *paths) {
  const unsigned char *at = (const unsigned char *)strrchr(place, ':') + 1;
  uint64_t line = take_decimal(&at, at + strlen((const char *)at));
  size_t found = 0;
  printf("\nTests that reach %s:\n", place);
  for (size_t i = 0; i < tests->line_count; i++) {
    const struct test_line *one = &tests->lines[i];
    bool is = one->line == line && test_asked(place, one->file, paths);
    for (size_t k = 0; is && k < tests->count; k++) {
      const struct test *test = &tests->list[k];
      char shown[NAMING_LINE];
      if (!test_reaches(test, (uint32_t)i))
        continue;
      found++;
      printf("  %s\n", test->name ? printable(shown, sizeof shown, test->name)
                                  : "(outside of tests)");
    }
  }
  if (!found)
    puts("  none");
}

void tests_show(const struct tests *tests, const struct paths *paths) {
  if (!tests->alone) {
    show_list(tests);
    show_outside(tests);
  }
  for (size_t i = 0; i < tests->which_count; i++)
    show_which(tests, tests->which[i], paths);
}
