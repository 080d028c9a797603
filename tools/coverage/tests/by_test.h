/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which test covers what. A test is a named dump in a log (naming.c), or else a
 * whole log, dump or raw profile under its file's name. Its counts are those
 * since the dump before it, or all of its dump if the firmware resets its
 * counters before each test. Dumps without a name, in a log that has names,
 * are what ran outside of all tests.
 */
#ifndef BAREPROF_TOOLS_BY_TEST_H
#define BAREPROF_TOOLS_BY_TEST_H

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
  /* Of object code: makes the model of a test, or reports an error and returns
   * NULL. */
  const struct object_model *(*object)(void *context, size_t test);
  void *context;
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
  bool file_named;
  size_t followed, anew; /* named dumps that go on from the one before, or
                            not */
  struct map numbers;
  struct map cases; /* of JUnit files, by name: 2 * micros + failed */
  struct junit_case *failures; /* that failed */
  size_t failure_count;
  const char *junit; /* the last of these files */
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

/* The test of a trace of object code, by its name. NULL: out of memory. */
const struct test *tests_trace(struct tests *tests, const char *name);

/* After the dumps of a log: takes the times of its tests, unless JUnit has told
 * them. */
void tests_times(struct tests *tests, struct bytes log);

/* The file has ended; `known`: the name of its test, if it names none. */
void tests_file(struct tests *tests, const char *name, const char *known);

/* Reports the cases that failed by JUnit and are no test. */
void tests_failures(const struct tests *tests);

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
 * again. */
void tests_arrange(struct tests *tests, bool per_second);

/* The first of a test's lines whose number is not below this one. */
size_t test_lines_from(const struct test *test, uint32_t line);

/* Whether a test reaches the line of a number. */
bool test_reaches(const struct test *test, uint32_t line);

/* What ran outside of tests, or NULL. */
const struct test *tests_outside(const struct tests *tests);

/* Prints for each reset the lines that ran before resets alone, by function. A
 * test whose name begins with "reset: " has what ran before one
 * (bareprof_options.h). */
void tests_show_resets(const struct tests *tests,
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

/* ---- c_text.c ----
 *
 * What a change of C or C++ text can do, as far as tokens show it. Where they
 * do not, the answer is the one that selects more tests.
 */

/* Of a line. */
enum {
  C_DIRECTIVE = 1, /* is one of the preprocessor's, or goes on with it; or is of
                      a function that the compiler may run */
  C_SHARED = 2,    /* is in a declaration that other files may use, or that such
                      data may refer to */
  C_INSIDE = 4     /* The declaration goes on in the next line. */
};

/* Says of each line of a source what it is: lines[0] is empty, *count is after
 * the last. The caller frees the list. */
unsigned char *c_lines(struct bytes text, size_t *count);

/* Lines of one side of a diff, each after its mark. */
struct c_shape {
  uint64_t hash; /* of the tokens that give statements their structure */
  bool wide;     /* changes more than the code that these lines are */
  bool jumps;    /* A label is reached from elsewhere. */
};
struct c_shape c_shape(struct bytes lines);

/* ---- junit.c ----
 *
 * JUnit's XML, as test runners write it: testcase elements with a name and
 * perhaps a classname and a time, and in them a failure or an error.
 */

/* Names are texts without entities, valid during the call, cut at 1,023 bytes;
 * class is "" if there is none; seconds is 0 if no time is there. */
struct junit_case {
  const char *class, *name;
  double seconds;
  bool failed;
};

/* Calls each for each test. Returns NULL or the error: no test is in it, or it
 * ends within an element. */
const char *junit_read(struct bytes xml,
                       void (*each)(void *context,
                                    const struct junit_case *one),
                       void *context);

/* ---- chosen.c ----
 *
 * Which tests a change can affect: those that reach what it changes. What
 * cannot be told selects all.
 */

/* A place of the change, and what it selects. */
struct chosen_reason {
  const char *file;     /* of the diff, or of tests.json */
  uint32_t first, last; /* lines of the old file; 0: the file */
  const char *function; /* or NULL */
  const char *why;
  bool all;     /* It selects all tests, */
  size_t tests; /* or so many. */
};

/* Begins with the first three, the others {0}. */
struct chosen {
  struct tests *tests;
  const struct unified *diff;
  const struct ere *ignored; /* files that no test depends on; or NULL */
  /* The result. */
  bool all;
  bool *taken; /* of each test */
  struct chosen_reason *reasons;
  size_t reason_count;
  size_t named;    /* tests in all */
  size_t failed;   /* of those that are taken */
  size_t unhashed; /* sources that cannot be compared */
  /* Only for chosen.c. */
  bool *wanted; /* of each line of tests.json */
};

/* Chooses, and puts the tests into an order: tests->order has all of them, of
 * which those that are taken find the most per second. */
void choose(struct chosen *chosen);
void chosen_free(struct chosen *chosen);

#endif
