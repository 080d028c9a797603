/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof report: makes a coverage table, HTML pages and files for CI servers
 * from ELFs and logs. bareprof run and live: the same for a command's output or
 * a port. This file checks the options; report_make.c does the work.
 */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "../base/need.h"
#include "../base/options.h"
#include "../coverage/exclude/exclude.h"
#include "commands.h"

/* --before-reset needs the evaluation of single tests, so it turns this
 * evaluation on. */
static void enable_implied_tests(struct tests *tests) {
  tests->alone = !tests->wanted;
  tests->wanted |= tests->before_reset;
}

/* Returns the error if options exclude or need each other, or if more than one
 * input is standard input; otherwise NULL. */
static const char *
check_option_combination(const struct report_arguments *arguments,
                         char **names) {
  const char *diff = arguments->diff;
  char *const *command = arguments->console.command;
  if (command && !*command && !arguments->console.port)
    return arguments->gdb.wanted
               ? "--gdb starts the command after --; use --port "
                 "gdb:HOST:PORT for a GDB server that runs already"
               : "run needs a command or a port; write the command after "
                 "--, or use --port; for a log use bareprof report";
  if (command && *command && arguments->console.port)
    return "run takes a port or a command, not both; "
           "remove --port or the command";
  if (arguments->console.baud && !arguments->console.port)
    return "--baud needs a --port";
  const char *wrong =
      run_gdb_check_settings(&arguments->gdb, &arguments->console);
  if (wrong)
    return wrong;
  if (arguments->has_page && !(arguments->gdb.every > 0))
    return "--page needs --every S; or use bareprof live";
  bool by_gdb = arguments->gdb.wanted ||
                run_gdb_board_server(&arguments->console) != NULL;
  if (by_gdb && arguments->counted)
    return "--count counts dumps, but a GDB server sends none; use --timeout";
  if (arguments->console.polls && arguments->tests.wanted)
    return "--tests needs named dumps that the firmware sends by itself; use "
           "bareprof run without --request";
  if (arguments->console.polls && !arguments->console.port)
    return "--request needs a --port";
  if (arguments->trace && (arguments->gdb.wanted || arguments->console.port))
    return "--trace starts a COMMAND; remove --gdb and --port";
  if (arguments->trace && arguments->gdb.every > 0)
    return "--every does not work with --trace, which counts only at the end";
  if (arguments->trace && !os_has_local_servers)
    return "--trace does not work on Windows, where QEMU has no plugins; use "
           "WSL";
  if (!diff && arguments->diff_formatted)
    return "--diff-format needs --diff";
  if (!diff && arguments->limits.patch >= 0)
    return "--fail-under patch=N needs --diff";
  if (!arguments->against_name &&
      (arguments->against.fail_lost || arguments->against.fail_lower))
    return "--fail-on lost and lower need --against";
  if (strcmp(arguments->out, "-") == 0)
    return "-o - is not a folder; pass the name of a folder";
  const char *const options[] = {diff, arguments->exclusions.name,
                                 arguments->against_name};
  unsigned dashes = 0, logs = 0;
  for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
    dashes += options[i] && strcmp(options[i], "-") == 0;
  for (; *names; names++)
    logs |= strcmp(*names, "-") == 0;
  return dashes + logs > 1 ? "use standard input only once: for a log, the "
                             "diff, the exclusions or the earlier report"
                           : NULL;
}

/* Copies the command line before the parser reorders it. */
static char **copy_command_line(int argc, char **argv, char **command) {
  size_t count = (size_t)argc, more = 0;
  while (command && command[more])
    more++;
  char **words = need_memory(calloc(count + more + 2, sizeof *words));
  memcpy(words, argv, count * sizeof *words);
  if (command) {
    static char dashes[] = "--";
    words[count] = dashes;
    memcpy(words + count + 1, command, more * sizeof *words);
  }
  return words;
}

static void free_source_maps(struct report_arguments *arguments) {
  for (size_t i = 0; i < arguments->settings.paths.count; i++)
    free((void *)(uintptr_t)arguments->maps[i]);
}

