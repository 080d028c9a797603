/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a model from each test's counts (coverage_evaluate) to find its lines.
 * Lines are numbered in the model of all tests, sorted by file name and line.
 */
#include "tests.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/source_name.h"
#include "../inputs/inputs.h"
#include "../model/coverage_model.h"

/* The number of tests in the printed list. */
enum { SHOWN = 30 };

/* ---- counts from outside of tests ---- */

const struct test *tests_find_outside(const struct tests *tests) {
  for (size_t i = 0; i < tests->count; i++)
    if (!tests->list[i].name)
      return &tests->list[i];
  return NULL;
}

/* Returns how many of the lines that ran outside of tests also count for a
 * test. */
static size_t count_shared_lines(const struct tests *tests,
                                 const struct test *outside) {
  size_t count = 0;
  for (size_t i = 0; i < outside->line_count; i++) {
    bool found = false;
    for (size_t k = 0; k < tests->order_count && !found; k++)
      found =
          test_reaches_line(&tests->list[tests->order[k]], outside->lines[i]);
    count += found;
  }
  return count;
}

static void print_outside(const struct tests *tests) {
  const struct test *outside = tests_find_outside(tests);
  if (!outside)
    return;
  size_t shared = count_shared_lines(tests, outside);
  printf("Outside of tests %zu line%s ran", outside->line_count,
         outside->line_count == 1 ? "" : "s");
  if (shared)
    printf("; %zu of them also count for a test, and may come from an "
           "interrupt or another task there",
           shared);
  puts(".");
}

/* ---- the list ---- */

static int find_name_width(const struct tests *tests) {
  size_t width = 4;
  for (size_t i = 0; i < tests->order_count && i < SHOWN; i++) {
    char shown[NAMING_LINE];
    size_t size = strlen(
        make_printable(shown, sizeof shown, tests->list[tests->order[i]].name));
    width = size > width ? size : width;
  }
  return width > 60 ? 60 : (int)width;
}

