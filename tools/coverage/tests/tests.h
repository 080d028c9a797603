/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module finds which test covers which lines. A test is a named dump in a
 * log (dump_names.c), or else a complete log, dump or raw profile, which has
 * its file's name as the test's name. A test's counts are the counts since the
 * previous dump, or the test's complete dump if the firmware resets its
 * counters before each test. In a log with names, dumps without a name have the
 * counts from outside of tests.
 *
 * inputs.c passes the dumps in; tests_measure_lines makes a model for each
 * test; tests_print and tests_write (tests.json) write the result. `tests-for`
 * reads tests.json to select the tests for a change.
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
  char *name; /* name of the test; NULL for the counts from outside of tests */
  bool failed;
  uint64_t micros;         /* time in microseconds; 0 if unknown */
  bool time_from_junit;    /* The time comes from JUnit, not from a log. */
  struct snapshot *counts; /* counts, for each build and layout */
  size_t count, dumps;
  uint32_t *lines; /* numbers of the lines that the test reaches (indexes in
                      tests->lines), ascending */
  size_t line_count;
  size_t adds; /* number of lines that no earlier test in the order reached */
};

struct test_line {
  const char *file; /* the compiler's name of the source */
  unsigned line;
  /* The indexes of the tests that reach the line, ascending; only
   * tests_list_by_line sets them. */
  uint32_t *tests, test_count;
};

struct test_function {
  char *name;
  uint32_t first, last; /* lines of the function's { and } */
};

/* A source in tests.json. */
struct test_source {
  char *name;
  char *sha256;                    /* hash in hex; NULL if unknown */
  struct test_function *functions; /* functions, sorted by position */
  size_t function_count;
  struct unified_line_span *code; /* the lines with code, ascending */
  size_t code_count;
  struct unified_line_span *excluded; /* the excluded lines, ascending */
  size_t excluded_count;
  size_t first_line, line_count; /* range of the source's lines in
                                    tests->lines */
  bool changes;                  /* The diff changes the source. */
};

/* All tests of a report or of tests.json. Initialise as {0}. */
struct tests {
  bool wanted;         /* The user asked for tests. */
  bool resets;         /* The firmware resets its counters before each test. */
  bool before_reset;   /* The user asked for the counts from before resets. */
  bool alone;          /* The user asked only for counts from before resets. */
  bool wants_lcov;     /* The user wants an lcov tracefile of the tests. */
  bool left_out;       /* The report leaves failed tests out. */
  struct ere compiled; /* pattern of log lines that name a dump */
  bool has_pattern;
  const char *which[WHICH_MOST]; /* argument FILE:LINE of each --which option */
  size_t which_count;
  /* A callback for object code only: reads the traces of a test again, or of
   * all tests for NULL. Returns 0, or reports the error and returns 1. */
  int (*count_test)(void *context, const size_t *test);
  void *context;
  /* The next fields are the result. */
  struct test *list;
  size_t count;
  /* The indexes in `list`, ordered so that each test adds the most lines to the
   * tests before it. The counts from outside of tests are not included. */
  size_t *order;
  size_t order_count;
  struct test_line *lines; /* all lines with code, sorted by position;
                              test.lines has indexes in this list */
  size_t line_count;
  uint32_t *reaching;          /* the memory of the lines' `tests` */
  struct test_source *sources; /* the sources in tests.json, which only
                                  tests_read fills */
  size_t source_count;
  char *lcov; /* tracefile with a section (TN:) for each test; or NULL */
  size_t lcov_size;
  /* Only tests.c and log_times.c use the next fields. */
  struct test file; /* the dumps without a name in the current file */
  bool file_named;
  size_t followed, anew; /* number of named dumps that continue the previous
                            dump; number of all other named dumps */
  bool stopped;          /* 4-byte counters had stopped in a dump of the current
                            file, so the counts of its test are too low */
  struct map numbers;    /* index + 1 of each test, by name */
  struct map cases;      /* JUnit's cases by name: 2 * micros + failed */
  struct junit_case *failures; /* the failed test cases */
  size_t failure_count;
  const char *junit; /* name of the last JUnit file */
};

/* Sets the pattern of log lines that name the next dump. Returns NULL or the
 * error. */
const char *tests_set_pattern(void *tests, const char *text);

/* Adds a dump of the current file. The parameters are the same as in struct
 * boots_events. */
void tests_add_dump(struct tests *tests, const char *name,
                    const struct snapshot *dump, const struct snapshot *before);

/* Notes that a named dump continues the previous dump or does not (before ==
 * NULL). Call this function only for dumps that are not passed to
 * tests_add_dump. */
void tests_note_continuation(struct tests *tests,
                             const struct snapshot *before);

/* Returns the index of the test with this name, for a trace of object code. */
size_t tests_add_trace_test(struct tests *tests, const char *name);

/* Ends the current file. `known` is the name of the file's test, if the file
 * does not name a test itself. */
void tests_end_file(struct tests *tests, const char *name, const char *known);

/* Warns of failed JUnit cases that match no test. */
void tests_warn_of_unmatched_cases(const struct tests *tests);

/* Reads a JUnit file, whose failed tests are left out. Call this function
 * before the first dump. Ends the command after an error. */
void tests_read_junit(struct tests *tests, const char *name);

