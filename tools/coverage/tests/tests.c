/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file collects the dumps of each test, reads which tests failed, and
 * orders the tests. inputs.c passes each dump to this file. The lines of a test
 * come from a model of the test's counts (coverage_evaluate). Lines are
 * numbered in the model of all tests, sorted by file name and line.
 */
#include "tests.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/map.h"
#include "../../base/need.h"
#include "../../base/number.h"
#include "../../base/os.h"
#include "../../base/source_name.h"
#include "../../object/digest.h"
#include "../inputs/inputs.h"
#include "../model/coverage_model.h"
#include "../model/view.h"

enum {
  JUNIT_LIMIT = 1 << 28,
  CASES_MOST = 1 << 22,
  CASE_NAME = 2 * NAMING_LINE + 4
};

/* ---- the list ---- */

static struct test *find_or_add_test(struct tests *tests, const char *name) {
  static const char outside[] = "";
  const char *key = name ? name : outside;
  tests->numbers.limit = TESTS_MOST;
  uint64_t *number = need_memory(map_find_or_add(
      &tests->numbers, md5_low64(key, strlen(key)), strlen(key), name != NULL));
  if (*number)
    return &tests->list[*number - 1];
  /* JUnit's entry: 2 * microseconds + failed. No name: outside of tests. */
  const uint64_t *case_result =
      name ? map_find(&tests->cases, md5_low64(name, strlen(name)), 0, 0)
           : NULL;
  LIST_ADD(tests->list, tests->count,
           (struct test){.name = name ? need_memory(strdup(name)) : NULL,
                         .failed = case_result && *case_result & 1,
                         .time_from_junit = case_result && *case_result / 2,
                         .micros = case_result ? *case_result / 2 : 0});
  *number = tests->count;
  return &tests->list[tests->count - 1];
}

size_t tests_add_trace_test(struct tests *tests, const char *name) {
  struct test *test = find_or_add_test(tests, name);
  test->dumps++;
  return (size_t)(test - tests->list);
}

/* Returns whether two dumps have the same layout. Their core, image and boot
 * may differ. */
static bool has_same_layout(const struct snapshot *a,
                            const struct snapshot *b) {
  struct dump_header one = a->header, other = b->header;
  one.core = other.core;
  one.image = other.image;
  one.boot = other.boot;
  return header_is_same_boot(&one, &other);
}

/* Adds counts to a test. Takes over *counts. */
static void add_test_counts(struct test *test, struct snapshot *counts) {
  for (size_t i = 0; i < test->count; i++)
    if (has_same_layout(&test->counts[i], counts)) {
      need_memory(snapshot_merge(&test->counts[i], counts) ? test : NULL);
      snapshot_free(counts);
      return;
    }
  LIST_ADD(test->counts, test->count, *counts);
}

static void free_test_counts(struct test *test) {
  for (size_t i = 0; i < test->count; i++)
    snapshot_free(&test->counts[i]);
  free(test->counts);
  test->counts = NULL;
  test->count = 0;
}

/* ---- dumps ---- */

const char *tests_set_pattern(void *context, const char *text) {
  struct tests *tests = context;
  if (tests->has_pattern)
    return "--test-pattern is allowed only once; join several patterns with |";
  const char *error = pattern_compile(&tests->compiled, text);
  tests->wanted |= !error;
  tests->has_pattern = !error;
  return error;
}

void tests_note_continuation(struct tests *tests,
                             const struct snapshot *before) {
  if (before)
    tests->followed++;
  else
    tests->anew++;
}

void tests_add_dump(struct tests *tests, const char *name,
                    const struct snapshot *dump,
                    const struct snapshot *before) {
  struct snapshot counts;
  if (name)
    tests_note_continuation(tests, before);
  struct test *test = name ? find_or_add_test(tests, name) : &tests->file;
  need_memory(snapshot_copy_counts(&counts, dump) ? test : NULL);
  if (before && !tests->resets) {
    tests->stopped |= snapshot_is_saturated(&counts);
    need_memory(snapshot_subtract(&counts, before) ? test : NULL);
  }
  tests->file_named |= name != NULL;
  add_test_counts(test, &counts);
  test->dumps++;
}

