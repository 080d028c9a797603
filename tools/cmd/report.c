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

/* Returns the error if options exclude or need each other, or if more than one
 * input is standard input; otherwise NULL. */
static const char *
check_option_combination(const struct report_arguments *arguments,
                         char **names) {
  const char *diff = arguments->diff;
  char *const *command = arguments->console.command;
  if (command && !*command && !arguments->console.port)
    return arguments->gdb.wanted
               ? "--gdb needs a command after --; for a GDB server that runs "
                 "already, use --port gdb:HOST:PORT instead"
               : "a command or a port is missing; write the command after "
                 "--, or use --port; for a log use bareprof report";
  if (command && *command && arguments->console.port)
    return "use either a port or a command; remove --port or the command";
  if (arguments->console.baud && !arguments->console.port)
    return "--baud needs a --port";
  const char *wrong = run_gdb_check_settings(arguments);
  if (wrong)
    return wrong;
  if (arguments->trace && (arguments->gdb.every > 0 || arguments->has_page))
    return "--every and --page do not work with --trace, which counts only at "
           "the end; remove them";
  if (arguments->has_page && !(arguments->gdb.every > 0))
    return "--page works only with --every S; add --every, or use bareprof "
           "live";
  bool by_gdb = arguments->gdb.wanted ||
                run_gdb_find_server_address(&arguments->console) != NULL;
  if (by_gdb && arguments->counted)
    return "--count counts dumps, but a GDB server sends none; use --timeout";
  if (arguments->console.polls && arguments->tests.wanted)
    return "--tests needs named dumps that the firmware sends by itself; use "
           "bareprof run without --request";
  if (arguments->console.polls && !arguments->console.port)
    return "--request needs a --port";
  if (arguments->trace && (arguments->gdb.wanted || arguments->console.port))
    return "--trace starts a COMMAND; remove --gdb and --port";
  if (arguments->trace && !os_has_local_servers)
    return "--trace does not work on Windows, for which bareprof has no QEMU "
           "plugin; use WSL";
  if (!diff && arguments->diff_formatted)
    return "--diff-format needs --diff";
  if (!diff && arguments->limits.patch >= 0)
    return "--fail-under patch=N needs --diff";
  if (!arguments->against_name &&
      (arguments->against.fail_lost || arguments->against.fail_lower))
    return "--fail-on lost and lower need --against";
  if (arguments->settings.lines == LINES_CODE &&
      arguments->settings.as_llvm_cov)
    return "--as-llvm-cov counts llvm-cov's lines; remove --lines code";
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

static void copy_source_maps(struct report_arguments *arguments) {
  for (size_t i = 0; i < arguments->settings.paths.count; i++)
    arguments->maps[i] = need_memory(paths_copy_map(arguments->maps[i]));
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
  arguments->console.polls |=
      console->port && !run_gdb_find_server_address(console);
}

/* Runs report, run or live. `command` has the words after --; NULL for report.
 */
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
    exit_after_flush(options_report_misuse(self, "%s", wrong));
  copy_source_maps(&arguments);
  add_root_source_map(&arguments);
  arguments.words = words;
  arguments.console.timeout = (uint64_t)(arguments.timeout * 1000 + 0.999);
  arguments.console.every = (uint64_t)(arguments.gdb.every * 1000 + 0.999);
  settings->paths.maps = arguments.maps;
  arguments.shown_paths = settings->paths;
  arguments.shown_paths.here =
      os_current_folder(arguments.here, sizeof arguments.here);
  arguments.tests.wants_lcov = arguments.outputs.lcov;
  settings->mcdc = arguments.limits.least[MCDC] >= 0;
  arguments.inputs.allow_missing = settings->allow_missing;
  /* --before-reset needs the evaluation of single tests. */
  arguments.tests.alone = !arguments.tests.wanted;
  arguments.tests.wanted |= arguments.tests.before_reset;
  if (arguments.tests.wanted)
    arguments.inputs.tests = &arguments.tests;
  int status = filter_resolve_root(&settings->filter) ||
               report_make(&arguments, names, (size_t)(argc - optind));
  change_free(&arguments.change);
  baseline_free(&arguments.against);
  places_free(&arguments.places);
  tests_free(&arguments.tests);
  exclusions_free(&arguments.exclusions);
  expected_free(&arguments.whole);
  checks_free(&arguments.checks);
  filter_free(&settings->filter);
  object_lines_free(&arguments.object);
  inputs_free(&arguments.inputs);
  for (size_t i = 0; i < settings->paths.count; i++)
    free((void *)(uintptr_t)arguments.maps[i]);
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
    if (!strncmp(os_base_name(argv[i]), "qemu-system-", 12))
      return options_report_misuse(
          command, "put -- before the command: -- %.200s ...", argv[i]);
  char **started = argv + end + (end < argc);
  argv[end] = NULL;
  return run_report_command(command, end, argv, started);
}

