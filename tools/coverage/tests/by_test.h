/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which test covers what. A test is a named dump in a log (naming.h), or else a
 * whole log, dump or raw profile under its file's name. Its counts are those
 * since the dump before it, or all of its dump if the firmware resets its
 * counters before each test. Dumps without a name, in a log that has names,
 * are what ran outside of all tests.
 */
#ifndef BAREPROF_TOOLS_BY_TEST_H
#define BAREPROF_TOOLS_BY_TEST_H

#include "../../base/map.h"
#include "../../wire/naming.h"
#include "../baseline/unified.h"
#include "../coverage.h"
#include "../out/lcov.h"
#include "../inputs/paths.h"

enum { TESTS_MOST = 1 << 16, WHICH_MOST = 64 };

struct test {
  char *name; /* NULL: the code that ran outside of tests */
  bool failed;
  uint64_t micros;         /* its seconds * 1,000,000; 0: not known */
  bool told;               /* by JUnit */
  struct snapshot *counts; /* one for each build and layout */
  size_t count, dumps;
  uint32_t *lines; /* those that it reached, ascending; see tests_measure */
  size_t line_count;
  size_t adds; /* lines that no test before it in tests->order reached */
};

struct test_line {
  const char *file; /* as the compiler names it */
  unsigned line;
};

struct test_function {
  char *name;
  uint32_t first, last; /* lines, from its { to its } */
};

/* A source as tests.json has it. */
struct test_source {
  char *name;
  char *sha256; /* as text; NULL: not known, or not that of the build */
  struct test_function *functions; /* by place */
  size_t function_count;
  struct unified_span *code; /* lines with code, ascending */
  size_t code_count;
  size_t first_line, line_count; /* in tests->lines, by number */
  bool changes;                  /* The diff has it; only for chosen.c. */
};

/* Begins as {0}. */
struct tests {
  bool wanted;         /* by the user */
  bool resets;         /* The firmware resets before each test. */
  bool before_reset;   /* What ran before resets is asked, */
  bool alone;          /* and tests are not. */
  bool wants_lcov;     /* their tracefile, too */
  bool left_out;       /* Some have failed, and the report leaves them out. */
  struct ere compiled; /* of the lines that name a dump, */
  bool has_pattern;    /* if there are some */
  const char *which[WHICH_MOST]; /* FILE:LINE */
  size_t which_count;
  /* The result. */
  struct test *list;
  size_t count;
  size_t *order; /* numbers of list: each adds the most lines to those before
                    it; without what ran outside */
  size_t order_count;
  struct test_line *lines; /* by the numbers of test.lines: by place */
  size_t line_count;
  struct test_source *sources; /* only of tests_read */
  size_t source_count;
  char *lcov; /* a tracefile with a section for each test, by TN:; or NULL */
  size_t lcov_size;
  /* Only for by_test.c. */
  struct test file; /* the dumps without a name, of the file being read */
  bool file_named, no_memory;
  size_t followed, anew; /* named dumps that go on from the one before, or
                            not */
  struct map numbers;
  struct map cases; /* of JUnit files, by name: 2 * micros + failed */
};

/* Sets the pattern of the lines that name the next dump. Returns NULL or the
 * error. */
const char *tests_pattern(struct tests *tests, const char *text);

/* Takes a dump of the log being read; see struct starts_events. */
void tests_dump(struct tests *tests, const char *name,
                const struct snapshot *dump, const struct snapshot *before);

/* A named dump goes on from the dump before, or not (NULL). tests_dump knows;
 * for one that it does not get. */
void tests_goes_on(struct tests *tests, const struct snapshot *before);

/* After the dumps of a log: takes the times of its tests, unless JUnit has told
 * them. */
void tests_times(struct tests *tests, struct bytes log);

/* The file has ended. Returns 0, or reports the error and returns 1. */
int tests_file(struct tests *tests, const char *name);

/* Reads a JUnit file: the tests that it calls failed are left out. Call it
 * before the first dump. */
int tests_junit(struct tests *tests, const char *name);

/* Adds the counts of all tests that have not failed, and of what ran outside of
 * tests, to the subject's. Returns 0, or reports the error and returns 1. */
int tests_add(const struct tests *tests, struct subject *subject);

/* Measures the lines of each test; the coverage must live as long. Returns 0,
 * or reports the error and returns 1: also if `which` is of no source. */
int tests_measure(struct tests *tests, const struct coverage *coverage);

/* Makes tests->order of the tests that have not failed. per_second: a test is
 * worth its new lines by its time, and once all lines are reached, they count
 * again. Returns 0, or reports the error and returns 1. */
int tests_arrange(struct tests *tests, bool per_second);

/* Whether the user's FILE:LINE is of a source. */
bool test_asked(const char *place, const char *name, const struct paths *paths);

/* The first of a test's lines whose number is not below this one. */
size_t test_lines_from(const struct test *test, uint32_t line);

/* Whether a test reaches the line of a number. */
bool test_reaches(const struct test *test, uint32_t line);

/* What ran outside of tests, or NULL. */
const struct test *tests_outside(const struct tests *tests);

/* Prints for each reset the lines that ran before resets alone, by function. A
 * test whose name begins with "reset: " has what ran before one
 * (bareprof_retain.h). Returns 0, or reports the error and returns 1. */
int tests_show_resets(const struct tests *tests,
                      const struct exported *exported,
                      const struct paths *paths);

/* Prints the tests, those that add nothing last, and what `which` asks. */
void tests_show(const struct tests *tests, const struct paths *paths);

/* Writes tests.json to the report's folder. */
int tests_write(const struct tests *tests, const struct coverage *coverage,
                const struct paths *paths);

/* Reads tests.json. Returns 0, or reports the error and returns 1. */
int tests_read(struct tests *tests, const char *name);

/* The same for its text. Returns NULL or the error. */
const char *tests_take(struct tests *tests, struct bytes text);

void tests_free(struct tests *tests);

#endif