/* Warns if some named dumps continue the previous dump, and several named dumps
 * do not. */
static void warn_of_resets(const struct tests *tests, const char *name) {
  if (!tests->resets && tests->followed && tests->anew > 1)
    warn(name,
         "%zu of %zu named dumps do not continue the counts of the previous "
         "dump; use --tests-reset if the firmware resets its counters before "
         "each test",
         tests->anew, tests->anew + tests->followed);
}

void tests_end_file(struct tests *tests, const char *name, const char *known) {
  struct test *file = &tests->file;
  struct test *test =
      file->count ? find_or_add_test(tests, tests->file_named ? NULL : known)
                  : NULL;
  for (size_t i = 0; i < file->count; i++)
    add_test_counts(test, &file->counts[i]);
  if (test) {
    test->dumps += file->dumps;
    file->count = 0;
  }
  free_test_counts(file);
  warn_of_resets(tests, name);
  if (tests->stopped)
    counter_width_warn_stopped(name);
  *file = (struct test){.name = NULL};
  tests->file_named = tests->stopped = false;
  tests->followed = tests->anew = 0;
}

/* Makes the possible name number i of a case, because runners may write the
 * class before the name. Returns false after the last possible name. */
static bool make_possible_case_name(char whole[CASE_NAME],
                                    const struct junit_case *one, size_t i) {
  static const char *const between[] = {"", ".", "::", "/"};
  snprintf(whole, CASE_NAME, "%s%s%s", i ? one->class : "", between[i % 4],
           one->name);
  return i < (*one->class ? 4 : 1);
}

/* Records a test case. A test fails if one of its parameters or parts fails. */
static void on_junit_case(void *context, const struct junit_case *one) {
  struct tests *tests = context;
  char whole[CASE_NAME];
  tests->cases.limit = CASES_MOST;
  for (size_t i = 0; make_possible_case_name(whole, one, i); i++) {
    /* Bit 0 says that the case failed. The times of a test's parameters and
     * parts add up. */
    uint64_t *value = need_memory(
        map_find_or_add(&tests->cases, md5_low64(whole, strlen(whole)), 0, 0));
    *value = (*value | one->failed) + 2 * (uint64_t)(one->seconds * 1e6);
  }
  tests->left_out |= one->failed;
  if (one->failed)
    LIST_ADD(tests->failures, tests->failure_count,
             (struct junit_case){need_memory(strdup(one->class)),
                                 need_memory(strdup(one->name)), 0, true});
}

void tests_warn_of_unmatched_cases(const struct tests *tests) {
  size_t count = 0, first = 0;
  char whole[CASE_NAME], shown[CASE_NAME];
  for (size_t i = 0; i < tests->failure_count; i++) {
    bool known = false;
    for (size_t k = 0; make_possible_case_name(whole, &tests->failures[i], k);
         k++)
      known |= map_find(&tests->numbers, md5_low64(whole, strlen(whole)),
                        strlen(whole), true) != NULL;
    if (!known && !count++)
      first = i;
  }
  if (!count)
    return;
  make_possible_case_name(whole, &tests->failures[first],
                          *tests->failures[first].class != 0);
  warn(tests->junit,
       "%s failed%s, but matches no test of this report, so its coverage "
       "stays; use the names of the JUnit file for the dumps",
       make_printable(shown, sizeof shown, whole),
       count > 1 ? ", as others did" : "");
}

void tests_read_junit(struct tests *tests, const char *name) {
  struct file file;
  exit_if_failed(file_read(&file, name, JUNIT_LIMIT));
  tests->junit = name;
  exit_on_error(name, junit_parse(file.bytes, on_junit_case, tests));
  file_close(&file);
}