/* Lines of the FILES section of a man page. */
#define REPORT_FILES                                                     \
  "bareprof.conf: options in the current folder, one per line.\n"        \
  "bareprof-report/html/index.html: the first page of the report.\n"     \
  "bareprof-report/evidence.json: inputs, totals, limits, and what the " \
  "report does not know.\n"                                              \
  "bareprof-report/tests.json: with --tests, which test reaches which code.\n"

const struct command command_report = {
    .name = "report",
    .examples = "bareprof report fw.elf console.log\n"
                "bareprof report fw.elf console.log --fail-under lines=80 "
                "--lcov lcov.info",
    .summary = "make a coverage report from console logs",
    .made = REPORT_FILES,
    .usage = "ELF... LOG... [options]",
    .about =
        "Makes a coverage report from console logs: prints a table, and writes "
        "HTML pages and profiles to a folder. Takes the ELFs and logs of "
        "several boards, cores and images in any order, and finds the ELF of "
        "each log by its build id. LOG is a console log that contains dumps "
        "(copies of the counters that the firmware sends), a .bpdump, .profraw "
        "or .core file, or a trace. If a boot sent several dumps, only "
        "the last complete dump counts. The counts of several boots and files "
        "are added. The command needs no other program, such as llvm-cov.",
    .other_options = tests_for_options,
    .as = OF_REPORT,
    .notes = "The coverage of several ELFs is merged by source file and line. "
             "If several ELFs contain the same function, their counts are "
             "added. A line is covered if the line ran in one of the ELFs.",
    RUNS(run_report, report_options, 1, 0, "the ELFs and logs")};

const struct command command_run = {
    .name = "run",
    .examples = "bareprof run fw.elf --port /dev/ttyACM0\n"
                "bareprof run fw.elf -- qemu-system-arm -machine mps2-an385 "
                "-nographic -kernel fw.elf",
    .summary = "run firmware in QEMU or on a board, and report its coverage",
    .made =
        REPORT_FILES "bareprof-report/console.log: the output of the firmware.",
    .usage =
        "ELF... [LOG...] [options] {--port ADDRESS | -- COMMAND [ARGUMENT...]}",
    .about =
        "Reports the coverage of firmware that runs on a board or in QEMU: "
        "listens to the board's serial port, or starts COMMAND (QEMU, or a "
        "flasher that shows the console). Shows the output of the firmware, "
        "finds dumps in the output, and makes the same report as `bareprof "
        "report`. A dump is a copy of the coverage counters that the firmware "
        "sends. The command stops after --count dumps, at the timeout, or on "
        "Ctrl-C, and then also stops COMMAND. Your keyboard input goes to the "
        "console of COMMAND. Without --request, bareprof sends nothing to the "
        "port. bareprof never resets the board: reset the board by hand, or "
        "let the firmware send a dump on its own. LOG is a file that COMMAND "
        "writes and that contains dumps, such as a .profraw file that the "
        "firmware writes through semihosting.",
    .other_options = tests_for_options,
    .as = OF_RUN,
    .notes =
        "The folder of the report also contains the output of the firmware, in "
        "console.log. The exit status is 1 if COMMAND fails, if dumps are "
        "missing, or if coverage is below a limit of --fail-under.",
    RUNS(run_run_or_live, report_options, 1, 0,
         "the ELFs before --, and the command after it")};

const struct command command_live = {
    .name = "live",
    .examples = "bareprof live fw.elf --port /dev/ttyACM0 --page 8000\n"
                "bareprof live fw.elf --port gdb:localhost:3333\n"
                "bareprof live fw.elf --gdb -- qemu-system-arm -machine "
                "mps2-an385 -nographic -kernel fw.elf",
    .summary = "show the coverage while the firmware runs",
    .made =
        REPORT_FILES "bareprof-report/console.log: the output of the firmware.",
    .usage = "ELF... [options] {--port ADDRESS | -- COMMAND [ARGUMENT...]}",
    .about = "Shows the coverage on the terminal while the firmware runs. "
             "Every 0.5 seconds (--every), asks the firmware on the port "
             "whether its counts have changed, and if so, requests a dump (a "
             "copy of the counters). With a GDB server, reads the counters "
             "from the memory of the target instead. Without a port or a GDB "
             "server, waits for the dumps in the output of COMMAND. If the "
             "output is not a terminal, prints a line for each change. On "
             "Ctrl-C, stops and writes the same report as `bareprof run`.",
    .other_options = tests_for_options,
    .as = OF_LIVE,
    .less = OF_REPORT,
    .notes = "live also takes the options of `bareprof report`, such as -o DIR "
             "and --lcov FILE. The folder of the report also contains the "
             "output of the firmware, in console.log. If a GDB server reads "
             "the counters, the firmware needs no bareprof runtime.",
    RUNS(run_run_or_live, report_options, 1, 0,
         "the ELFs before --, and the command after it")};
