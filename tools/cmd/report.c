/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof report: ELFs and console logs to a coverage table, HTML, and files
 * for CI servers. bareprof run: the same for the output of a command.
 */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/options.h"
#include "../coverage/exclude/exclude_apply.h"
#include "commands.h"

static const char *take_limits(void *context, const char *value) {
  struct report_arguments *arguments = context;
  return limits_read(&arguments->limits, value)
             ? NULL
             : "--fail-under is a list such as lines=80,mcdc=70.5, of "
               "functions, lines, regions, branches, mcdc and patch, from 0 to "
               "100";
}

static const char *take_map(void *context, const char *value) {
  struct report_arguments *arguments = context;
  struct wishes *wishes = &arguments->wishes;
  if (!paths_map(value))
    return "--source-map is FROM=TO, without a comma";
  if (wishes->map_count == MAPS_MOST)
    return "there are too many --source-map";
  char *map = paths_map_copy(value);
  arguments->maps[wishes->map_count++] = map;
  return map ? NULL : out_of_memory;
}

/* What ran before resets is asked of the tests, too. */
static void tests_ask(struct tests *tests) {
  tests->alone = !tests->wanted;
  tests->wanted |= tests->before_reset;
}

static const char *take_pattern(void *context, const char *value) {
  struct report_arguments *arguments = context;
  return tests_pattern(&arguments->tests, value);
}

static const char *take_junit(void *context, const char *value) {
  struct report_arguments *arguments = context;
  if (arguments->junit_count == JUNITS_MOST)
    return "there are too many --junit";
  arguments->junits[arguments->junit_count++] = value;
  arguments->tests.wanted = true;
  return NULL;
}

static const char *take_which(void *context, const char *value) {
  struct report_arguments *arguments = context;
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
  struct report_arguments *arguments = context;
  return patterns_add(&arguments->wishes.filter.includes, value);
}

static const char *take_ignore(void *context, const char *value) {
  struct report_arguments *arguments = context;
  return patterns_add(&arguments->wishes.filter.ignores, value);
}

static const char *take_faults(void *context, const char *value) {
  struct report_arguments *arguments = context;
  const struct {
    const char *word;
    bool *fails;
  } known[] = {{"stale", &arguments->exclusions.fail_stale},
               {"ran", &arguments->exclusions.fail_ran},
               {"lost", &arguments->against.fail_lost},
               {"lower", &arguments->against.fail_lower}};
  for (const char *at = value;; at++) {
    size_t size = strcspn(at, ","), i = 0;
    while (i < sizeof known / sizeof *known &&
           (strlen(known[i].word) != size || strncmp(at, known[i].word, size)))
      i++;
    if (i == sizeof known / sizeof *known)
      return "--fail-on is a list such as stale,lost, of stale, ran, lost and "
             "lower";
    *known[i].fails = true;
    at += size;
    if (!*at)
      return NULL;
  }
}

/* Options of former releases. */
static const char *ignore_llvm(void *context, const char *value) {
  struct report_arguments *arguments = context;
  (void)value;
  arguments->llvm_ignored = true;
  return NULL;
}

/* What is wrong with options that need another one, and with names of standard
 * input; NULL: nothing. */
