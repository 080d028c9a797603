/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order of tests: each adds the most lines to those before it.
 */
#include "by_test.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"

size_t test_lines_from(const struct test *test, uint32_t line) {
  size_t at = 0, end = test->line_count;
  while (at < end) {
    size_t middle = at + (end - at) / 2;
    if (test->lines[middle] < line)
      at = middle + 1;
    else
      end = middle;
  }
  return at;
}

bool test_reaches(const struct test *test, uint32_t line) {
  size_t at = test_lines_from(test, line);
  return at < test->line_count && test->lines[at] == line;
}

/* How many of its lines are new. */
static size_t new_lines(const struct test *test, const bool *seen) {
  size_t count = 0;
  for (size_t i = 0; i < test->line_count; i++)
    count += !seen[test->lines[i]];
  return count;
}

/* The time of tests whose time is not known, or of all: what counts then is the
 * lines. */
static double common_time(const struct tests *tests, bool per_second) {
  double sum = 0, count = 0;
  for (size_t i = 0; i < tests->count && per_second; i++) {
    sum += (double)tests->list[i].micros;
    count += tests->list[i].micros != 0;
  }
  return count > 0 ? sum / count : 1;
}

struct ordering {
  struct tests *tests;
  bool *seen; /* lines */
  bool per_second;
  double common;
};

static double worth(const struct ordering *ordering, const struct test *test) {
  double time = ordering->per_second && test->micros ? (double)test->micros
                                                     : ordering->common;
  return (double)test->adds / time;
}

/* The test that adds most comes next. A test never adds more than it did
 * before: only tests that could win are counted again. */
static size_t next_test(const struct ordering *ordering, size_t from) {
  struct tests *tests = ordering->tests;
  size_t best = from;
  for (size_t i = from; i < tests->order_count; i++) {
    struct test *test = &tests->list[tests->order[i]];
    double most =
        i == from ? 0 : worth(ordering, &tests->list[tests->order[best]]);
    if (i != from && worth(ordering, test) <= most)
      continue;
    test->adds = new_lines(test, ordering->seen);
    if (i == from || worth(ordering, test) > most)
      best = i;
  }
  return best;
}

/* All lines are reached: they count again for the tests that are left. */
static void begin_again(const struct ordering *ordering, size_t from) {
  struct tests *tests = ordering->tests;
  memset(ordering->seen, 0, tests->line_count);
  for (size_t i = from; i < tests->order_count; i++)
    tests->list[tests->order[i]].adds = tests->list[tests->order[i]].line_count;
}

static void arrange(const struct ordering *ordering) {
  struct tests *tests = ordering->tests;
  bool again = ordering->per_second;
  for (size_t i = 0; i < tests->order_count; i++) {
    size_t best = next_test(ordering, i);
    if (again && !tests->list[tests->order[best]].adds) {
      begin_again(ordering, i);
      best = next_test(ordering, i);
      again = tests->list[tests->order[best]].adds;
    }
    size_t which = tests->order[best];
    struct test *test = &tests->list[which];
    memmove(&tests->order[i + 1], &tests->order[i],
            (best - i) * sizeof *tests->order);
    tests->order[i] = which;
    test->adds = new_lines(test, ordering->seen);
    for (size_t k = 0; k < test->line_count; k++)
      ordering->seen[test->lines[k]] = true;
  }
}

int tests_arrange(struct tests *tests, bool per_second) {
  bool *seen = calloc(tests->line_count + 1, 1);
  const struct ordering ordering = {tests, seen, per_second,
                                    common_time(tests, per_second)};
  tests->order = calloc(tests->count + 1, sizeof *tests->order);
  if (!seen || !tests->order) {
    free(seen);
    return report_memory(NULL);
  }
  for (size_t i = 0; i < tests->count; i++) {
    struct test *test = &tests->list[i];
    test->adds = test->line_count;
    if (test->name && !test->failed)
      tests->order[tests->order_count++] = i;
  }
  arrange(&ordering);
  free(seen);
  return 0;
}
