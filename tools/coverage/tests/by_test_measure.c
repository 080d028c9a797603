/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lines of each test: its counts are a model of their own.
 */
#include "by_test.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/error.h"
#include "../../base/os.h"
#include "../../object/md5.h"
#include "../inputs/counted.h"
#include "../model/lines.h"

enum { LINES_MOST = 1 << 26 };

/* ---- a test's model ---- */

/* Puts the counts of a test in the place of the subject's own. false: the test
 * has none of this build. */
static bool take_counts(struct subject *subject, const struct test *test,
                        int *status) {
  struct snapshot *profile = &subject->join.profile;
  bool found = false;
  for (size_t i = 0; i < test->count; i++) {
    const struct snapshot *counts = &test->counts[i];
    bool done = true;
    if (!build_id_same(subject->build_id, header_id(&counts->header)))
      continue;
    for (unsigned k = BAREPROF_PIECE_COUNTERS;
         k <= BAREPROF_PIECE_BITMAP && !found; k++)
      if (counts->parts[k].bytes)
        done &= snapshot_constant(profile, k, counts->parts[k].bytes);
    if (found)
      done = snapshot_merge(profile, counts);
    found = true;
    if (!done)
      *status = report_memory(subject->name);
  }
  return found;
}

/* The profiles of a test: NULL for ELFs of which it has no counts. */
static int take_profiles(const struct coverage *coverage,
                         const struct test *test, struct profile *room,
                         const struct profile **profiles) {
  int status = 0;
  for (size_t i = 0; i < coverage->inputs->count && !status; i++) {
    struct subject *subject = &coverage->inputs->subjects[i];
    if (!take_counts(subject, test, &status) || status)
      continue;
    status = counted_read(subject, &room[i]);
    profiles[i] = &room[i];
  }
  return status;
}

/* The number of a line, from 1 on; 0: out of memory. */
static size_t line_number(struct tests *tests, struct map *numbers,
                          const char *name, uint32_t line) {
  const uint64_t key[3] = {md5_low64(name, strlen(name)), line, 0};
  bool is_new = false;
  size_t number = map_number(numbers, key, &is_new);
  if (!number || !is_new)
    return number;
  char *file = strdup(name);
  if (!file ||
      !list_more(&tests->lines, tests->line_count, sizeof *tests->lines)) {
    free(file);
    return 0;
  }
  tests->lines[tests->line_count++] = (struct test_line){file, line};
  return number;
}

ORDER_BY(by_number, uint32_t, *x);

/* Adds the lines of a source that the test reached. */
static const char *add_lines(struct tests *tests, struct test *test,
                             struct map *numbers,
                             const struct exported *exported, size_t row) {
  struct lines lines;
  const char *error = lines_count(&lines, exported, row);
  for (uint32_t i = 1; i < lines.count && !error; i++) {
    if (!lines.list[i].counted || !lines.list[i].count)
      continue;
    size_t number = line_number(tests, numbers, exported->names[row], i);
    if (!number ||
        !list_more(&test->lines, test->line_count, sizeof *test->lines))
      error = out_of_memory;
    else
      test->lines[test->line_count++] = (uint32_t)(number - 1);
  }
  lines_free(&lines);
  return error;
}

/* While tests are measured. */
struct measuring {
  struct tests *tests;
  const struct coverage *coverage;
  struct map numbers; /* of lines */
  FILE *lcov;         /* or NULL */
};

static int take_model(struct measuring *measuring, struct test *test,
                      const struct exported *exported) {
  struct tests *tests = measuring->tests;
  const char *error = NULL;
  for (size_t i = 0; i < exported->summary.count && !error; i++)
    error = add_lines(tests, test, &measuring->numbers, exported, i);
  if (!error && test->line_count)
    sort(test->lines, test->line_count, sizeof *test->lines, by_number);
  if (!error && measuring->lcov)
    error = lcov_write(exported, measuring->coverage->release,
                       test->name ? test->name : "", measuring->lcov);
  return error ? report(NULL, "report: %s", error) : 0;
}

static int measure_test(struct measuring *measuring, struct test *test) {
  const struct coverage *coverage = measuring->coverage;
  size_t count = coverage->inputs->count;
  struct profile *room = calloc(count + 1, sizeof *room);
  const struct profile **profiles = calloc(count + 1, sizeof *profiles);
  struct exported exported;
  int status = room && profiles ? take_profiles(coverage, test, room, profiles)
                                : report_memory(NULL);
  exported_begin(&exported);
  if (!status)
    status = coverage_evaluate(coverage, profiles, &exported);
  if (!status)
    status = take_model(measuring, test, &exported);
  exported_free(&exported);
  for (size_t i = 0; room && profiles && i < count; i++)
    if (profiles[i])
      profile_free(&room[i]);
  free(room);
  free(profiles);
  return status;
}

int tests_measure(struct tests *tests, const struct coverage *coverage) {
  struct measuring measuring = {
      .tests = tests, .coverage = coverage, .numbers.limit = LINES_MOST};
  int status = 0;
  if (tests->wants_lcov)
    measuring.lcov = os_memory_begin(&tests->lcov, &tests->lcov_size);
  if (tests->wants_lcov && !measuring.lcov)
    return report_memory(NULL);
  for (size_t i = 0; i < tests->count && !status; i++)
    if (!tests->list[i].failed)
      status = measure_test(&measuring, &tests->list[i]);
  if (measuring.lcov &&
      !os_memory_end(measuring.lcov, &tests->lcov, &tests->lcov_size) &&
      !status)
    status = report_memory(NULL);
  map_free(&measuring.numbers);
  return status || tests_arrange(tests, false);
}
