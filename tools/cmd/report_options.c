/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The option table of bareprof report, run and live. Fills struct
 * report_arguments.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../objectcode/objectcode.h"

static const char *parse_limits(void *context, const char *value) {
  struct report_arguments *arguments = context;
  return limits_parse(&arguments->limits, value)
             ? NULL
             : "--fail-under must be a list such as lines=80,mcdc=70.5, of "
               "functions, lines, regions, branches, mcdc, patch and, of "
               "object code, instructions, from 0 to 100";
}

static const char *parse_source_map(void *context, const char *value) {
  struct report_arguments *arguments = context;
  struct report_settings *settings = &arguments->settings;
  if (!paths_is_source_map(value))
    return "--source-map must be FROM=TO, without a comma";
  if (settings->paths.count == MAPS_MOST)
    return "too many --source-map";
  char *map = paths_copy_map(value);
  arguments->maps[settings->paths.count++] = map;
  return map ? NULL : out_of_memory;
}

static const char *parse_test_pattern(void *context, const char *value) {
  struct report_arguments *arguments = context;
  return tests_set_pattern(&arguments->tests, value);
}

static const char *parse_junit(void *context, const char *value) {
  struct report_arguments *arguments = context;
  if (arguments->junit_count == JUNITS_MOST)
    return "too many --junit";
  arguments->junits[arguments->junit_count++] = value;
  arguments->tests.wanted = true;
  return NULL;
}

static const char *parse_which(void *context, const char *value) {
  struct report_arguments *arguments = context;
  struct tests *tests = &arguments->tests;
  const char *colon = strrchr(value, ':');
  if (!colon || colon == value || !colon[1] ||
      colon[1 + strspn(colon + 1, "0123456789")])
    return "--which must be FILE:LINE";
  if (tests->which_count == WHICH_MOST)
    return "too many --which";
  tests->which[tests->which_count++] = value;
  tests->wanted = true;
  return NULL;
}

static const char *parse_at(void *context, const char *value) {
  struct run_gdb_settings *gdb = &((struct report_arguments *)context)->gdb;
  if (!*value || gdb->at_count == AT_MOST)
    return *value ? "too many --at" : "--at lacks its SYMBOL";
  gdb->at[gdb->at_count++] = value;
  return NULL;
}

static const char *parse_include(void *context, const char *value) {
  struct report_arguments *arguments = context;
  return patterns_add(&arguments->settings.filter.includes, value);
}

static const char *parse_ignore(void *context, const char *value) {
  struct report_arguments *arguments = context;
  return patterns_add(&arguments->settings.filter.ignores, value);
}

static const char *parse_moved(void *context, const char *value) {
  struct report_arguments *arguments = context;
  if (arguments->moved_count == MOVED_MOST)
    return "too many --moved";
  arguments->moved[arguments->moved_count++] = value;
  return NULL;
}

static const char *parse_position(void *context, const char *value) {
  return trace_parse_position(&((struct report_arguments *)context)->how,
                              value);
}

static const char *parse_sources(void *context, const char *value) {
  struct expected_sources *whole = &((struct report_arguments *)context)->whole;
  if (whole->what_count == EXPECTED_MOST)
    return "too many --sources";
  whole->what[whole->what_count++] = value;
  return NULL;
}

static const char *parse_fail_on(void *context, const char *value) {
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
      return "--fail-on must be a list such as stale,lost, of stale, ran, lost "
             "and lower";
    *known[i].fails = true;
    at += size;
    if (!*at)
      return NULL;
  }
}