int tests_join_counts(const struct tests *tests, struct input_elf *subject) {
  size_t added = 0;
  int status = 0;
  for (size_t i = 0; i < tests->count && !status; i++)
    for (size_t k = 0; k < tests->list[i].count && !status; k++) {
      const struct snapshot *counts = &tests->list[i].counts[k];
      if (tests->list[i].failed ||
          !elf_build_ids_match(subject->build_id,
                               header_build_id(&counts->header)))
        continue;
      status = join_dump(&subject->join, subject->name, counts);
      added++;
    }
  if (!added)
    return report(subject->name,
                  "all tests of this ELF have failed, so it has no coverage; "
                  "correct the tests, or remove --junit");
  return status;
}

void tests_list_by_line(struct tests *tests) {
  size_t total = 0, at = 0;
  for (size_t i = 0; i < tests->count; i++) {
    const struct test *test = &tests->list[i];
    total += test->line_count;
    for (size_t k = 0; k < test->line_count; k++)
      tests->lines[test->lines[k]].test_count++;
  }
  tests->reaching = need_memory(malloc((total + 1) * sizeof(uint32_t)));
  for (size_t i = 0; i < tests->line_count; i++) {
    tests->lines[i].tests = tests->reaching + at;
    at += tests->lines[i].test_count;
    tests->lines[i].test_count = 0;
  }
  for (uint32_t i = 0; i < tests->count; i++)
    for (size_t k = 0; k < tests->list[i].line_count; k++) {
      struct test_line *line = &tests->lines[tests->list[i].lines[k]];
      line->tests[line->test_count++] = i;
    }
}

void tests_free(struct tests *tests) {
  free_test_counts(&tests->file);
  for (size_t i = 0; i < tests->count; i++) {
    free_test_counts(&tests->list[i]);
    free(tests->list[i].name);
    free(tests->list[i].lines);
  }
  for (size_t i = 0; i < tests->source_count; i++) {
    struct test_source *source = &tests->sources[i];
    for (size_t k = 0; k < source->function_count; k++)
      free(source->functions[k].name);
    free(source->functions);
    free(source->code);
    free(source->excluded);
    free(source->name);
    free(source->sha256);
  }
  free(tests->sources);
  if (tests->has_pattern)
    ere_free(&tests->compiled);
  free(tests->list);
  free(tests->order);
  free(tests->lines);
  free(tests->reaching);
  map_free(&tests->numbers);
  map_free(&tests->cases);
  for (size_t i = 0; i < tests->failure_count; i++) {
    free((char *)(uintptr_t)tests->failures[i].class);
    free((char *)(uintptr_t)tests->failures[i].name);
  }
  free(tests->failures);
  free(tests->lcov);
}

/* ---- order ----
 *
 * The tests are ordered so that each test adds the most lines to the lines of
 * the tests before it.
 */

/* Returns the number of a test's lines that no earlier test reached. */
static size_t count_new_lines(const struct test *test, const bool *seen) {
  size_t count = 0;
  for (size_t i = 0; i < test->line_count; i++)
    count += !seen[test->lines[i]];
  return count;
}

/* Returns the time that is assumed for tests without a time: the average time,
 * or 1 for all tests if only the number of lines matters. */
static double compute_default_time(const struct tests *tests, bool per_second) {
  double sum = 0, count = 0;
  for (size_t i = 0; i < tests->count && per_second; i++) {
    sum += (double)tests->list[i].micros;
    count += tests->list[i].micros != 0;
  }
  return count > 0 ? sum / count : 1;
}

struct test_ordering {
  struct tests *tests;
  bool *seen; /* lines that the ordered tests reach */
  bool per_second;
  double common;
};

static double rate_test(const struct test_ordering *ordering,
                        const struct test *test) {
  double time = ordering->per_second && test->micros ? (double)test->micros
                                                     : ordering->common;
  return (double)test->adds / time;
}

