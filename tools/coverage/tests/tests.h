/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which test covers which lines. A test is a named dump in a log
 * (dump_names.c), or else a complete log, dump or raw profile, which has its
 * file's name as the test's name. A test's counts are the counts since the
 * previous dump, or its complete dump if the firmware resets its counters
 * before each test. In a log with names, dumps without a name show the code
 * that ran outside of all tests.
 *
 * inputs.c passes the dumps in; tests_list_lines makes a model for each test;
 * tests_print and tests_write (tests.json) write the result. `tests-for` reads
 * tests.json to select the tests for a change.
 */
#ifndef BAREPROF_TOOLS_TESTS_H
#define BAREPROF_TOOLS_TESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/storage.h"
#include "../../base/bytes.h"
#include "../../wire/frame.h"
#include "../baseline/change.h"
#include "../coverage.h"
#include "../inputs/paths.h"
#include "../out/out.h"

enum { TESTS_MOST = 1 << 16, WHICH_MOST = 64 };

struct test {
  char *name; /* NULL: the code that ran outside of tests */
  bool failed;
  uint64_t micros;         /* microseconds; 0: unknown */
  bool time_from_junit;    /* JUnit, not a log, gave the time */
  struct snapshot *counts; /* counts, one snapshot for each build and layout */
  size_t count, dumps;
  uint32_t *lines; /* numbers of its lines (tests->lines), ascending */
  size_t line_count;
  size_t adds; /* lines that no earlier test in the order reached */
};

struct test_line {
  const char *file; /* the compiler's name of the source */
  unsigned line;
};

struct test_function {
  char *name;
  uint32_t first, last; /* lines of its { and its } */
};

/* A source in tests.json. */
struct test_source {
  char *name;
  char *sha256;                    /* hash in hex; NULL: unknown */
  struct test_function *functions; /* sorted by position */
  size_t function_count;
  struct unified_span *code; /* lines with code, ascending */
  size_t code_count;
  size_t first_line, line_count; /* range in tests->lines */
  bool changes; /* for test_selection.c: the diff changes the source */
};

/* All tests of a report or of tests.json. Initialise as {0}. */
struct tests {
  bool wanted;         /* The user asked for tests. */
  bool resets;         /* The firmware resets its counters before each test. */
  bool before_reset;   /* The user asked for the counts from before resets. */
  bool alone;          /* The user asked only for counts from before resets. */
  bool wants_lcov;     /* The user wants a tracefile of the tests. */
  bool left_out;       /* The report leaves failed tests out. */
  struct ere compiled; /* pattern of lines that name a dump */
  bool has_pattern;
  const char *which[WHICH_MOST]; /* FILE:LINE of each --which */
  size_t which_count;
  /* Only for object code: makes the model of a test, or reports the error and
   * returns NULL. */
  const struct object_model *(*object)(void *context, size_t test);
  void *context;
  /* The next fields are the result. */
  struct test *list;
  size_t count;
  size_t *order; /* indexes in list, so that each test adds the most lines to
                    the tests before it; without the dumps outside of tests */
  size_t order_count;
  struct test_line *lines; /* sorted by position; test.lines has indexes */
  size_t line_count;
  struct test_source *sources; /* only tests_read fills these */
  size_t source_count;
  char *lcov; /* a tracefile with a section (TN:) for each test; or NULL */
  size_t lcov_size;
  /* Only tests.c uses the next fields. */
  struct test file; /* dumps without a name in the current file */
  bool file_named;
  size_t followed, anew; /* number of named dumps that continue the previous
                            dump, and of all others */
  struct map numbers;
  struct map cases;            /* from JUnit, by name: 2 * micros + failed */
  struct junit_case *failures; /* the cases that failed */
  size_t failure_count;
  const char *junit; /* name of the last JUnit file */
};

/* Sets the pattern of the lines that name the next dump. Returns NULL or the
 * error. */
const char *tests_set_pattern(struct tests *tests, const char *text);

/* Adds a dump of the current file. The arguments are as in struct
 * boots_events. */
void tests_add_dump(struct tests *tests, const char *name,
                    const struct snapshot *dump, const struct snapshot *before);

/* Counts whether a named dump continues the previous dump or not (before ==
 * NULL). Call it only for dumps that are not passed to tests_add_dump. */
void tests_count_continuation(struct tests *tests,
                              const struct snapshot *before);

/* Returns the test `name` of an object code trace. NULL: out of memory. */
const struct test *tests_add_trace(struct tests *tests, const char *name);

/* Reads the times of tests in a log, unless JUnit has given them. Call after
 * the dumps of the log. */
void tests_parse_times(struct tests *tests, struct bytes log);

/* Ends the current file. known: the name of the file's test, if the file does
 * not name a test. */
void tests_end_file(struct tests *tests, const char *name, const char *known);

/* Warns of failed JUnit cases that match no test. */
void tests_warn_of_failures(const struct tests *tests);

/* Reads a JUnit file, whose failed tests are left out. Call it before the first
 * dump. Returns 0, or reports the error and returns 1. */
