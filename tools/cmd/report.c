/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof report: ELFs and console logs to a coverage table, HTML, and files
 * for CI servers. bareprof run: the same for the output of a command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/demangle.h"
#include "../base/error.h"
#include "../base/options.h"
#include "../base/file.h"
#include "../base/os.h"
#include "commands.h"
#include "../coverage/by_test.h"
#include "../coverage/change.h"
#include "../coverage/console.h"
#include "../coverage/coverage.h"
#include "../coverage/evidence.h"
#include "../coverage/outputs.h"
#include "../coverage/excluded.h"
#include "../coverage/unmeasured.h"
#include "../doctor/examine.h"
#include "../coverage/result.h"
#include "../html/pages.h"

enum { MAPS_MOST = 64, JUNITS_MOST = 64 };

struct arguments {
  char **words; /* the command line, up to NULL */
  const char *out;
  struct outputs outputs;
  const char *maps[MAPS_MOST];
  bool uncovered;
  const char *diff;
  unsigned diff_format;
  bool diff_formatted;
  struct change change; /* of diff */
  struct limits limits;
  struct exclusions exclusions;
  struct wishes wishes;
  struct inputs inputs;
  struct tests tests;
  const char *junits[JUNITS_MOST];
  size_t junit_count;
  /* Only for run. */
  struct console console;
  double timeout; /* seconds */
};

/* ---- the work ---- */

/* Measures and prints the change. */
static int tell_change(struct arguments *arguments, const struct lcov *lcov,
                       const struct coverage *coverage,
                       const struct paths *paths) {
  const struct bytes json = {coverage->json.data, coverage->json.size};
  struct change *change = &arguments->change;
  if (!arguments->diff)
    return 0;
  return change_measure(change, lcov, json, &coverage->unmeasured, paths) ||
         change_show(change, arguments->diff_format);
}

/* A change without code is covered. */
static bool patch_missed(const struct arguments *arguments) {
  const struct score *lines = &arguments->change.total.scores[LINES];
  return lines->count && limit_missed("patch", lines, arguments->limits.patch);
}

/* Prints the result after the folder is in its place. */
static int tell(struct arguments *arguments, const struct coverage *coverage) {
  char here[4096];
  const struct paths paths = {arguments->wishes.maps,
                              arguments->wishes.map_count,
                              os_here(here, sizeof here)};
  struct lcov lcov;
  const char *error = lcov_read(
      &lcov, (struct bytes){coverage->lcov.data, coverage->lcov.size});
  int status = error ? report("llvm-cov", "%s", error) : 0;
  if (!status && arguments->uncovered) {
    if (!arguments->wishes.no_demangle)
      demangle_begin(coverage->groups[0].cov.release);
    result_uncovered(&lcov, &paths);
    status = demangle_end();
  }
  const struct measured measured = {
      coverage, &lcov,
      arguments->tests.wanted ? &arguments->tests.lcov : &coverage->lcov,
      &paths};
  if (!status)
    status = outputs_write(&arguments->outputs, &measured);
  result_tables(coverage);
  excluded_print(coverage);
  result_unmeasured(coverage, &paths);
  if (arguments->tests.wanted)
    tests_show(&arguments->tests, &paths);
  putchar('\n');
  if (!status)
    status = tell_change(arguments, &lcov, coverage, &paths);
  lcov_free(&lcov);
  for (size_t i = 0; i < coverage->count; i++) {
    char name[5000], shown[5000];
    snprintf(name, sizeof name, "%s/%s/index.html", arguments->out,
             coverage->groups[i].html);
    if (os_exists(name))
      printf("Line by line: %s\n", printable(shown, sizeof shown, name));
  }
  if (status)
    return status;
  status = limits_missed(&arguments->limits, coverage) != 0;
  status |= excluded_missed(coverage) != 0;
  return status | patch_missed(arguments);
}

/* ---- pages ---- */

