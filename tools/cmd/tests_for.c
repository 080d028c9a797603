/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof tests-for: reads tests.json of a report and a diff, and prints the
 * tests that the change can affect. coverage/tests/tests.h chooses the tests.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "../base/need.h"
#include "../base/text.h"
#include "../coverage/baseline/change.h"
#include "../coverage/tests/tests.h"
#include "commands.h"
#include "report.h"

enum output_format { TEXT, JSON, ZTEST, CTEST, PYTEST };
static const char *const formats[] = {"text",  "json",   "ztest",
                                      "ctest", "pytest", NULL};

struct arguments {
  const char *diff, *out;
  unsigned format;
  struct ere ignored;
  bool ignores;
};

/* The chosen tests, in the order in which to run them. */
struct test_run_order {
  const struct test_selection *chosen;
  const struct test **list;
  size_t count;
};

/* ---- text and JSON ---- */

static void print_reason_place(FILE *stream,
                               const struct selection_reason *one) {
  print_printable(stream, one->file);
  if (one->first)
    fprintf(stream, ":%" PRIu32, one->first);
  if (one->last > one->first)
    fprintf(stream, "-%" PRIu32, one->last);
  if (!one->function)
    return;
  fputs(", ", stream);
  print_printable(stream, one->function);
}

static void print_selection_text(FILE *stream,
                                 const struct test_run_order *picked) {
  const struct test_selection *chosen = picked->chosen;
  fprintf(stream, "%zu of %zu tests\n", picked->count, chosen->named);
  for (size_t i = 0; i < chosen->reason_count; i++) {
    const struct selection_reason *one = &chosen->reasons[i];
    fputs("  ", stream);
    print_reason_place(stream, one);
    fprintf(stream, ": %s: ", one->why);
    if (one->all)
      fputs("all\n", stream);
    else
      fprintf(stream, "%zu\n", one->tests);
  }
  if (chosen->failed)
    fprintf(stream, "  failed tests, whose lines are not known: %zu\n",
            chosen->failed);
  if (chosen->unhashed)
    fprintf(stream, "  sources not compared, as tests.json has no hash: %zu\n",
            chosen->unhashed);
  fputc('\n', stream);
  for (size_t i = 0; i < picked->count; i++) {
    print_printable(stream, picked->list[i]->name);
    fputc('\n', stream);
  }
}

static void print_selection_json(FILE *stream,
                                 const struct test_run_order *picked) {
  const struct test_selection *chosen = picked->chosen;
  fputs("{\"reasons\":[", stream);
  for (size_t i = 0; i < chosen->reason_count; i++) {
    const struct selection_reason *one = &chosen->reasons[i];
    fputs(i ? ",\n{\"file\":" : "\n{\"file\":", stream);
    json_print_string(stream, one->file);
    fprintf(stream, ",\"first\":%" PRIu32 ",\"last\":%" PRIu32, one->first,
            one->last);
    if (one->function) {
      fputs(",\"function\":", stream);
      json_print_string(stream, one->function);
    }
    fprintf(stream, ",\"why\":\"%s\",\"all\":%s,\"tests\":%zu}", one->why,
            one->all ? "true" : "false", one->all ? chosen->named : one->tests);
  }
  fprintf(stream, "],\n\"all\":%s,\"unhashed\":%zu,\"tests\":[",
          chosen->all ? "true" : "false", chosen->unhashed);
  for (size_t i = 0; i < picked->count; i++) {
    fputs(i ? ",\n" : "\n", stream);
    json_print_string(stream, picked->list[i]->name);
  }
  fputs("]}\n", stream);
}

/* ---- arguments of test runners, one on each line ---- */

/* Prints each test as SUITE::TEST. */
static int print_ztest_arguments(FILE *stream,
                                 const struct test_run_order *picked) {
  for (size_t i = 0; i < picked->count; i++) {
    const char *name = picked->list[i]->name;
    const char *colons = strstr(name, "::");
    const char *dot = colons ? colons : strrchr(name, '.');
    char shown[200];
    if (!dot)
      return report(NULL,
                    "tests-for: the test %s has no suite; name dumps "
                    "SUITE::TEST",
                    make_printable(shown, sizeof shown, name));
    fprintf(stream, "%s%.*s::%s", i ? "," : "-test=", (int)(dot - name), name,
            dot + (colons ? 2 : 1));
  }
  if (picked->count)
    fputc('\n', stream);
  return 0;
}

static const char letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* Prints a regular expression in which an unquoted $(...) of a shell finds no
 * blanks or patterns. A dot replaces each byte that is not a letter, digit or
 * underscore. */
static void print_ctest_arguments(FILE *stream,
                                  const struct test_run_order *picked) {
  if (picked->chosen->all) {
    fputs("-R\n.\n", stream);
    return;
  }
  for (size_t i = 0; i < picked->count; i++) {
    fputs(i ? "|" : "-R\n^(", stream);
    for (const char *at = picked->list[i]->name; *at; at++)
      fputc(strchr(letters, *at) ? *at : '.', stream);
  }
  fputs(picked->count ? ")$\n" : "", stream);
}

/* Returns the longest part of a name that pytest -k reads as one word. */
static struct bytes find_pytest_keyword(const char *name) {
  struct bytes best = {NULL, 0};
  for (const char *at = name; *at;) {
    size_t size = strspn(at, letters);
    if (size > best.size)
      best = (struct bytes){(const unsigned char *)at, size};
    at += size + (at[size] != 0);
  }
  return best;
}