static void print_test_list(const struct tests *tests) {
  int width = find_name_width(tests);
  size_t idle = 0, failed = 0;
  printf("\n%-*s  %8s  %8s\n", width, "test", "lines", "new");
  for (size_t i = 0; i < tests->order_count; i++) {
    const struct test *test = &tests->list[tests->order[i]];
    char shown[NAMING_LINE];
    idle += !test->adds;
    if (i >= SHOWN)
      continue;
    printf("%-*s  %8zu  %8zu\n", width,
           make_printable(shown, sizeof shown, test->name), test->line_count,
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

static bool is_place_in_source(const char *place, const char *name,
                               const struct source_maps *paths) {
  char *wanted = need_memory(strdup(place));
  *strrchr(wanted, ':') = 0;
  bool is = paths_ends_with(name, source_name_normalise(wanted)) ||
            paths_ends_with(paths_shown_name(paths, name), wanted);
  free(wanted);
  return is;
}

static void print_tests_of_place(const struct tests *tests, const char *place,
                                 const struct source_maps *paths) {
  const unsigned char *at = (const unsigned char *)strrchr(place, ':') + 1;
  uint64_t line = parse_decimal(&at, at + strlen((const char *)at));
  size_t found = 0;
  printf("\nTests that reach %s:\n", place);
  for (size_t i = 0; i < tests->line_count; i++) {
    const struct test_line *one = &tests->lines[i];
    bool is = one->line == line && is_place_in_source(place, one->file, paths);
    for (size_t k = 0; is && k < tests->count; k++) {
      const struct test *test = &tests->list[k];
      char shown[NAMING_LINE];
      if (!test_reaches_line(test, (uint32_t)i))
        continue;
      found++;
      printf("  %s\n", test->name
                           ? make_printable(shown, sizeof shown, test->name)
                           : "(outside of tests)");
    }
  }
  if (!found)
    puts("  none");
}

void tests_print(const struct tests *tests, const struct source_maps *paths) {
  if (!tests->alone) {
    print_test_list(tests);
    print_outside(tests);
  }
  for (size_t i = 0; i < tests->which_count; i++)
    print_tests_of_place(tests, tests->which[i], paths);
}

/* ---- a test's model ---- */

/* Replaces the subject's counts with a test's counts. Returns false if the test
 * has none of this build. */
static bool use_test_counts(struct input_elf *subject,
                            const struct test *test) {
  struct snapshot *profile = &subject->join.profile;
  bool found = false;
  for (size_t i = 0; i < test->count; i++) {
    const struct snapshot *counts = &test->counts[i];
    bool done = true;
    if (!elf_build_ids_match(subject->build_id,
                             header_build_id(&counts->header)))
      continue;
    for (unsigned k = BAREPROF_PIECE_COUNTERS;
         k <= BAREPROF_PIECE_BITMAP && !found; k++)
      if (counts->parts[k].bytes)
        done &= snapshot_set_piece(profile, k, counts->parts[k].bytes);
    if (found)
      done = snapshot_merge(profile, counts);
    found = true;
    need_memory(done ? subject : NULL);
  }
  return found;
}

/* Sets the profiles of a test; NULL for ELFs without counts in the test. */
static int make_test_profiles(const struct coverage *coverage,
                              const struct test *test, struct profile *room,
                              const struct profile **profiles) {
  int status = 0;
  for (size_t i = 0; i < coverage->inputs->count && !status; i++) {
    struct input_elf *subject = &coverage->inputs->subjects[i];
    if (!use_test_counts(subject, test))
      continue;
    status = input_counts_read(subject, &room[i]);
    profiles[i] = &room[i];
  }
  return status;
}

/* The state while tests are measured. */
struct test_measurement {
  struct tests *tests;
  const struct coverage *coverage;
  size_t *first; /* first line number of each source, and the end */
  FILE *lcov;    /* or NULL */
};

/* Numbers the lines with code, in the model of all tests. */
static void number_lines(struct test_measurement *measuring) {
  struct tests *tests = measuring->tests;
  const struct model *exported = &measuring->coverage->exported;
  measuring->first = need_memory(
      calloc(exported->summary.count + 1, sizeof *measuring->first));
  for (size_t i = 0; i < exported->summary.count; i++) {
    struct source_lines lines = lines_make(exported, i);
    measuring->first[i] = tests->line_count;
    for (uint32_t k = 1; k < lines.count; k++)
      if (lines.list[k].counted)
        LIST_ADD(tests->lines, tests->line_count,
                 (struct test_line){exported->names[i], k});
    lines_free(&lines);
  }
  measuring->first[exported->summary.count] = tests->line_count;
}

/* Adds the lines of a source that the test reached. */
static void add_reached_lines(struct test_measurement *measuring,
                              struct test *test, const struct model *exported,
                              size_t row) {
  const struct tests *tests = measuring->tests;
  const struct scores_summary *all = &measuring->coverage->exported.summary;
  size_t source =
      search_text(all->rows, all->count, name, exported->names[row]);
  size_t at = measuring->first[source], end = measuring->first[source + 1];
  struct source_lines lines = lines_make(exported, row);
  for (; at < end; at++) {
    uint32_t line = tests->lines[at].line;
    if (line < lines.count && lines.list[line].counted &&
        lines.list[line].count)
      LIST_ADD(test->lines, test->line_count, (uint32_t)at);
  }
  lines_free(&lines);
}

static void add_model_lines(struct test_measurement *measuring,
                            struct test *test, const struct model *exported) {
  for (size_t i = 0; i < exported->summary.count; i++)
    add_reached_lines(measuring, test, exported, i);
  if (measuring->lcov)
    lcov_write(exported, measuring->coverage->release,
               test->name ? test->name : "", measuring->lcov);
}

static int measure_test(struct test_measurement *measuring, struct test *test) {
  const struct coverage *coverage = measuring->coverage;
  const struct tests *tests = measuring->tests;
  struct inputs *inputs = coverage->inputs;
  const struct object_model *all = inputs->object;
  size_t count = inputs->count;
  struct profile *room = need_memory(calloc(count + 1, sizeof *room));
  const struct profile **profiles =
      need_memory(calloc(count + 1, sizeof *profiles));
  struct model exported = {.name_count = 0};
  int status = make_test_profiles(coverage, test, room, profiles);
  if (!status && all)
    inputs->object =
        tests->object(tests->context, (size_t)(test - tests->list));
  if (!status && (!all || inputs->object))
    status = coverage_evaluate(coverage, profiles, &exported);
  status |= all && !inputs->object;
  inputs->object = all;
  if (!status)
    add_model_lines(measuring, test, &exported);
  model_free(&exported);
  for (size_t i = 0; i < count; i++)
    if (profiles[i])
      profile_free(&room[i]);
  free(room);
  free(profiles);
  return status;
}

/* Checks that the report has each source that the user asked for. */
static int check_places(const struct tests *tests,
                        const struct coverage *coverage) {
  const struct scores_summary *summary = &coverage->exported.summary;
  const struct source_maps *paths = &coverage->settings->paths;
  for (size_t i = 0; i < tests->which_count; i++) {
    bool found = false;
    for (size_t k = 0; k < summary->count && !found; k++)
      found = is_place_in_source(tests->which[i], summary->rows[k].name, paths);
    if (!found)
      return report(tests->which[i], "no source of the report has this name; "
                                     "use FILE:LINE with a name of the table");
  }
  return 0;
}

int tests_measure(struct tests *tests, const struct coverage *coverage) {
  struct test_measurement measuring = {.tests = tests, .coverage = coverage};
  int status = check_places(tests, coverage);
  if (status)
    return status;
  if (tests->wants_lcov)
    measuring.lcov =
        need_memory(os_open_memory(&tests->lcov, &tests->lcov_size));
  number_lines(&measuring);
  for (size_t i = 0; i < tests->count && !status; i++)
    if (!tests->list[i].failed)
      status = measure_test(&measuring, &tests->list[i]);
  if (measuring.lcov &&
      !os_close_memory(measuring.lcov, &tests->lcov, &tests->lcov_size))
    need_memory(NULL);
  free(measuring.first);
  if (!status)
    tests_arrange(tests, false);
  return status;
}