static int note_unmeasured(const struct coverage *coverage,
                           struct marks *marks) {
  const struct buffer *list = &coverage->unmeasured;
  for (size_t i = 0; i < unmeasured_count(list); i++) {
    const struct unmeasured *one = &unmeasured_list(list)[i];
    const struct mark mark = {.file = one->file,
                              .line = one->begin.line,
                              .last = one->begin.line,
                              .kind = MARK_UNMEASURED};
    if (!marks_add(marks, &mark))
      return report_memory(NULL);
  }
  return 0;
}

/* Excluded lines, with the reason and who gave it. */
static int note_excluded(const struct exclusions *set, struct marks *marks) {
  char text[1000];
  for (size_t i = 0; i < set->source_count; i++) {
    const struct excluded_source *source = &set->sources[i];
    for (size_t k = 0; k < source->range_count; k++) {
      const struct excluded_range *range = &source->ranges[k];
      const struct exclusion *one = &set->list[range->exclusion];
      const struct mark mark = {.file = source->name,
                                .line = range->first,
                                .last = range->last,
                                .kind = MARK_EXCLUDED,
                                .text = text};
      snprintf(text, sizeof text, *one->by ? "%s (%s)" : "%s%s", one->reason,
               one->by);
      if (range->kind == EXCLUDED_LINES && !marks_add(marks, &mark))
        return report_memory(NULL);
    }
  }
  return 0;
}

/* What the pages show beside the code is gathered here. */
static int make_pages(const struct arguments *arguments,
                      const struct coverage *coverage) {
  struct marks marks = {0};
  if (arguments->wishes.llvm_html)
    return 0;
  int status = note_unmeasured(coverage, &marks) ||
               note_excluded(coverage->exclusions, &marks);
  if (!status) {
    marks_sort(&marks);
    status = pages_make(coverage, &marks);
  }
  marks_free(&marks);
  return status;
}

/* ---- a command's dumps ---- */

/* No dump has come: prints possible causes, as far as an ELF shows them. */
static void examine_all(const struct inputs *inputs) {
  static struct facts facts;
  static struct findings findings;
  for (size_t i = 0; i < inputs->count; i++) {
    const struct subject *subject = &inputs->subjects[i];
    examine(&subject->elf, &facts, &findings);
    for (size_t k = 0; k < findings.count; k++)
      if (findings.list[k].severity != NOTE)
        report(subject->name, "%s", findings.list[k].text);
    facts_free(&facts);
  }
}

/* Reports how the command ended, unless all is as expected. */
static int verdict(const struct console *console) {
  const char *name = console->command[0];
  if (console->out_of_time && console->timeout)
    return report(name,
                  "ended after %g s, with %zu of the wanted dumps; give "
                  "a longer --timeout, or fewer --count",
                  (double)console->timeout / 1000, console->dumps);
  if (console->out_of_time)
    return report(name,
                  "ended after %u s without output and without the wanted "
                  "dumps; give a longer --timeout",
                  CONSOLE_PATIENCE / 1000);
  if (console->ended && os_signal(console->status))
    return report(name, "was ended by signal %d; run it by hand",
                  os_signal(console->status));
  if (console->ended && os_exit_status(console->status))
    return report(name, "failed with exit status %d; see its output",
                  os_exit_status(console->status));
  return 0;
}

/* Runs the command, and adds its output to the inputs. others: further logs,
 * which the command may have written. */
static int run_command(struct arguments *arguments, const struct folder *folder,
                       bool others, int *failed) {
  struct console *console = &arguments->console;
  char *log = folder_path(folder, "console.log");
  if (!log)
    return report_memory(NULL);
  console->log = log;
  int status = console_run(console, &arguments->inputs);
  *failed = status ? 1 : verdict(console);
  if (!status && console->frames)
    status = inputs_log(&arguments->inputs, log, console->command[0]);
  else if (!status && !others) {
    status = report(console->command[0],
                    "there is no dump in its output; does the firmware call "
                    "bareprof_send, on this port?");
    examine_all(&arguments->inputs);
  }
  console->log = NULL;
  free(log);
  return status;
}

/* ---- all ---- */