static const char *wrong_together(const struct report_arguments *arguments,
                                  char **names, int count) {
  const char *diff = arguments->diff;
  const char *wrong = run_gdb_wrong(&arguments->gdb, &arguments->console);
  if (wrong)
    return wrong;
  if (arguments->has_page && !(arguments->gdb.every > 0))
    return "--html needs --every S, as bareprof live has it";
  bool by_gdb =
      arguments->gdb.wanted || run_gdb_board(&arguments->console) != NULL;
  if (by_gdb && arguments->counted)
    return "--count is for dumps, and a GDB server gives none; see --timeout";
  if (arguments->console.asks && arguments->tests.wanted)
    return "--tests takes the named dumps that the firmware sends by itself; "
           "give bareprof run, without --ask";
  if (arguments->console.asks && !arguments->console.port)
    return "--ask asks the firmware at a --port";
  if (arguments->trace && (arguments->gdb.wanted || arguments->console.port))
    return "--trace starts a COMMAND, without --gdb and --port";
  if (arguments->trace && arguments->gdb.every > 0)
    return "--every is not for --trace, whose counts come at the end";
  if (arguments->trace && !os_has_local_servers)
    return "--trace is not for Windows, whose QEMU has no plugins; use WSL";
  if (!diff && arguments->diff_formatted)
    return "--diff-format needs --diff";
  if (!diff && arguments->limits.patch >= 0)
    return "--fail-under patch=N needs --diff";
  if (!arguments->against_name &&
      (arguments->against.fail_lost || arguments->against.fail_lower))
    return "--fail-on lost and lower need --against";
  const char *const options[] = {diff, arguments->exclusions.name,
                                 arguments->against_name};
  unsigned dashes = 0, logs = 0;
  for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
    dashes += options[i] && strcmp(options[i], "-") == 0;
  for (int i = 0; i < count; i++)
    logs |= strcmp(names[i], "-") == 0;
  return dashes + logs > 1 ? "standard input is only one of a log, the diff, "
                             "the exclusions and the earlier report"
                           : NULL;
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

static void free_maps(struct report_arguments *arguments) {
  for (size_t i = 0; i < arguments->wishes.map_count; i++)
    free((void *)(uintptr_t)arguments->maps[i]);
}

/* Names without a folder, of -ffile-prefix-map=DIR=., are in that of --root. */
static const char *map_root(struct report_arguments *arguments) {
  struct wishes *wishes = &arguments->wishes;
  const char *root = wishes->filter.root;
  if (!root || wishes->map_count == MAPS_MOST)
    return NULL;
  char *map = malloc(strlen(root) + 3);
  if (!map)
    return out_of_memory;
  sprintf(map, ".=%s", root);
  arguments->maps[wishes->map_count++] = map;
  return NULL;
}

/* What bareprof live has without being told. */
static void live_defaults(struct report_arguments *arguments) {
  const struct console *console = &arguments->console;
  if (!(arguments->gdb.every > 0) && !arguments->trace)
    arguments->gdb.every = 0.5;
  arguments->console.asks |= console->port && !run_gdb_board(console);
}

/* Runs either command. command: the words behind --; NULL for `report`. */
static int report_on(const struct command *self, int argc, char **argv,
                     char **command) {
  struct report_arguments arguments = {.out = "bareprof-report"};
  struct wishes *wishes = &arguments.wishes;
  for (unsigned i = 0; i < METRICS; i++)
    arguments.limits.least[i] = -1;
  arguments.limits.patch = -1;
  arguments.console.count = 1;
  arguments.live = self == &command_live;
  char **words = keep_words(argc, argv, command);
  int status = options_take(self, argc, argv, &arguments);
  if (status < 0 && command && !*command && !arguments.console.port)
    status =
        options_wrong(self, "give the command to run, after --, or --port");
  if (status < 0 && command && *command && arguments.console.port)
    status = options_wrong(self, "--port is heard, so no command is run; give "
                                 "one of both");
  if (status < 0 && arguments.console.baud && !arguments.console.port)
    status = options_wrong(self, "--baud is that of a --port");
  if (arguments.live)
    live_defaults(&arguments);
  const char *wrong =
      status < 0 ? wrong_together(&arguments, argv + optind, argc - optind)
                 : NULL;
  if (wrong)
    status = options_wrong(self, wrong);
  if (status < 0 && (!words || map_root(&arguments)))
    status = report_memory(NULL);
  if (status >= 0) {
    free_maps(&arguments);
    free(words);
    return status;
  }
  arguments.words = words;
  arguments.console.command = command;
  arguments.console.timeout = (uint64_t)(arguments.timeout * 1000 + 0.999);
  arguments.console.every = (uint64_t)(arguments.gdb.every * 1000 + 0.999);
  wishes->maps = arguments.maps;
  arguments.tests.wants_lcov = arguments.outputs.lcov;
  wishes->mcdc = arguments.limits.least[MCDC] >= 0;
  arguments.inputs.allow_missing = wishes->allow_missing;
  tests_ask(&arguments.tests);
  if (arguments.tests.wanted)
    arguments.inputs.tests = &arguments.tests;
  if (arguments.llvm_ignored)
    report(NULL, "report: --llvm, --llvm-profdata, --llvm-cov and --llvm-html "
                 "have no effect; leave them out, as 0.4 refuses them");
  status = filter_begin(&wishes->filter) ||
           report_make(&arguments, argv + optind, (size_t)(argc - optind));
  change_free(&arguments.change);
  against_free(&arguments.against);
  lcov_free(&arguments.lines);
  free(arguments.evidence);
  tests_free(&arguments.tests);
  exclusions_free(&arguments.exclusions);
  checks_free(&arguments.checks);
  filter_free(&wishes->filter);
  inputs_free(&arguments.inputs);
  free_maps(&arguments);
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
enum { RUN_ROWS = 13 };
static const struct option_row options[] = {
    {.name = "port",
     .letter = 'p',
     .value = "DEV",
     .help =
         "listen to DEV, without a COMMAND: a serial device, tcp:HOST:PORT, "
         "a debug probe's channel, rtt:[CHANNEL@]HOST[:PORT], or its GDB "
         "server, gdb:HOST:PORT, which reads the counters",
     OPTION(struct report_arguments, console.port)},
    {.name = "baud",
     .letter = 'b',
     .value = "N",
     .help = "baud rate of the serial device (default: 115200)",
     OPTION(struct report_arguments, console.baud),
     .least = 1,
     .most = 1000000000},
    {.name = "gdb",
     .help = "start COMMAND, which is QEMU, with a GDB server, and read the "
             "counters where the program ends (_exit, abort, semihosting), at "
             "the timeout, or on Ctrl-C; without code on the target",
     OPTION(struct report_arguments, gdb.wanted)},
    {.name = "trace",
     .help = "start COMMAND, which is QEMU, with a plugin that counts what "
             "ran; for an ELF of bareprof cc --counters=labels, whose code "
             "counts nothing",
     OPTION(struct report_arguments, trace)},
    {.name = "at",
     .value = "SYMBOL",
     .help = "with --gdb: read when the program reaches this function",
     OPTION(struct report_arguments, gdb.at)},
    {.name = "until",
     .value = "TEXT",
     .help = "with --gdb: read when the output shows this text",
     OPTION(struct report_arguments, gdb.until)},
    {.name = "every",
     .value = "S",
     .help = "look at the coverage every S seconds while the program runs, if "
             "dumps have come, or with --gdb by reading the counters; print "
             "what is new, and write --lcov anew; without --count, until the "
             "output ends",
     OPTION(struct report_arguments, gdb.every),
     .most = 1000000},
    {.name = "ask",
     .help = "request dumps at the port (bareprof_wire_feed): one, or with "
             "--every whenever the counts have changed, and at the end",
     OPTION(struct report_arguments, console.asks)},
    {.name = "html",
     .value = "PORT",
     .help = "with --every: show the coverage as a page, too, at a PORT of "
             "this machine; 0: any",
     OPTION(struct report_arguments, page),
     .given = offsetof(struct report_arguments, has_page),
     .most = 65535},
    {.name = "poison",
     .help = "with --gdb: fill the counters with 0xA5 at reset; then counters "
             "that start-up code does not clear are an error",
     OPTION(struct report_arguments, gdb.poison)},
    {.name = "count",
     .letter = 'n',
     .value = "N",
     .help = "end after N complete dumps of each ELF (default: 1)",
     OPTION(struct report_arguments, console.count),
     .given = offsetof(struct report_arguments, counted),
     .least = 1,
     .most = 1000000000},
    {.name = "timeout",
     .value = "S",
     .help = "end after S seconds (default: after 60 without output)",
     OPTION(struct report_arguments, timeout),
     .most = 1000000},
    {.name = "quiet",
     .letter = 'q',
     .help = "do not show the output",
     OPTION(struct report_arguments, console.quiet)},
    /* The options of report and run. */
    {.name = "output",
     .letter = 'o',
     .value = "DIR",
     .help = "output folder; an existing report in it is replaced, with all "
             "other files in it (default: bareprof-report)",
     OPTION(struct report_arguments, out)},
    {.name = "uncovered",
     .help = "list the functions that never ran first",
     OPTION(struct report_arguments, uncovered)},
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
     OPTION(struct report_arguments, diff)},
    {.name = "diff-format",
     .value = "FORM",
     .help = "how --diff lists changed lines that are not covered: text, "
             "FILE:LINE: WHAT (default); github, ::warning lines",
     OPTION(struct report_arguments, diff_format),
     .words = change_formats,
     .given = offsetof(struct report_arguments, diff_formatted)},
    {.name = "against",
     .value = "FILE",
     .help = "compare with an earlier report, by its --json: list what was "
             "covered and is not now",
     OPTION(struct report_arguments, against_name)},
    {.name = "tests",
     .help = "tell which test covers what: each named dump "
             "(bareprof_send_name), or each log, is a test",
     OPTION(struct report_arguments, tests.wanted)},
    {.name = "test-pattern",
     .value = "REGEX",
     .help = "lines of the log that name the next dump, by the first group; "
             "implies --tests",
     .take = take_pattern},
    {.name = "tests-reset",
     .help = "the firmware resets its counters before each test; implies "
             "--tests",
     OPTION(struct report_arguments, tests.resets),
     .given = offsetof(struct report_arguments, tests.wanted)},
    {.name = "before-reset",
     .help = "tell what ran before a reset, and never else: in dumps whose "
             "name begins with 'reset: ' (bareprof_reset_name)",
     OPTION(struct report_arguments, tests.before_reset)},
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
     OPTION(struct report_arguments, exclusions.name)},
    {.name = "no-markers",
     .help = "count what LCOV_EXCL_ and GCOVR_EXCL_ mark in the sources",
     OPTION(struct report_arguments, exclusions.no_markers)},
    {.name = "require-reasons",
     .help = "exit status 1 if an exclusion has no reason",
     OPTION(struct report_arguments, exclusions.require_reasons)},
    {.name = "fail-on",
     .value = "LIST",
     .help = "exit status 1 if an exclusion excludes nothing (stale), or code "
             "that is covered (ran); if --against lists something (lost), or a "
             "total is lower (lower): stale,ran,lost,lower",
     .take = take_faults},
    {.name = "lcov",
     .value = "FILE",
     .help = "write an lcov tracefile as well",
     OPTION(struct report_arguments, outputs.lcov)},
    {.name = "cobertura",
     .value = "FILE",
     .help = "write Cobertura's XML as well",
     OPTION(struct report_arguments, outputs.cobertura)},
    {.name = "cobertura-limit",
     .value = "MB",
     .help = "write Cobertura's XML in several files (c.xml, c-2.xml) of at "
             "most so many megabytes; GitLab reads up to 10",
     OPTION(struct report_arguments, outputs.cobertura_limit),
     .least = 1,
     .most = 1000},
    {.name = "sonarqube",
     .value = "FILE",
     .help = "write SonarQube's generic XML as well",
     OPTION(struct report_arguments, outputs.sonar)},
    {.name = "markdown",
     .value = "FILE",
     .help = "write the table in Markdown as well",
     OPTION(struct report_arguments, outputs.markdown)},
    {.name = "callgrind",
     .value = "FILE",
     .help = "write how often each line ran as well, for KCachegrind and "
             "callgrind_annotate",
     OPTION(struct report_arguments, outputs.callgrind)},
    {.name = "json",
     .value = "FILE",
     .help = "write JSON in llvm-cov's form as well, with what evidence.json "
             "has",
     OPTION(struct report_arguments, outputs.json)},
    {.name = "json-expansions",
     .help = "--json with the expansions of each file, as llvm-cov has them "
             "without -skip-expansions",
     OPTION(struct report_arguments, expansions)},
    {.name = "source-map",
     .value = "FROM=TO",
     .help = "the sources were compiled in folder FROM and are now in TO",
     .take = take_map},
    {.name = "root",
     .value = "DIR",
     .help = "only source files below DIR",
     OPTION(struct report_arguments, wishes.filter.root)},
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
     OPTION(struct report_arguments, wishes.no_demangle)},
    {.name = "allow-missing",
     .help = "go on if dumps, ELFs or sources are missing",
     OPTION(struct report_arguments, wishes.allow_missing)},
    {.name = "allow-changed",
     .help = "go on if sources have changed since the build, and mark them",
     OPTION(struct report_arguments, wishes.allow_changed)},
    {.name = "allow-unmeasured",
     .help = "--fail-under mcdc=N allows decisions that clang leaves out",
     OPTION(struct report_arguments, wishes.allow_unmeasured)},
    {.name = "llvm",
     .value = "N",
     .help = "ignored: report needs no llvm programs any more; goes with 0.4",
     .take = ignore_llvm},
    {.name = "llvm-profdata",
     .value = "PROGRAM",
     .help = "ignored",
     .take = ignore_llvm},
    {.name = "llvm-cov",
     .value = "PROGRAM",
     .help = "ignored",
     .take = ignore_llvm},
    {.name = "llvm-html",
     .help = "ignored",
     OPTION(struct report_arguments, llvm_ignored)},
    {0}};

