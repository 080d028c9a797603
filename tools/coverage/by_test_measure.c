/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lines of each test, by llvm-cov: on a few processes, because llvm-cov
 * reads the coverage mapping anew for each test.
 */
#include "by_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "../base/os.h"
#include "../object/md5.h"
#include "export.h"
#include "lcov.h"

enum { JOBS_MOST = 16, STEM = 64, LINES_MOST = 1 << 26 };

/* ---- a test's lcov, in a process of its own ---- */

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

static void remove_file(const struct coverage *coverage, const char *stem,
                        const char *extension) {
  char *path = export_file(coverage, stem, extension);
  if (path)
    os_remove(path);
  free(path);
}

/* Adds the lines of a test in the ELFs of one group to info. */
static int measure_group(const struct coverage *coverage,
                         const struct group *group, const struct test *test,
                         struct buffer *info) {
  char(*names)[STEM] = malloc(group->count * sizeof *names);
  const char **list = malloc(group->count * sizeof *list);
  struct stems stems = {.list = list, .to = "test"};
  int status = names && list ? 0 : report_memory(NULL);
  for (size_t i = 0; i < group->count && !status; i++) {
    struct subject *subject = &coverage->inputs->subjects[group->members[i]];
    if (!take_counts(subject, test, &status) || status)
      continue;
    list[stems.count] = names[stems.count];
    snprintf(names[stems.count], STEM, "test-%ld-%zu", (long)getpid(), i);
    char *raw = export_file(coverage, names[stems.count++], ".profraw");
    status = raw ? join_write(&subject->join, raw) : report_memory(NULL);
    free(raw);
  }
  if (!status && stems.count) {
    char to[STEM];
    snprintf(to, sizeof to, "test-%ld", (long)getpid());
    stems.to = to;
    status = export_merge(coverage, group, &stems) ||
             export_run(coverage, group,
                        &(struct export_text){to, "-format=lcov"}, info);
    remove_file(coverage, to, ".profdata");
  }
  for (size_t i = 0; i < stems.count; i++)
    remove_file(coverage, names[i], ".profraw");
  free(names);
  free(list);
  return status;
}

static int measure_test(const struct coverage *coverage,
                        const struct test *test, size_t number) {
  struct buffer info = {.limit = EXPORT_LIMIT};
  char stem[STEM];
  int status = 0;
  for (size_t i = 0; i < coverage->count && !status; i++)
    status = measure_group(coverage, &coverage->groups[i], test, &info);
  snprintf(stem, sizeof stem, "test-%zu", number);
  char *path = export_file(coverage, stem, ".info");
  FILE *stream = path ? os_fopen(path, "w") : NULL;
  if (stream && info.size)
    fwrite(info.data, 1, info.size, stream);
  if (!status && (!stream || ferror(stream) | fclose(stream)))
    status = report(path, "cannot be written; check the space there");
  free(path);
  buffer_free(&info);
  return status;
}

/* ---- processes ---- */

struct work {
  const struct tests *tests;
  const struct coverage *coverage;
  size_t jobs;
};

/* Measures every `jobs`th test from first on. */
static int measure_some(const void *context, size_t first) {
  const struct work *work = context;
  const struct tests *tests = work->tests;
  int status = 0;
  for (size_t i = first; i < tests->count && !status; i += work->jobs)
    if (!tests->list[i].failed)
      status = measure_test(work->coverage, &tests->list[i], i);
  return status;
}

static int measure_all(const struct tests *tests,
                       const struct coverage *coverage) {
  struct work work = {tests, coverage, os_processors()};
  if (work.jobs > JOBS_MOST)
    work.jobs = JOBS_MOST;
  if (work.jobs > tests->count)
    work.jobs = tests->count;
  int status = os_split(work.jobs, measure_some, &work);
  return status < 0 ? report(NULL, "report: no process can be started; try "
                                   "again with more memory")
                    : status;
}

/* ---- what came of it ---- */

/* TN: allows letters, digits and underscores. */
static const char *add_section(struct buffer *all, const char *name,
                               struct bytes info) {
  const char *error = NULL;
  const unsigned char *at = info.data, *end = at + info.size;
  while (at != end && !error) {
    const unsigned char *line_end = memchr(at, '\n', (size_t)(end - at));
    size_t size = line_end ? (size_t)(line_end - at) + 1 : (size_t)(end - at);
    if (size > 3 && memcmp(at, "SF:", 3) == 0) {
      error = buffer_append(all, "TN:", 3);
      for (const char *c = name; c && *c && !error; c++) {
        static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkl"
                                    "mnopqrstuvwxyz0123456789";
        error = buffer_append(all, strchr(plain, *c) ? c : "_", 1);
      }
      if (!error)
        error = buffer_append(all, "\n", 1);
    }
    if (!error)
      error = buffer_append(all, at, size);
    at += size;
  }
  return error;
}