static int measure_tests(struct arguments *arguments,
                         const struct coverage *coverage) {
  const struct paths paths = {arguments->wishes.maps,
                              arguments->wishes.map_count, NULL};
  return tests_measure(&arguments->tests, coverage) ||
         tests_write(&arguments->tests, coverage, &paths);
}

static int read_junits(struct arguments *arguments) {
  int status = 0;
  for (size_t i = 0; i < arguments->junit_count && !status; i++)
    status = tests_junit(&arguments->tests, arguments->junits[i]);
  return status;
}

/* names: ELFs and logs. */
static int make(struct arguments *arguments, char **names, size_t count) {
  struct folder folder;
  struct inputs *inputs = &arguments->inputs;
  struct coverage coverage = {.wishes = &arguments->wishes,
                              .inputs = inputs,
                              .folder = &folder,
                              .exclusions = &arguments->exclusions};
  int failed = 0;
  bool runs = arguments->console.command;
  if ((!runs && inputs_check(names, count)) ||
      (arguments->diff && change_read(&arguments->change, arguments->diff)) ||
      read_junits(arguments) || exclusions_begin(&arguments->exclusions) ||
      inputs_elfs(inputs, names, count) ||
      outputs_refuse(&arguments->outputs) ||
      folder_begin(&folder, arguments->out))
    return 1;
  int status = 0;
  for (size_t i = 0; i < count && !status; i++)
    status = folder_holds(&folder, names[i]);
  if (!status && arguments->diff)
    status = folder_holds(&folder, arguments->diff);
  if (!status && arguments->exclusions.name)
    status = folder_holds(&folder, arguments->exclusions.name);
  if (runs && !status)
    status = run_command(arguments, &folder, count > inputs->count, &failed) ||
             inputs_check(names, count);
  if (!status)
    status = inputs_read(inputs, names, count);
  if (!status)
    status = coverage_make(&coverage) || make_pages(arguments, &coverage) ||
             evidence_make(&coverage, arguments->words);
  if (!status && arguments->tests.wanted)
    status = measure_tests(arguments, &coverage);
  excluded_free(&coverage);
  if (!status)
    status = folder_commit(&folder);
  else
    folder_abandon(&folder);
  if (!status)
    status = tell(arguments, &coverage);
  coverage_free(&coverage);
  return status | failed;
}

/* ---- the command line ---- */

static const char *take_limits(void *context, const char *value) {
  struct arguments *arguments = context;
  return limits_read(&arguments->limits, value)
             ? NULL
             : "--fail-under is a list such as lines=80,mcdc=70.5, of "
               "functions, lines, regions, branches, mcdc and patch, from 0 to "
               "100";
}

static const char *take_map(void *context, const char *value) {
  struct arguments *arguments = context;
  struct wishes *wishes = &arguments->wishes;
  if (!paths_map(value))
    return "--source-map is FROM=TO, without a comma";
  if (wishes->map_count == MAPS_MOST)
    return "there are too many --source-map";
  arguments->maps[wishes->map_count++] = value;
  return NULL;
}

static const char *take_pattern(void *context, const char *value) {
  struct arguments *arguments = context;
  return tests_pattern(&arguments->tests, value);
}

static const char *take_junit(void *context, const char *value) {
  struct arguments *arguments = context;
  if (arguments->junit_count == JUNITS_MOST)
    return "there are too many --junit";
  arguments->junits[arguments->junit_count++] = value;
  arguments->tests.wanted = true;
  return NULL;
}

static const char *take_which(void *context, const char *value) {
  struct arguments *arguments = context;
  struct tests *tests = &arguments->tests;
  const char *colon = strrchr(value, ':');
  if (!colon || colon == value || !colon[1] ||
      colon[1 + strspn(colon + 1, "0123456789")])
    return "--which is FILE:LINE";
  if (tests->which_count == WHICH_MOST)
    return "there are too many --which";
  tests->which[tests->which_count++] = value;
  tests->wanted = true;
  return NULL;
}