/* If -ffile-prefix-map=DIR=. made the names of sources relative, maps them to
 * the folder of --root. */
static void add_root_source_map(struct report_arguments *arguments) {
  struct report_settings *settings = &arguments->settings;
  const char *root = settings->filter.root;
  if (!root || settings->paths.count == MAPS_MOST)
    return;
  char *map = need_memory(malloc(strlen(root) + 3));
  sprintf(map, ".=%s", root);
  arguments->maps[settings->paths.count++] = map;
}

static void set_live_defaults(struct report_arguments *arguments) {
  const struct console *console = &arguments->console;
  arguments->console.endless = true;
  if (!(arguments->gdb.every > 0) && !arguments->trace)
    arguments->gdb.every = 0.5;
  arguments->console.polls |= console->port && !run_gdb_board_server(console);
}

/* Runs report, run or live. command: the words after --; NULL for report. */
static int run_report_command(const struct command *self, int argc, char **argv,
                              char **command) {
  struct report_arguments arguments = {.out = "bareprof-report"};
  struct report_settings *settings = &arguments.settings;
  for (unsigned i = 0; i < METRICS; i++)
    arguments.limits.least[i] = -1;
  arguments.limits.patch = -1;
  arguments.console.count = 1;
  arguments.console.command = command;
  arguments.live = self == &command_live;
  char **words = copy_command_line(argc, argv, command);
  char **names = options_parse(self, argc, argv, &arguments);
  if (arguments.live)
    set_live_defaults(&arguments);
  const char *wrong = check_option_combination(&arguments, names);
  if (wrong)
    exit_after_flush(options_report_misuse(self, wrong));
  add_root_source_map(&arguments);
  arguments.words = words;
  arguments.console.timeout = (uint64_t)(arguments.timeout * 1000 + 0.999);
  arguments.console.every = (uint64_t)(arguments.gdb.every * 1000 + 0.999);
  settings->paths.maps = arguments.maps;
  arguments.tests.wants_lcov = arguments.outputs.lcov;
  settings->mcdc = arguments.limits.least[MCDC] >= 0;
  arguments.inputs.allow_missing = settings->allow_missing;
  enable_implied_tests(&arguments.tests);
  if (arguments.tests.wanted)
    arguments.inputs.tests = &arguments.tests;
  int status = filter_resolve_root(&settings->filter) ||
               report_make(&arguments, names, (size_t)(argc - optind));
  change_free(&arguments.change);
  baseline_free(&arguments.against);
  lcov_free_list(&arguments.lines);
  free(arguments.evidence);
  tests_free(&arguments.tests);
  exclusions_free(&arguments.exclusions);
  expected_free(&arguments.whole);
  checks_free(&arguments.checks);
  filter_free(&settings->filter);
  inputs_free(&arguments.inputs);
  free_source_maps(&arguments);
  free(words);
  return status;
}

static int run_report(const struct command *command, int argc, char **argv) {
  return run_report_command(command, argc, argv, NULL);
}

/* Cuts the command line at the --, because getopt_long would move options of
 * the command in front of it. */
static int run_run_or_live(const struct command *command, int argc,
                           char **argv) {
  int end = 1;
  while (end < argc && strcmp(argv[end], "--") != 0)
    end++;
  for (int i = 1; i < argc && end == argc; i++)
    if (!strncmp(os_base_name(argv[i]), "qemu-system-", 12)) {
      char what[300];
      snprintf(what, sizeof what, "put -- before the command: -- %.200s ...",
               argv[i]);
      return options_report_misuse(command, what);
    }
  char **started = argv + end + (end < argc);
  argv[end] = NULL;
  return run_report_command(command, end, argv, started);
}

/* Files in the folder of -o. */
#define REPORT_FILES                                                        \
  "bareprof.conf: options, one a line, of the current folder.\n"            \
  "bareprof-report/html/index.html: the report's first page.\n"             \
  "bareprof-report/evidence.json: inputs, totals, limits, and what is not " \
  "known.\n"                                                                \
  "bareprof-report/tests.json: with --tests, which test reaches what.\n"