/* The number of a line, from 1 on; 0: out of memory. */
static size_t line_number(struct tests *tests, struct map *numbers,
                          const struct lcov_entry *entry) {
  const uint64_t key[3] = {md5_low64(entry->file, strlen(entry->file)),
                           entry->line, 0};
  bool is_new;
  size_t number = map_number(numbers, key, &is_new);
  if (!number || !is_new)
    return number;
  char *file = strdup(entry->file);
  if (!file ||
      !list_more(&tests->lines, tests->line_count, sizeof *tests->lines)) {
    free(file);
    return 0;
  }
  tests->lines[tests->line_count++] = (struct test_line){file, entry->line};
  return number;
}

ORDER_BY(by_number, uint32_t, *x);

static const char *read_lines(struct tests *tests, struct test *test,
                              struct map *numbers, struct bytes info) {
  struct lcov lcov;
  const char *error = lcov_read(&lcov, info);
  for (size_t i = 0; i < lcov.count && !error; i++) {
    const struct lcov_entry *entry = &lcov.entries[i];
    if (entry->kind != LCOV_LINE || !entry->hits)
      continue;
    size_t number = line_number(tests, numbers, entry);
    if (!number ||
        !list_more(&test->lines, test->line_count, sizeof *test->lines))
      error = out_of_memory;
    else
      test->lines[test->line_count++] = (uint32_t)(number - 1);
  }
  if (!error && test->line_count)
    sort(test->lines, test->line_count, sizeof *test->lines, by_number);
  lcov_free(&lcov);
  return error;
}

static int read_test(struct tests *tests, size_t which, struct map *numbers,
                     const struct coverage *coverage) {
  char stem[STEM];
  struct file file;
  struct test *test = &tests->list[which];
  snprintf(stem, sizeof stem, "test-%zu", which);
  char *path = export_file(coverage, stem, ".info");
  if (!path)
    return report_memory(NULL);
  int status = file_read(&file, path, EXPORT_LIMIT);
  if (!status) {
    const char *error = read_lines(tests, test, numbers, file.bytes);
    if (!error)
      error = add_section(&tests->lcov, test->name, file.bytes);
    status = error ? report("llvm-cov", "%s", error) : 0;
    file_close(&file);
  }
  os_remove(path);
  free(path);
  return status;
}

/* ---- order ---- */

/* How many of its lines are new. */
static size_t new_lines(const struct test *test, const bool *seen) {
  size_t count = 0;
  for (size_t i = 0; i < test->line_count; i++)
    count += !seen[test->lines[i]];
  return count;
}

/* The test that adds most comes next. A test never adds more than it did
 * before: only tests that could win are counted again. */
static size_t next_test(struct tests *tests, const bool *seen, size_t from) {
  size_t best = from;
  for (size_t i = from; i < tests->order_count; i++) {
    struct test *test = &tests->list[tests->order[i]];
    size_t most = i == from ? 0 : tests->list[tests->order[best]].adds;
    if (i != from && test->adds <= most)
      continue;
    test->adds = new_lines(test, seen);
    if (i == from || test->adds > most)
      best = i;
  }
  return best;
}

static int arrange(struct tests *tests) {
  bool *seen = calloc(tests->line_count + 1, 1);
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
  for (size_t i = 0; i < tests->order_count; i++) {
    size_t best = next_test(tests, seen, i), which = tests->order[best];
    struct test *test = &tests->list[which];
    memmove(&tests->order[i + 1], &tests->order[i],
            (best - i) * sizeof *tests->order);
    tests->order[i] = which;
    test->adds = new_lines(test, seen);
    for (size_t k = 0; k < test->line_count; k++)
      seen[test->lines[k]] = true;
  }
  free(seen);
  return 0;
}

int tests_measure(struct tests *tests, const struct coverage *coverage) {
  struct map numbers = {.limit = LINES_MOST};
  tests->lcov.limit = EXPORT_LIMIT;
  int status = measure_all(tests, coverage);
  for (size_t i = 0; i < tests->count && !status; i++)
    if (!tests->list[i].failed)
      status = read_test(tests, i, &numbers, coverage);
  map_free(&numbers);
  return status || arrange(tests);
}