static const char *take_include(void *context, const char *value) {
  struct arguments *arguments = context;
  return patterns_add(&arguments->wishes.filter.includes, value);
}

static const char *take_ignore(void *context, const char *value) {
  struct arguments *arguments = context;
  return patterns_add(&arguments->wishes.filter.ignores, value);
}

static const char *take_faults(void *context, const char *value) {
  struct arguments *arguments = context;
  return excluded_take_faults(&arguments->exclusions, value)
             ? NULL
             : "--fail-on is stale, ran, or stale,ran";
}

/* What is wrong with the options of --diff; NULL: nothing. */
static const char *wrong_diff(const struct arguments *arguments, char **names,
                              int count) {
  const char *diff = arguments->diff;
  if (!diff && arguments->diff_formatted)
    return "--diff-format needs --diff";
  if (!diff && arguments->limits.patch >= 0)
    return "--fail-under patch=N needs --diff";
  for (int i = 0; diff && i < count; i++)
    if (strcmp(diff, "-") == 0 && strcmp(names[i], "-") == 0)
      return "standard input is a log or the diff, not both";
  return NULL;
}

/* Keeps the command line as it was given: parsing it changes its order. */
static char **keep_words(int argc, char **argv, char **command) {
  size_t count = (size_t)argc, more = 0;
  while (command && command[more])
    more++;
  char **words = calloc(count + more + 2, sizeof *words);
  if (!words)
    return NULL;
  memcpy(words, argv, count * sizeof *words);
  if (command) {
    static char dashes[] = "--";
    words[count] = dashes;
    memcpy(words + count + 1, command, more * sizeof *words);
  }
  return words;
}

/* Runs either command. command: the words behind --; NULL for `report`. */
static int report_on(const struct command *self, int argc, char **argv,
                     char **command) {
  struct arguments arguments = {.out = "bareprof-report"};
  struct wishes *wishes = &arguments.wishes;
  for (unsigned i = 0; i < METRICS; i++)
    arguments.limits.least[i] = -1;
  arguments.limits.patch = -1;
  arguments.console.count = 1;
  char **words = keep_words(argc, argv, command);
  int status = options_take(self, argc, argv, &arguments);
  if (status < 0 && command && !*command)
    status = options_wrong(self, "give the command to run, after --");
  const char *wrong =
      status < 0 ? wrong_diff(&arguments, argv + optind, argc - optind) : NULL;
  if (wrong)
    status = options_wrong(self, wrong);
  if (status < 0 && !words)
    status = report_memory(NULL);
  if (status >= 0) {
    free(words);
    return status;
  }
  arguments.words = words;
  arguments.console.command = command;
  arguments.console.timeout = (uint64_t)(arguments.timeout * 1000 + 0.999);
  wishes->maps = arguments.maps;
  wishes->lcov = outputs_need_lcov(&arguments.outputs) || arguments.uncovered ||
                 arguments.diff;
  wishes->json = arguments.outputs.json || arguments.diff;
  wishes->mcdc = arguments.limits.least[MCDC] >= 0;
  arguments.inputs.allow_missing = wishes->allow_missing;
  if (arguments.tests.wanted)
    arguments.inputs.tests = &arguments.tests;
  status = filter_begin(&wishes->filter) ||
           make(&arguments, argv + optind, (size_t)(argc - optind));
  change_free(&arguments.change);
  tests_free(&arguments.tests);
  exclusions_free(&arguments.exclusions);
  filter_free(&wishes->filter);
  inputs_free(&arguments.inputs);
  free(words);
  return status;
}

static int run_report(const struct command *command, int argc, char **argv) {
  return report_on(command, argc, argv, NULL);
}

/* getopt_long would move files and options across the --. */
static int run_run(const struct command *command, int argc, char **argv) {
  int end = 1;
  while (end < argc && strcmp(argv[end], "--") != 0)
    end++;
  char **started = argv + end + (end < argc);
  argv[end] = NULL;
  return report_on(command, end, argv, started);
}