/* Finds the test that adds the most new lines. A test never adds more lines
 * than in an earlier search, so only tests that could win are counted again. */
static size_t find_best_next_test(const struct test_ordering *ordering,
                                  size_t from) {
  struct tests *tests = ordering->tests;
  size_t best = from;
  for (size_t i = from; i < tests->order_count; i++) {
    struct test *test = &tests->list[tests->order[i]];
    double most =
        i == from ? 0 : rate_test(ordering, &tests->list[tests->order[best]]);
    if (i != from && rate_test(ordering, test) <= most)
      continue;
    test->adds = count_new_lines(test, ordering->seen);
    if (i == from || rate_test(ordering, test) > most)
      best = i;
  }
  return best;
}

void tests_set_order(struct tests *tests, bool per_second) {
  bool *seen = need_memory(calloc(tests->line_count + 1, 1));
  const struct test_ordering ordering = {
      tests, seen, per_second, compute_default_time(tests, per_second)};
  tests->order = need_memory(calloc(tests->count + 1, sizeof *tests->order));
  for (size_t i = 0; i < tests->count; i++) {
    struct test *test = &tests->list[i];
    test->adds = test->line_count;
    if (test->name && !test->failed)
      tests->order[tests->order_count++] = i;
  }
  bool again = per_second;
  for (size_t i = 0; i < tests->order_count; i++) {
    size_t best = find_best_next_test(&ordering, i);
    if (again && !tests->list[tests->order[best]].adds) {
      /* All lines count as new again for the remaining tests. */
      memset(seen, 0, tests->line_count);
      for (size_t k = i; k < tests->order_count; k++)
        tests->list[tests->order[k]].adds =
            tests->list[tests->order[k]].line_count;
      best = find_best_next_test(&ordering, i);
      again = tests->list[tests->order[best]].adds;
    }
    size_t which = tests->order[best];
    struct test *test = &tests->list[which];
    memmove(&tests->order[i + 1], &tests->order[i],
            (best - i) * sizeof *tests->order);
    tests->order[i] = which;
    test->adds = count_new_lines(test, seen);
    for (size_t k = 0; k < test->line_count; k++)
      seen[test->lines[k]] = true;
  }
  free(seen);
}

/* ---- output ---- */

/* The number of tests in the printed list. */
enum { SHOWN = 30 };

const struct test *tests_find_outside_test(const struct tests *tests) {
  for (size_t i = 0; i < tests->count; i++)
    if (!tests->list[i].name)
      return &tests->list[i];
  return NULL;
}

static void print_outside_line_count(const struct tests *tests) {
  const struct test *outside = tests_find_outside_test(tests);
  if (!outside)
    return;
  size_t shared = 0; /* number of lines that also ran in a test */
  for (size_t i = 0; i < outside->line_count; i++)
    shared += tests->lines[outside->lines[i]].test_count > 1;
  printf("Outside of tests %zu line%s ran", outside->line_count,
         outside->line_count == 1 ? "" : "s");
  if (shared)
    printf("; %zu of them also count for a test, and may come from an "
           "interrupt or another task there",
           shared);
  puts(".");
}

static int compute_name_width(const struct tests *tests) {
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
  int width = compute_name_width(tests);
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
    printf("%zu test%s only lines that tests above reach, too.\n", idle,
           idle == 1 ? " reaches" : "s reach");
  if (failed)
    printf("%zu test%s failed and %s left out.\n", failed,
           failed == 1 ? "" : "s", failed == 1 ? "is" : "are");
}

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
    for (uint32_t k = 0; is && k < one->test_count; k++) {
      const struct test *test = &tests->list[one->tests[k]];
      char shown[NAMING_LINE];
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
    print_outside_line_count(tests);
  }
  for (size_t i = 0; i < tests->which_count; i++)
    print_tests_of_place(tests, tests->which[i], paths);
}

/* ---- a test's model ---- */