const struct command command_report = {
    .name = "report",
    .examples = "bareprof report fw.elf console.log\n"
                "bareprof report fw.elf console.log --fail-under lines=80 "
                "--lcov lcov.info",
    .summary = "make a coverage report from console logs",
    .made = REPORT_FILES,
    .usage = "ELF... LOG... [options]",
    .about =
        "Makes a coverage report from console logs: a table on the terminal, "
        "HTML and profiles in a folder. Takes ELFs and logs of several boards, "
        "cores and images in any order, and matches them by build id. LOG is a "
        "console log with dumps of bareprof_send, a .bpdump or a .profraw. For "
        "each boot the last complete dump counts. Counts of several boots and "
        "files are added. Needs no other program.",
    .other_options = tests_for_options,
    .as = OF_REPORT,
    .notes = "Several ELFs are merged by source file and line. If several ELFs "
             "contain the same function, their counts are added. A line ran if "
             "it ran in one of the ELFs.",
    RUNS(run_report, report_options, 1, 0, "the ELFs and logs")};

const struct command command_run = {
    .name = "run",
    .examples = "bareprof run fw.elf --port /dev/ttyACM0\n"
                "bareprof run fw.elf -- qemu-system-arm -machine mps2-an385 "
                "-nographic -kernel fw.elf",
    .summary = "run a command or listen to a board, then report its dumps",
    .made = REPORT_FILES "bareprof-report/console.log: the firmware's output.",
    .usage =
        "ELF... [LOG...] [options] {--port ADDRESS | -- COMMAND [ARGUMENT...]}",
    .about =
        "Listens to a board's serial port, or starts COMMAND (QEMU, a flasher "
        "with a console). Shows the output, extracts the dumps, and makes the "
        "same report as `bareprof report`. Ends after enough dumps, at the "
        "timeout, or on Ctrl-C, and then ends COMMAND. What you type goes to "
        "the console of COMMAND. Sends nothing to the port, and does not reset "
        "the board: reset the board by hand, or let it dump on its own. LOG is "
        "a file that COMMAND writes, such as the .profraw of semihosting.",
    .other_options = tests_for_options,
    .as = OF_RUN,
    .notes = "The folder of the report has the output as console.log. Exit "
             "status 1 if COMMAND fails, if dumps are missing, or if coverage "
             "is below --fail-under.",
    RUNS(run_run_or_live, report_options, 1, 0,
         "the ELFs before --, and the command after it")};

const struct command command_live = {
    .name = "live",
    .examples = "bareprof live fw.elf --port /dev/ttyACM0 --page 8000\n"
                "bareprof live fw.elf --port gdb:localhost:3333\n"
                "bareprof live fw.elf --gdb -- qemu-system-arm -machine "
                "mps2-an385 -nographic -kernel fw.elf",
    .summary = "show the coverage while the firmware runs",
    .made = REPORT_FILES "bareprof-report/console.log: the firmware's output.",
    .usage = "ELF... [options] {--port ADDRESS | -- COMMAND [ARGUMENT...]}",
    .about =
        "Works like `bareprof run --every 0.5 --request`: asks the firmware on "
        "the port whether its counts have changed, and requests a dump if they "
        "have. With a GDB server, reads the counters instead. Without a port "
        "or a GDB server, waits for the dumps of COMMAND. Draws the coverage "
        "on the terminal. Without a terminal, prints a line for each change. "
        "Ctrl-C ends the session, and writes the report of `bareprof run`.",
    .other_options = tests_for_options,
    .as = OF_LIVE,
    .less = OF_REPORT,
    .notes = "live also takes the options of `bareprof report`, such as -o DIR "
             "and --lcov FILE. The folder of the report has the firmware's "
             "output as console.log. Firmware needs no runtime if a GDB server "
             "reads its counters.",
    RUNS(run_run_or_live, report_options, 1, 0,
         "the ELFs before --, and the command after it")};