/* The options of run alone come first. */
enum { RUN_ROWS = 3 };
static const struct option_row options[] = {
    {.name = "count",
     .letter = 'n',
     .value = "N",
     .help = "end COMMAND after N complete dumps of each ELF (default: 1)",
     OPTION(struct arguments, console.count),
     .least = 1,
     .most = 1000000000},
    {.name = "timeout",
     .value = "S",
     .help = "end COMMAND after S seconds (default: after 60 without output)",
     OPTION(struct arguments, timeout),
     .most = 1000000},
    {.name = "quiet",
     .letter = 'q',
     .help = "do not show the output of COMMAND",
     OPTION(struct arguments, console.quiet)},
    /* The options of report and run. */
    {.name = "output",
     .letter = 'o',
     .value = "DIR",
     .help = "output folder; an existing report in it is replaced, with all "
             "other files in it (default: bareprof-report)",
     OPTION(struct arguments, out)},
    {.name = "uncovered",
     .help = "list the functions that never ran first",
     OPTION(struct arguments, uncovered)},
    {.name = "fail-under",
     .value = "LIST",
     .help = "exit status 1 if coverage is lower, in percent: "
             "functions=N,lines=N,regions=N,branches=N,mcdc=N, and patch=N for "
             "the lines of --diff",
     .take = take_limits},
    {.name = "diff",
     .value = "FILE",
     .help = "coverage of what a unified diff changes (`git diff -U0`); -: "
             "standard input",
     OPTION(struct arguments, diff)},
    {.name = "diff-format",
     .value = "FORM",
     .help = "how --diff lists changed lines that are not covered: text, "
             "FILE:LINE: WHAT (default); github, ::warning lines",
     OPTION(struct arguments, diff_format),
     .words = change_formats,
     .given = offsetof(struct arguments, diff_formatted)},
    {.name = "tests",
     .help = "tell which test covers what: each named dump "
             "(bareprof_send_name), or each log, is a test",
     OPTION(struct arguments, tests.wanted)},
    {.name = "test-pattern",
     .value = "REGEX",
     .help = "lines of the log that name the next dump, by the first group; "
             "implies --tests",
     .take = take_pattern},
    {.name = "tests-reset",
     .help = "the firmware resets its counters before each test; implies "
             "--tests",
     OPTION(struct arguments, tests.resets),
     .given = offsetof(struct arguments, tests.wanted)},
    {.name = "which",
     .value = "FILE:LINE",
     .help = "list the tests that reach this line; implies --tests",
     .take = take_which},
    {.name = "junit",
     .value = "FILE",
     .help = "leave out the tests that this JUnit file calls failed; implies "
             "--tests",
     .take = take_junit},
    {.name = "exclusions",
     .value = "FILE",
     .help = "leave out code that FILE names, with reasons, as well as what "
             "LCOV_EXCL_ and GCOVR_EXCL_ mark in the sources",
     OPTION(struct arguments, exclusions.name)},
    {.name = "no-markers",
     .help = "count what LCOV_EXCL_ and GCOVR_EXCL_ mark in the sources",
     OPTION(struct arguments, exclusions.no_markers)},
    {.name = "require-reasons",
     .help = "exit status 1 if an exclusion has no reason",
     OPTION(struct arguments, exclusions.require_reasons)},
    {.name = "fail-on",
     .value = "LIST",
     .help = "exit status 1 if an exclusion excludes nothing (stale), or code "
             "that is covered (ran): stale,ran",
     .take = take_faults},
    {.name = "lcov",
     .value = "FILE",
     .help = "write an lcov tracefile as well",
     OPTION(struct arguments, outputs.lcov)},
    {.name = "cobertura",
     .value = "FILE",
     .help = "write Cobertura's XML as well",
     OPTION(struct arguments, outputs.cobertura)},
    {.name = "cobertura-limit",
     .value = "MB",
     .help = "write Cobertura's XML in several files (c.xml, c-2.xml) of at "
             "most so many megabytes; GitLab reads up to 10",
     OPTION(struct arguments, outputs.cobertura_limit),
     .least = 1,
     .most = 1000},
    {.name = "sonarqube",
     .value = "FILE",
     .help = "write SonarQube's generic XML as well",
     OPTION(struct arguments, outputs.sonar)},
    {.name = "markdown",
     .value = "FILE",
     .help = "write the table in Markdown as well",
     OPTION(struct arguments, outputs.markdown)},
    {.name = "json",
     .value = "FILE",
     .help = "write llvm-cov's JSON as well, with what evidence.json has",
     OPTION(struct arguments, outputs.json)},
    {.name = "source-map",
     .value = "FROM=TO",
     .help = "the sources were compiled in folder FROM and are now in TO",
     .take = take_map},
    {.name = "root",
     .value = "DIR",
     .help = "only source files below DIR",
     OPTION(struct arguments, wishes.filter.root)},
    {.name = "include",
     .value = "REGEX",
     .help = "only source files that match",
     .take = take_include},
    {.name = "ignore",
     .value = "REGEX",
     .help = "without source files that match",
     .take = take_ignore},
    {.name = "no-demangle",
     .help = "show C++ and Rust names as the compiler has them",
     OPTION(struct arguments, wishes.no_demangle)},
    {.name = "llvm-html",
     .help = "llvm-cov's HTML in place of our own",
     OPTION(struct arguments, wishes.llvm_html)},
    {.name = "allow-missing",
     .help = "go on if dumps, ELFs or sources are missing",
     OPTION(struct arguments, wishes.allow_missing)},
    {.name = "allow-changed",
     .help = "go on if sources have changed since the build, and mark them",
     OPTION(struct arguments, wishes.allow_changed)},
    {.name = "allow-unmeasured",
     .help = "--fail-under mcdc=N allows decisions that clang leaves out",
     OPTION(struct arguments, wishes.allow_unmeasured)},
    {.name = "llvm",
     .value = "N",
     .help = "use the llvm programs of release N",
     OPTION(struct arguments, wishes.llvm),
     .least = 13,
     .most = 63},
    {.name = "llvm-profdata",
     .value = "PROGRAM",
     .help = "use this program",
     OPTION(struct arguments, wishes.profdata)},
    {.name = "llvm-cov",
     .value = "PROGRAM",
     .help = "use this program",
     OPTION(struct arguments, wishes.cov)},
    {0}};