const struct command command_report = {
    .name = "report",
    .examples = "bareprof report fw.elf console.log\n"
                "bareprof report fw.elf console.log --fail-under lines=80 "
                "--lcov lcov.info",
    .summary = "make a coverage report from console logs",
    .usage = "ELF... LOG... [options]",
    .about = "Makes coverage from console logs: a table here, HTML and "
             "profiles in a folder. Takes ELFs and logs in any order, of "
             "several boards, cores and images, and pairs them by build id. "
             "LOG is a log with dumps of bareprof_send, a .bpdump or a "
             ".profraw. For each boot the last complete dump counts; boots are "
             "added, and so are files. Needs no other program.",
    .options = options + RUN_ROWS,
    .notes = "ELFs are united by file and place. A function that several ELFs "
             "have alike is one, and its counts add up. A line ran if it ran "
             "in one of them.",
    .least = 1,
    .files = "the ELFs and logs",
    .run = run_report};

const struct command command_run = {
    .name = "run",
    .examples = "bareprof run fw.elf --port /dev/ttyACM0\n"
                "bareprof run fw.elf -- qemu-system-arm -machine mps2-an385 "
                "-nographic -kernel fw.elf",
    .summary = "report the dumps of a board's port, or of a command's output",
    .usage =
        "ELF... [LOG...] [options] {--port DEV | -- COMMAND [ARGUMENT...]}",
    .about = "Listens to a board's serial port, or starts COMMAND (QEMU, a "
             "flasher with a console). Shows the output, extracts the dumps "
             "from it, and makes the report of `bareprof report`. Ends, and "
             "ends COMMAND, after enough dumps, at the timeout, or on Ctrl-C. "
             "Sends nothing to the port, and resets no board: reset it by "
             "hand, or let it dump on its own. LOG is a file that COMMAND "
             "writes, such as the .profraw of semihosting.",
    .options = options,
    .notes = "The output is also in console.log in the report's folder. Exit "
             "status 1 if COMMAND fails by itself, if dumps are "
             "missing, or if coverage is below --fail-under.",
    .least = 1,
    .files = "the ELFs before --, and the command after it",
    .run = run_run};

const struct command command_live = {
    .name = "live",
    .examples = "bareprof live fw.elf --port /dev/ttyACM0 --html 8000\n"
                "bareprof live fw.elf --port gdb:localhost:3333\n"
                "bareprof live fw.elf --gdb -- qemu-system-arm -machine "
                "mps2-an385 -nographic -kernel fw.elf",
    .summary = "show the coverage while the firmware runs",
    .usage = "ELF... [options] {--port DEV | -- COMMAND [ARGUMENT...]}",
    .about = "As `bareprof run --every 0.5 --ask`: asks the firmware at the "
             "port whether its counts have changed, and for a dump if so; or "
             "reads the counters by a GDB server; or waits for the dumps of "
             "COMMAND. Draws the coverage on the terminal, and prints a line "
             "for each change if the output is no terminal. Ctrl-C ends it, "
             "with the report of `bareprof run`.",
    .options = options,
    .notes = "The firmware's own output is in console.log in the report's "
             "folder. A firmware whose counters a GDB server reads needs no "
             "code of ours.",
    .least = 1,
    .files = "the ELFs before --, and the command after it",
    .run = run_run};