/* Adds to an ELF the counts of all tests that have not failed, and the counts
 * from outside of tests. Returns 0, or reports the error and returns 1. */
int tests_join_counts(const struct tests *tests, struct input_elf *subject);

/* Finds the lines of each test. The coverage must live as long as tests. Ends
 * the command after an error, for example if an argument in `which` is not a
 * source. */
void tests_measure_lines(struct tests *tests, const struct coverage *coverage);

/* Makes tests->order from the tests that have not failed. If `per_second` is
 * set, tests with more new lines per time come first; once all lines are
 * reached, all lines count as new again. */
void tests_set_order(struct tests *tests, bool per_second);

/* Lists the tests of each line. Call this function when all tests have their
 * lines. */
void tests_list_by_line(struct tests *tests);

/* Returns the counts from outside of tests as a test, or NULL. */
const struct test *tests_find_outside_test(const struct tests *tests);

/* Prints the tests in order, and the tests that reach the lines in `which`. */
void tests_print(const struct tests *tests, const struct source_maps *paths);

void tests_free(struct tests *tests);

/* ---- tests.c: resets ---- */

/* For each reset, prints the lines that ran only before resets, by function. A
 * test whose name begins with "reset: " has the counts from before a reset
 * (bareprof_options.h). */
void tests_print_resets(const struct tests *tests, const struct model *exported,
                        const struct source_maps *paths);

/* ---- tests_json.c ---- */

/* Writes tests.json to the report's folder. Ends the command after an error. */
void tests_write(const struct tests *tests, const struct coverage *coverage,
                 const struct source_maps *paths);

/* Reads tests.json. Ends the command after an error. */
void tests_read(struct tests *tests, const char *name);

/* Parses the text of tests.json. Returns NULL or the error. */
const char *tests_parse(struct tests *tests, struct bytes text);

/* ---- log_times.c ---- */

/* Reads the times of tests in a log, unless JUnit has given them. Call this
 * function after the dumps of the log were added. */
void tests_parse_times(struct tests *tests, struct bytes log);

/* ---- test_selection.c: the text of a change ----
 *
 * This file finds the code that a change of C or C++ text can affect, as far as
 * tokens show this. In case of doubt, more tests are selected.
 */

/* The classes of a line, as bits. */
enum {
  C_DIRECTIVE = 1, /* The line is a directive or has constexpr, so the compiler
                      may run it. */
  C_SHARED = 2,    /* The line declares something that other files may use. */
  C_INSIDE = 4     /* The declaration continues in the next line. */
};

/* Returns the class of each line of a source, indexed from 1, and sets *count
 * to the last line + 1. The caller frees the list. */
unsigned char *c_text_classify_lines(struct bytes text, size_t *count);

/* The structure of the lines on one side of a diff. Each line has its mark in
 * front. */
struct c_text_structure {
  uint64_t hash; /* hash of the tokens that structure statements */
  bool wide;     /* A change of these lines may affect code outside of them. */
  bool jumps;    /* The lines have `case` or `default`. */
};
struct c_text_structure c_text_find_structure(struct bytes lines);

/* ---- junit.c ----
 *
 * This file reads JUnit's XML, as test runners write it. A testcase element has
 * a name, and perhaps a class name, a time, a failure or an error.
 */

/* A test case. Entities in the names are resolved. The names are valid during
 * the call, and have at most 1,023 bytes. A missing class is ""; without a
 * time, `seconds` is 0. */
struct junit_case {
  const char *class, *name;
  double seconds;
  bool failed;
};

/* Calls `each` for each test case. Returns NULL or the error. A file without
 * test cases, or one that ends within an element, is an error. */
const char *junit_parse(struct bytes xml,
                        void (*each)(void *context,
                                     const struct junit_case *one),
                        void *context);

/* ---- test_selection.c ----
 *
 * This file selects the tests that a change can affect: the tests that reach
 * the changed code. If the affected tests cannot be determined, all tests are
 * selected.
 */

/* A place in a change, and the tests that are selected because of it. */
struct selection_reason {
  const char *file;     /* name of the file in the diff or in tests.json */
  uint32_t first, last; /* lines of the old file; 0 means the whole file */
  const char *function; /* name of the function, or NULL */
  const char *why;
  bool all;     /* The place selects all tests. */
  size_t tests; /* number of selected tests, unless `all` is set */
};

/* The selected tests. Initialise the first three members with values, and the
 * others with zeros. */
struct test_selection {
  struct tests *tests;
  const struct unified_diff *diff;
  const struct ere *ignored; /* pattern of files that affect no test; or NULL */
  /* The next fields are the result. */
  bool all;
  bool *taken; /* for each test, whether it is selected */
  struct selection_reason *reasons;
  size_t reason_count;
  size_t named;    /* number of tests that have a name */
  size_t failed;   /* number of selected tests that failed */
  size_t unhashed; /* number of sources without a hash */
  /* Only test_selection.c uses the next fields. */
  bool *wanted; /* for each line of tests.json, whether the change affects it */
};

/* Selects the tests. Orders all tests in tests->order, so that the selected
 * ones reach the most new lines per second. */
void test_selection_make(struct test_selection *chosen);
void test_selection_free(struct test_selection *chosen);

#endif