const struct command command_report = {
    .name = "report",
    .summary = "make a coverage report from console logs",
    .usage = "ELF... LOG... [options]",
    .about = "Makes coverage from console logs: a table here, HTML and "
             "profiles in a folder. Takes ELFs and logs in any order, of "
             "several boards, cores and images, and pairs them by build id. "
             "LOG is a log with dumps of bareprof_send, a .bpdump or a "
             ".profraw. For each boot the last complete dump counts; boots are "
             "added, and so are files. Needs llvm-profdata and llvm-cov.",
    .options = options + RUN_ROWS,
    .notes = "The command groups ELFs of one compiler whose function names do "
             "not clash. A function in two groups counts in each group.",
    .least = 1,
    .files = "the ELFs and logs",
    .run = run_report};

const struct command command_run = {
    .name = "run",
    .summary = "run a command and report the dumps in its output",
    .usage = "ELF... [LOG...] [options] -- COMMAND [ARGUMENT...]",
    .about = "Starts COMMAND (QEMU, a flasher, `cat /dev/ttyACM0`), shows its "
             "output, extracts the dumps from it, and makes the report of "
             "`bareprof report`. COMMAND is ended after enough dumps, "
             "at the timeout, or on Ctrl-C. LOG is a file that COMMAND writes, "
             "such as the .profraw of semihosting.",
    .options = options,
    .notes = "The output of COMMAND is also in console.log in the report's "
             "folder. Exit status 1 if COMMAND fails by itself, if dumps are "
             "missing, or if coverage is below --fail-under.",
    .least = 1,
    .files = "the ELFs before --, and the command after it",
    .run = run_run};