/* Replaces the counts of an ELF with the counts of a test. Returns false if the
 * test lacks counts for this build. */
static bool replace_elf_counts(struct input_elf *subject,
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

/* The state while the lines of tests are found. */
struct test_measurement_state {
  struct tests *tests;
  const struct coverage *coverage;
  size_t *first; /* number of the first line of each source, then the end */
  FILE *lcov;    /* stream of the tests' tracefile; NULL if it is not wanted */
};

/* Numbers the lines with code, in the order of the model of all tests. */
static void number_code_lines(struct test_measurement_state *measuring) {
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
                 (struct test_line){exported->names[i], k, NULL, 0});
    lines_free(&lines);
  }
  measuring->first[exported->summary.count] = tests->line_count;
}

/* Adds the lines of a source that a test reached. */
static void add_reached_lines(struct test_measurement_state *measuring,
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

static void measure_one_test(struct test_measurement_state *measuring,
                             struct test *test) {
  const struct coverage *coverage = measuring->coverage;
  const struct tests *tests = measuring->tests;
  struct inputs *inputs = coverage->inputs;
  size_t count = inputs->count, number = (size_t)(test - tests->list);
  struct profile *room = need_memory(calloc(count + 1, sizeof *room));
  const struct profile **profiles =
      need_memory(calloc(count + 1, sizeof *profiles));
  struct model exported = {.name_count = 0};
  for (size_t i = 0; i < count; i++)
    if (replace_elf_counts(&inputs->subjects[i], test)) {
      exit_if_failed(
          input_make_and_check_profile(&inputs->subjects[i], &room[i]));
      profiles[i] = &room[i]; /* NULL if the test lacks counts for this ELF */
    }
  exit_if_failed(inputs->object && tests->count_test(tests->context, &number));
  coverage_evaluate(coverage, profiles, &exported);
  for (size_t i = 0; i < exported.summary.count; i++)
    add_reached_lines(measuring, test, &exported, i);
  if (measuring->lcov)
    lcov_print_tracefile(&exported, coverage->release,
                         test->name ? test->name : "", measuring->lcov);
  model_free(&exported);
  for (size_t i = 0; i < count; i++)
    if (profiles[i])
      profile_free(&room[i]);
  free(room);
  free(profiles);
}

/* Checks that the report has each source named by --which. */
static void check_places_exist(const struct tests *tests,
                               const struct coverage *coverage) {
  const struct scores_summary *summary = &coverage->exported.summary;
  const struct source_maps *paths = &coverage->settings->paths;
  for (size_t i = 0; i < tests->which_count; i++) {
    bool found = false;
    for (size_t k = 0; k < summary->count && !found; k++)
      found = is_place_in_source(tests->which[i], summary->rows[k].name, paths);
    if (!found)
      exit_on_error(tests->which[i],
                    "no source of the report has this name; use FILE:LINE with "
                    "a FILE from the table");
  }
}

void tests_measure_lines(struct tests *tests, const struct coverage *coverage) {
  struct test_measurement_state measuring = {.tests = tests,
                                             .coverage = coverage};
  check_places_exist(tests, coverage);
  if (tests->wants_lcov)
    measuring.lcov =
        need_memory(os_open_memory_stream(&tests->lcov, &tests->lcov_size));
  number_code_lines(&measuring);
  for (size_t i = 0; i < tests->count; i++)
    if (!tests->list[i].failed)
      measure_one_test(&measuring, &tests->list[i]);
  exit_if_failed(coverage->inputs->object &&
                 tests->count_test(tests->context, NULL));
  if (measuring.lcov &&
      !os_close_memory_stream(measuring.lcov, &tests->lcov, &tests->lcov_size))
    need_memory(NULL);
  free(measuring.first);
  tests_list_by_line(tests);
  tests_set_order(tests, false);
}

/* ==== This part prints the lines that ran only before a reset. Such lines are
 * in dumps named "reset: ..." and in no other dump. */

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