int tests_read_junit(struct tests *tests, const char *name);

/* Adds to the subject the counts of all tests that have not failed, and the
 * counts from outside of tests. Returns 0, or reports the error and returns
 * 1. */
int tests_join_counts(const struct tests *tests, struct input_elf *subject);

/* Finds the lines of each test; the coverage must live as long as tests.
 * Returns 0, or reports the error and returns 1, for example if `which` names
 * no source. */
int tests_list_lines(struct tests *tests, const struct coverage *coverage);

/* Makes tests->order from the tests that have not failed. per_second: orders by
 * new lines per time; after all lines are reached, all count again. */
void tests_set_order(struct tests *tests, bool per_second);

/* Returns the index of a test's first line whose number is at least `line`. */
size_t test_find_line(const struct test *test, uint32_t line);

/* Whether a test reaches the line with this number. */
bool test_reaches_line(const struct test *test, uint32_t line);

/* Returns the counts from outside of tests, or NULL. */
const struct test *tests_find_outside_test(const struct tests *tests);

/* Prints for each reset the lines that ran only before resets, by function. A
 * test whose name begins with "reset: " holds the counts from before a reset
 * (bareprof_options.h). */
void tests_print_resets(const struct tests *tests, const struct model *exported,
                        const struct source_maps *paths);

/* Prints the tests in order, and the tests that reach the lines in `which`. */
void tests_print(const struct tests *tests, const struct source_maps *paths);

/* Writes tests.json to the report's folder. Returns 0, or reports the error and
 * returns 1. */
int tests_write(const struct tests *tests, const struct coverage *coverage,
                const struct source_maps *paths);

/* Reads tests.json. Returns 0, or reports the error and returns 1. */
int tests_read(struct tests *tests, const char *name);

/* Reads the text of tests.json. Returns NULL or the error. */
const char *tests_parse(struct tests *tests, struct bytes text);

void tests_free(struct tests *tests);

/* ---- c_text.c ----
 *
 * Finds the code that a change of C or C++ text can affect, as far as tokens
 * show it. In doubt, the answer selects more tests.
 */

/* The classes of a line, as bits. */
enum {
  C_DIRECTIVE = 1, /* a directive, or constexpr: the compiler may run it */
  C_SHARED = 2,    /* a declaration that other files may use */
  C_INSIDE = 4     /* The declaration continues in the next line. */
};

/* Returns the class of each line of a source, by line number from 1; *count:
 * last line + 1. The caller frees the list. */
unsigned char *c_text_classify_lines(struct bytes text, size_t *count);

/* The structure of one side of a diff's lines, each of which has its mark in
 * front. */
struct c_text_shape {
  uint64_t hash; /* hash of the tokens that structure statements */
  bool wide;     /* A change may affect code outside these lines. */
  bool jumps;    /* has case or default, which other code jumps to */
};
struct c_text_shape c_text_make_shape(struct bytes lines);

/* ---- junit.c ----
 *
 * Reads JUnit's XML, as test runners write it: testcase elements with a name
 * and perhaps a classname and a time, which may contain a failure or an error.
 */

/* A test case. Names have their entities resolved, are valid during the call
 * and cut at 1,023 bytes; class is "" if missing; seconds is 0 without a
 * time. */
struct junit_case {
  const char *class, *name;
  double seconds;
  bool failed;
};

/* Calls each for each test. Returns NULL or the error, also if the file lacks
 * tests or ends within an element. */
const char *junit_parse(struct bytes xml,
                        void (*each)(void *context,
                                     const struct junit_case *one),
                        void *context);

/* ---- test_selection.c ----
 *
 * Selects the tests that a change can affect: the tests that reach the changed
 * code. If this cannot be determined, all tests are selected.
 */

/* A place in the change, and the tests that it selects. */
struct selection_reason {
  const char *file;     /* name in the diff or in tests.json */
  uint32_t first, last; /* lines of the old file; 0: the whole file */
  const char *function; /* the function's name, or NULL */
  const char *why;
  bool all;     /* The place selects all tests. */
  size_t tests; /* number of tests, unless `all` */
};

/* The selected tests. Initialise the first three members, and the others as
 * {0}. */
struct test_selection {
  struct tests *tests;
  const struct unified_diff *diff;
  const struct ere *ignored; /* files that do not affect tests; or NULL */
  /* The next fields are the result. */
  bool all;
  bool *taken; /* for each test: it is selected */
  struct selection_reason *reasons;
  size_t reason_count;
  size_t named;    /* number of named tests */
  size_t failed;   /* number of failed tests among the selected */
  size_t unhashed; /* number of sources without a hash */
  /* Only test_selection.c uses the next fields. */
  bool *wanted; /* for each line of tests.json */
};

/* Selects the tests and orders all of them in tests->order, so that the
 * selected ones find the most per second. */
void test_selection_make(struct test_selection *chosen);
void test_selection_free(struct test_selection *chosen);

#endif