const struct option_row report_options[] = {
    {.help = "Input"},
    {"port", 'p', "ADDRESS",
     .help =
         "listen on this port, without a COMMAND: /dev/..., COM7, "
         "tcp:HOST:PORT, unix:PATH, gdb:HOST:PORT (reads the counters through "
         "the GDB server of a debug probe) or rtt:[CHANNEL@]HOST[:PORT]",
     OPTION(struct report_arguments, console.port),
     .commands = OF_RUN | OF_LIVE, .often = true},
    {"baud", 'b', "N", .help = "baud rate of the serial port (default: 115200)",
     OPTION(struct report_arguments, console.baud), .least = 1,
     .most = 1000000000, .commands = OF_RUN | OF_LIVE},
    {"gdb",
     .help = "start COMMAND (QEMU) with a GDB server, and read the counters at "
             "the end of the program (_exit, abort, semihosting), at the "
             "timeout, or on Ctrl-C. The target needs no runtime",
     OPTION(struct report_arguments, gdb.wanted), .commands = OF_RUN | OF_LIVE,
     .often = true},
    {"trace",
     .help = "start COMMAND (QEMU) with a plugin that counts what ran. The ELF "
             "is compiled with `bareprof cc --counters=trace`. For any other "
             "ELF, the plugin counts object code",
     OPTION(struct report_arguments, trace), .commands = OF_RUN | OF_LIVE},
    {"at", 0, "SYMBOL",
     .help = "with --gdb: read the counters when the program reaches SYMBOL: "
             "FUNCTION, FUNCTION+0xOFFSET or 0xADDRESS. For a boot stage with "
             "its own ELF, use ELF:FUNCTION: only the counters of this ELF are "
             "read, and the program continues",
     .parse_value = parse_at, .commands = OF_RUN | OF_LIVE},
    {"until", 0, "TEXT",
     .help = "with --gdb: read the counters when the output shows TEXT",
     OPTION(struct report_arguments, gdb.until), .commands = OF_RUN | OF_LIVE},
    {"request",
     .help = "request one dump from the firmware at the port (the firmware "
             "calls bareprof_wire_feed). With --every, request a dump whenever "
             "the counts have changed, and at the end. `bareprof live` always "
             "requests dumps",
     OPTION(struct report_arguments, console.polls),
     .commands = OF_RUN | OF_LIVE},
    {"every", 0, "S",
     .help = "update the coverage every S seconds (default: 0.5)",
     OPTION(struct report_arguments, gdb.every), .most = 1000000,
     .commands = OF_LIVE, .often = true},
    {"every", 0, "S",
     .help =
         "update the coverage every S seconds while the program runs: print "
         "the code that ran for the first time, and write the file of --lcov "
         "again. Without --count, the updates go on until the output ends",
     OPTION(struct report_arguments, gdb.every), .most = 1000000,
     .commands = OF_RUN},
    {"poison",
     .help = "with --gdb: fill the counters with 0xA5 at reset. If start-up "
             "code does not clear the counters, bareprof then reports an error",
     OPTION(struct report_arguments, gdb.poison), .commands = OF_RUN | OF_LIVE},
    {"count", 'n', "N",
     .help = "stop after N complete dumps of each ELF (default: no limit)",
     OPTION(struct report_arguments, console.count),
     .given = offsetof(struct report_arguments, counted), .least = 1,
     .most = 1000000000, .commands = OF_LIVE},
    {"count", 'n', "N",
     .help = "stop after N complete dumps of each ELF (default: 1)",
     OPTION(struct report_arguments, console.count),
     .given = offsetof(struct report_arguments, counted), .least = 1,
     .most = 1000000000, .commands = OF_RUN, .often = true},
    {"timeout", 0, "S",
     .help = "stop after S seconds. Default: stop after 60 seconds without "
             "output. Default with a GDB server: no limit, until Ctrl-C",
     OPTION(struct report_arguments, timeout), .most = 1000000,
     .commands = OF_LIVE, .often = true},
    {"timeout", 0, "S",
     .help = "stop after S seconds. Default: stop after 60 seconds without "
             "output. Default with --gdb: 10 seconds. Default with --gdb and "
             "--at, --until or --every: 60 seconds",
     OPTION(struct report_arguments, timeout), .most = 1000000,
     .commands = OF_RUN, .often = true},
    {"source-map", 0, "FROM=TO",
     .help = "look in folder TO for sources that were compiled in folder FROM",
     .parse_value = parse_source_map},
    {"allow-missing",
     .help = "report even if dumps, ELFs or sources are missing",
     OPTION(struct report_arguments, settings.allow_missing)},
    {"allow-changed",
     .help =
         "report even if sources have changed since the build, and mark them",
     OPTION(struct report_arguments, settings.allow_changed)},
    {.help = "Filters"},
    {"root", 0, "DIR", .help = "report only source files below DIR",
     OPTION(struct report_arguments, settings.filter.root)},
    {"include", 0, "REGEX",
     .help = "report only source files whose name matches REGEX",
     .parse_value = parse_include, .often = true},
    {"ignore", 0, "REGEX",
     .help = "leave out source files whose name matches REGEX",
     .parse_value = parse_ignore, .often = true},
    {"exclusions", 0, "FILE",
     .help = "leave out code that FILE lists, with reasons, in addition to the "
             "LCOV_EXCL_ and GCOVR_EXCL_ markers in the sources",
     OPTION(struct report_arguments, exclusions.name), .often = true},
    {"no-markers",
     .help = "ignore the LCOV_EXCL_ and GCOVR_EXCL_ markers in the sources",
     OPTION(struct report_arguments, exclusions.no_markers)},
    {"sources", 0, "WHAT",
     .help =
         "say for each source of WHAT whether the report has the source, or "
         "why not. Code of missing sources counts as never run. WHAT is a "
         "compile_commands.json, a linker map, a folder, or a list of files",
     .parse_value = parse_sources},
    {"lines", 0, "KIND",
     .help = "which lines count: all (as in llvm-cov, the default), or code "
             "(without lines that have only braces, `else` or comments)",
     OPTION(struct report_arguments, settings.lines), .words = line_kinds},
    {.help = "Limits"},
    {"fail-under", 0, "LIST",
     .help = "exit status 1 if coverage is below these percentages: "
             "functions=N,lines=N,regions=N,branches=N,mcdc=N; instructions=N "
             "for object code; patch=N for the lines of --diff",
     .parse_value = parse_limits, .often = true},
    {"fail-on", 0, "LIST",
     .help = "exit status 1 on any of these, separated by commas. stale: an "
             "exclusion excludes nothing. ran: excluded code is covered. lost: "
             "code that was covered in the earlier report of --against is not "
             "covered any more. lower: a total is lower than in that report",
     .parse_value = parse_fail_on},
    {"require-reasons", .help = "exit status 1 if an exclusion lacks a reason",
     OPTION(struct report_arguments, exclusions.require_reasons)},
    {"diff", 0, "FILE",
     .help = "show the coverage of the lines that a unified diff changes (`git "
             "diff -U0`); - is standard input",
     OPTION(struct report_arguments, diff), .often = true},
    {"diff-format", 0, "FORM",
     .help = "how --diff lists uncovered lines: text (FILE:LINE: WHAT, the "
             "default), or github (::warning lines)",
     OPTION(struct report_arguments, diff_format), .words = change_formats,
     .given = offsetof(struct report_arguments, diff_formatted)},
    {"against", 0, "FILE",
     .help = "compare with the --json file of an earlier report, and list code "
             "that is not covered any more",
     OPTION(struct report_arguments, against_name), .often = true},
    {"allow-unmeasured",
     .help = "let --fail-under mcdc=N pass if clang does not measure some "
             "decisions",
     OPTION(struct report_arguments, settings.allow_unmeasured)},
    {.help = "Outputs"},
    {"output", 'o', "DIR",
     .help = "write the report to this folder, and replace an earlier report "
             "in it (default: bareprof-report)",
     OPTION(struct report_arguments, out), .often = true},
    {"page", 0, "PORT",
     .help = "with --every: also show the coverage as a web page on this local "
             "PORT; 0 chooses a free port",
     OPTION(struct report_arguments, page),
     .given = offsetof(struct report_arguments, has_page), .most = 65535,
     .commands = OF_RUN | OF_LIVE},
    {"quiet", 'q', .help = "do not show the firmware's output",
     OPTION(struct report_arguments, console.quiet),
     .commands = OF_RUN | OF_LIVE},
    {"quiet", 'q',
     .help =
         "print only errors and the output of other options, without the table",
     OPTION(struct report_arguments, silent), .commands = OF_REPORT},
    {"open", .help = "open the report in the browser",
     OPTION(struct report_arguments, open), .often = true},
    {"uncovered", .help = "before the table, list the functions that never ran",
     OPTION(struct report_arguments, uncovered)},
/* The row of an output format. --lcov is the first format; the help marks it as
 * often used. */
#define FORMAT_ROW(field, option, about)           \
  {option, .value = "FILE", .help = about,         \
   OPTION(struct report_arguments, outputs.field), \
   .often = offsetof(struct output_names, field) == 0},
    OUTPUT_FORMATS(FORMAT_ROW){.help = "Tests"},
    {"tests",
     .help = "show which test covers what; each named dump "
             "(bareprof_send_name), or each log, is a test",
     OPTION(struct report_arguments, tests.wanted)},
    {"test-pattern", 0, "REGEX",
     .help = "a line of the log that matches REGEX names the next dump. The "
             "first group of REGEX is the name. Implies --tests",
     .parse_value = parse_test_pattern},
    {"tests-reset",
     .help = "use if the firmware resets its counters before each test; "
             "implies --tests",
     OPTION(struct report_arguments, tests.resets),
     .given = offsetof(struct report_arguments, tests.wanted)},
    {"before-reset",
     .help = "show what ran only before a reset, from dumps whose name begins "
             "with 'reset: ' (bareprof_reboot_name)",
     OPTION(struct report_arguments, tests.before_reset)},
    {"which", 0, "FILE:LINE",
     .help = "list the tests that reach this line; implies --tests",
     .parse_value = parse_which},
    {"junit", 0, "FILE",
     .help =
         "leave out the tests that failed in this JUnit file; implies --tests",
     .parse_value = parse_junit},
    {.help = "Object code"},
    {"object-code",
     .help = "report lines and branches of the object code, for an ELF of any "
             "compiler, from `run --trace` or from traces of QEMU's plugin. "
             "The option is needed only if the ELF has a coverage mapping",
     OPTION(struct report_arguments, object_code)},
    {"pcs", 0, "FORM",
     .help =
         "read the logs as address lists of object code, in format FORM: order "
         "(each instruction in order), blocks (first instruction of each "
         "block, as QEMU's -d exec), count (ADDRESS COUNT), set (addresses "
         "that ran), drcov (blocks that ran), mtb (a Micro Trace Buffer), or "
         "etm (output of OpenCSD's trc_pkt_lister -decode for one core)",
     OPTION(struct report_arguments, pcs), .words = pc_forms,
     .given = offsetof(struct report_arguments, lists)},
    {"position", 0, "VALUE",
     .help = "with --pcs=mtb: the value of the register MTB_POSITION. Use the "
             "option if you saved the whole buffer, not only the part up to "
             "MTB_POSITION",
     .parse_value = parse_position},
    {"least",
     .help = "with --pcs=mtb or etm: report the code that the trace still "
             "proves to have run, even if the buffer wrapped or data is lost",
     OPTION(struct report_arguments, how.least)},
    {"moved", 0, "FROM=TO",
     .help = "for object code that ran at another address, for example after a "
             "copy to RAM or in a PIE: FROM is the address in the ELF, TO the "
             "address where the code ran",
     .parse_value = parse_moved},
    {.help = "Expert"},
    CONFIG_ROWS,
    {"cobertura-limit", 0, "MB",
     .help = "split the Cobertura XML into files of at most MB megabytes "
             "(c.xml, c-2.xml). GitLab reads files of up to 10 megabytes",
     OPTION(struct report_arguments, outputs.cobertura_limit), .least = 1,
     .most = 1000},
    {"json-expansions",
     .help = "with --json: include the macro expansions of each file, as "
             "llvm-cov export does by default",
     OPTION(struct report_arguments, expansions)},
    {"no-demangle",
     .help = "show C++ and Rust names mangled, as the compiler wrote them",
     OPTION(struct report_arguments, settings.no_demangle)},
    {"as-llvm-cov",
     .help = "use the numbers of llvm-cov, even wrong numbers: counts of lines "
             "that never ran, and counts below 0",
     OPTION(struct report_arguments, settings.as_llvm_cov)},
    {0}};