static void print_pytest_arguments(FILE *stream,
                                   const struct test_run_order *picked) {
  bool ids = true, all = picked->chosen->all;
  for (size_t i = 0; i < picked->count; i++) {
    ids &= strstr(picked->list[i]->name, ".py::") != NULL;
    /* A word of up to three letters might be an operator of -k. */
    all |= find_pytest_keyword(picked->list[i]->name).size < sizeof "not";
  }
  if (ids && !picked->chosen->all) {
    for (size_t i = 0; i < picked->count; i++)
      fprintf(stream, "%s\n", picked->list[i]->name);
    return;
  }
  fputs("-k\n", stream);
  for (size_t i = 0; i < picked->count && !all; i++) {
    struct bytes word = find_pytest_keyword(picked->list[i]->name);
    fprintf(stream, "%s%.*s", i ? " or " : "", (int)word.size, word.data);
  }
  fputc('\n', stream);
}

/* ---- the command ---- */

static int write_test_list(const struct arguments *arguments,
                           const struct test_run_order *picked) {
  struct output_file output;
  int status = 0;
  exit_if_failed(output_open(&output, arguments->out));
  switch ((enum output_format)arguments->format) {
  case TEXT:
    print_selection_text(output.stream, picked);
    break;
  case JSON:
    print_selection_json(output.stream, picked);
    break;
  case ZTEST:
    status = print_ztest_arguments(output.stream, picked);
    break;
  case CTEST:
    print_ctest_arguments(output.stream, picked);
    break;
  case PYTEST:
    print_pytest_arguments(output.stream, picked);
    break;
  }
  if (!status)
    return output_commit(&output);
  output_abandon(&output);
  return status;
}

/* Orders the chosen tests, and prints them. Tests that have failed come first.
 */
static int order_and_write_tests(const struct arguments *arguments,
                                 const struct test_selection *chosen) {
  const struct tests *tests = chosen->tests;
  struct test_run_order picked = {.chosen = chosen};
  picked.list = need_memory(malloc((tests->count + 1) * sizeof *picked.list));
  for (size_t i = 0; i < tests->count; i++)
    if (chosen->taken[i] && tests->list[i].failed)
      picked.list[picked.count++] = &tests->list[i];
  for (size_t i = 0; i < tests->order_count; i++)
    if (chosen->taken[tests->order[i]])
      picked.list[picked.count++] = &tests->list[tests->order[i]];
  int status = write_test_list(arguments, &picked);
  free(picked.list);
  return status;
}

static const char *parse_ignore_pattern(void *context, const char *value) {
  struct arguments *arguments = context;
  if (arguments->ignores)
    return "--ignore is allowed only once; join several patterns with |";
  arguments->ignores = true;
  return ere_compile(&arguments->ignored, value);
}

static int run_tests_for(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.out = "-"};
  char **files = options_parse(command, argc, argv, &arguments);
  struct tests tests = {0};
  struct change_coverage change = {0};
  struct test_selection chosen = {
      .tests = &tests,
      .diff = &change.diff,
      .ignored = arguments.ignores ? &arguments.ignored : NULL};
  change_read(&change, arguments.diff);
  tests_read(&tests, *files);
  test_selection_make(&chosen);
  int status = order_and_write_tests(&arguments, &chosen);
  test_selection_free(&chosen);
  change_free(&change);
  tests_free(&tests);
  if (arguments.ignores)
    ere_free(&arguments.ignored);
  return status;
}

const struct option_row tests_for_options[] = {
    CONFIG_ROWS,
    {"diff", 0, "FILE",
     "read the change from FILE, a unified diff from the tested sources to the "
     "current sources; - reads standard input (required)",
     .needed = true, OPTION(struct arguments, diff)},
    {"format", 0, "FORM",
     "print the tests as text (default), as json, or as arguments for a test "
     "runner, one per line: ztest, ctest or pytest",
     .words = formats, OPTION(struct arguments, format)},
    {"ignore", 0, "REGEX",
     "ignore changes in files whose name matches REGEX, such as documentation, "
     "which no test depends on",
     .parse_value = parse_ignore_pattern},
    OUTPUT_ROW("OUT", struct arguments, out),
    {0}};

const struct command command_tests_for = {
    .name = "tests-for",
    .summary = "list the tests that a change can affect",
    .examples =
        "git diff -U0 main | bareprof tests-for --diff - report/tests.json",
    .usage = "--diff FILE TESTS.JSON [options]",
    .about = "Lists the tests to run after a change. TESTS.JSON is the file "
             "tests.json from the folder of a report with --tests. For a "
             "changed line, the list contains the tests that ran the line. For "
             "a new line, or a line with a changed if, loop or brace, the list "
             "contains the tests that ran the function. For static data, a "
             "type or a new function, the list contains the tests that ran any "
             "code of the file. The list contains all tests if the change is "
             "in code that other files may use (a header, a macro, data that "
             "is not static), if the changed file is not in TESTS.JSON, or if "
             "a source file does not match the tested source. Run the command "
             "in the folder where you made the report.",
    .other_options = report_options,
    .made = "bareprof.conf: options in the current folder, one per line.",
    RUNS(run_tests_for, tests_for_options, 1, 1, "tests.json")};
