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

static const char *take_limits(void *context, const char *value) {
  struct report_arguments *arguments = context;
  return limits_read(&arguments->limits, value)
             ? NULL
             : "--fail-under must be a list such as lines=80,mcdc=70.5, of "
               "functions, lines, regions, branches, mcdc, patch and, of "
               "object code, instructions, from 0 to 100";
}

static const char *take_map(void *context, const char *value) {
  struct report_arguments *arguments = context;
  struct report_settings *settings = &arguments->settings;
  if (!paths_map(value))
    return "--source-map must be FROM=TO, without a comma";
  if (settings->paths.count == MAPS_MOST)
    return "too many --source-map";
  char *map = paths_map_copy(value);
  arguments->maps[settings->paths.count++] = map;
  return map ? NULL : out_of_memory;
}

static const char *take_pattern(void *context, const char *value) {
  struct report_arguments *arguments = context;
  return tests_pattern(&arguments->tests, value);
}

static const char *take_junit(void *context, const char *value) {
  struct report_arguments *arguments = context;
  if (arguments->junit_count == JUNITS_MOST)
    return "too many --junit";
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
    return "--which must be FILE:LINE";
  if (tests->which_count == WHICH_MOST)
    return "too many --which";
  tests->which[tests->which_count++] = value;
  tests->wanted = true;
  return NULL;
}

static const char *take_at(void *context, const char *value) {
  struct run_gdb *gdb = &((struct report_arguments *)context)->gdb;
  if (!*value || gdb->at_count == AT_MOST)
    return *value ? "too many --at" : "--at lacks its SYMBOL";
  gdb->at[gdb->at_count++] = value;
  return NULL;
}

static const char *take_include(void *context, const char *value) {
  struct report_arguments *arguments = context;
  return patterns_add(&arguments->settings.filter.includes, value);
}

static const char *take_ignore(void *context, const char *value) {
  struct report_arguments *arguments = context;
  return patterns_add(&arguments->settings.filter.ignores, value);
}

static const char *take_moved(void *context, const char *value) {
  struct report_arguments *arguments = context;
  if (arguments->moved_count == MOVED_MOST)
    return "too many --moved";
  arguments->moved[arguments->moved_count++] = value;
  return NULL;
}

static const char *take_buffer_end(void *context, const char *value) {
  return trace_position(&((struct report_arguments *)context)->how, value);
}

static const char *take_sources(void *context, const char *value) {
  struct whole *whole = &((struct report_arguments *)context)->whole;
  if (whole->what_count == WHOLES_MOST)
    return "too many --sources";
  whole->what[whole->what_count++] = value;
  return NULL;
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
    {.name = "port",
     .letter = 'p',
     .value = "ADDRESS",
     .help = "listen here, without a COMMAND: /dev/..., COM7, tcp:HOST:PORT, "
             "unix:PATH, gdb:HOST:PORT (reads the counters by a debug probe's "
             "GDB server), rtt:[CHANNEL@]HOST[:PORT]",
     OPTION(struct report_arguments, console.port),
     .of = OF_RUN | OF_LIVE,
     .often = true},
    {.name = "baud",
     .letter = 'b',
     .value = "N",
     .help = "baud rate of the serial device (default: 115200)",
     OPTION(struct report_arguments, console.baud),
     .least = 1,
     .most = 1000000000,
     .of = OF_RUN | OF_LIVE},
    {.name = "gdb",
     .help = "start COMMAND, which is QEMU, with a GDB server, and read the "
             "counters where the program ends (_exit, abort, semihosting), at "
             "the timeout, or on Ctrl-C; no code on the target",
     OPTION(struct report_arguments, gdb.wanted),
     .of = OF_RUN | OF_LIVE,
     .often = true},
    {.name = "trace",
     .help = "start COMMAND, which is QEMU, with a plugin that counts what "
             "ran, for an ELF of bareprof cc --counters=trace; of any other "
             "ELF it counts the object code",
     OPTION(struct report_arguments, trace),
     .of = OF_RUN | OF_LIVE},
    {.name = "at",
     .value = "SYMBOL",
     .help = "with --gdb: read when the program reaches this function, "
             "FUNCTION+0xOFFSET or 0xADDRESS; ELF:FUNCTION reads this ELF "
             "there and goes on (boot stages)",
     .take = take_at,
     .of = OF_RUN | OF_LIVE},
    {.name = "until",
     .value = "TEXT",
     .help = "with --gdb: read when the output shows this text",
     OPTION(struct report_arguments, gdb.until),
     .of = OF_RUN | OF_LIVE},
    {.name = "request",
     .help = "request dumps at the port (bareprof_wire_feed): one, or with "
             "--every whenever the counts have changed, and at the end; live "
             "always does",
     OPTION(struct report_arguments, console.asks),
     .of = OF_RUN | OF_LIVE},
    {.name = "every",
     .value = "S",
     .help = "look at the coverage every S seconds (default: 0.5)",
     OPTION(struct report_arguments, gdb.every),
     .most = 1000000,
     .of = OF_LIVE,
     .often = true},
    {.name = "every",
     .value = "S",
     .help = "look at the coverage every S seconds while the program runs: "
             "print what is new, and write --lcov again; without --count, "
             "until the output ends",
     OPTION(struct report_arguments, gdb.every),
     .most = 1000000,
     .of = OF_RUN},
    {.name = "poison",
     .help = "with --gdb: fill the counters with 0xA5 at reset; then counters "
             "that start-up code does not clear are an error",
     OPTION(struct report_arguments, gdb.poison),
     .of = OF_RUN | OF_LIVE},
    {.name = "count",
     .letter = 'n',
     .value = "N",
     .help = "end after N complete dumps of each ELF (default: go on)",
     OPTION(struct report_arguments, console.count),
     .given = offsetof(struct report_arguments, counted),
     .least = 1,
     .most = 1000000000,
     .of = OF_LIVE},
    {.name = "count",
     .letter = 'n',
     .value = "N",
     .help = "end after N complete dumps of each ELF (default: 1)",
     OPTION(struct report_arguments, console.count),
     .given = offsetof(struct report_arguments, counted),
     .least = 1,
     .most = 1000000000,
     .of = OF_RUN,
     .often = true},
    {.name = "timeout",
     .value = "S",
     .help = "end after S seconds (default: 60 without output; by a GDB "
             "server: only on Ctrl-C)",
     OPTION(struct report_arguments, timeout),
     .most = 1000000,
     .of = OF_LIVE,
     .often = true},
    {.name = "timeout",
     .value = "S",
     .help = "end after S seconds (default: 60 without output; with --gdb: 10, "
             "or 60 with --at, --until or --every)",
     OPTION(struct report_arguments, timeout),
     .most = 1000000,
     .of = OF_RUN,
     .often = true},
    {.name = "source-map",
     .value = "FROM=TO",
     .help = "the sources were compiled in folder FROM and are now in TO",
     .take = take_map},
    {.name = "allow-missing",
     .help = "go on if dumps, ELFs or sources are missing",
     OPTION(struct report_arguments, settings.allow_missing)},
    {.name = "allow-changed",
     .help = "go on if sources have changed since the build, and mark them",
     OPTION(struct report_arguments, settings.allow_changed)},
    {.help = "Filters"},
    {.name = "root",
     .value = "DIR",
     .help = "only source files below DIR",
     OPTION(struct report_arguments, settings.filter.root)},
    {.name = "include",
     .value = "REGEX",
     .help = "only source files that match",
     .take = take_include,
     .often = true},
    {.name = "ignore",
     .value = "REGEX",
     .help = "without source files that match",
     .take = take_ignore,
     .often = true},
    {.name = "exclusions",
     .value = "FILE",
     .help = "leave out code that FILE names, with reasons, as well as what "
             "LCOV_EXCL_ and GCOVR_EXCL_ mark in the sources",
     OPTION(struct report_arguments, exclusions.name),
     .often = true},
    {.name = "no-markers",
     .help = "count what LCOV_EXCL_ and GCOVR_EXCL_ mark in the sources",
     OPTION(struct report_arguments, exclusions.no_markers)},
    {.name = "sources",
     .value = "WHAT",
     .help = "say what became of each source that should be in the report, and "
             "count those that are not: of a compile_commands.json, a "
             "linker's map, a folder, or a list of files",
     .take = take_sources},
    {.name = "lines",
     .value = "KIND",
     .help = "which lines count: all that llvm-cov counts (default); code, "
             "without those that have braces, `else` or comments alone",
     OPTION(struct report_arguments, settings.lines),
     .words = line_kinds},
    {.help = "Limits"},
    {.name = "fail-under",
     .value = "LIST",
     .help = "exit status 1 if coverage is lower, in percent: "
             "functions=N,lines=N,regions=N,branches=N,mcdc=N, of object code "
             "instructions=N, and patch=N for the lines of --diff",
     .take = take_limits,
     .often = true},
    {.name = "fail-on",
     .value = "LIST",
     .help = "exit status 1 if an exclusion excludes nothing (stale), or code "
             "that is covered (ran); if --against lists something (lost), or a "
             "total is lower (lower): stale,ran,lost,lower",
     .take = take_faults},
    {.name = "require-reasons",
     .help = "exit status 1 if an exclusion has no reason",
     OPTION(struct report_arguments, exclusions.require_reasons)},
    {.name = "diff",
     .value = "FILE",
     .help = "coverage of what a unified diff changes (`git diff -U0`); -: "
             "standard input",
     OPTION(struct report_arguments, diff),
     .often = true},
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
     OPTION(struct report_arguments, against_name),
     .often = true},
    {.name = "allow-unmeasured",
     .help = "--fail-under mcdc=N allows decisions that clang leaves out",
     OPTION(struct report_arguments, settings.allow_unmeasured)},
    {.help = "Outputs"},
    {.name = "output",
     .letter = 'o',
     .value = "DIR",
     .help = "folder of the report; the files of an earlier report in it are "
             "replaced (default: bareprof-report)",
     OPTION(struct report_arguments, out),
     .often = true},
    {.name = "page",
     .value = "PORT",
     .help = "with --every: show the coverage as a page, too, at a PORT of "
             "this machine; 0: any",
     OPTION(struct report_arguments, page),
     .given = offsetof(struct report_arguments, has_page),
     .most = 65535,
     .of = OF_RUN | OF_LIVE},
    {.name = "quiet",
     .letter = 'q',
     .help = "do not show the firmware's output",
     OPTION(struct report_arguments, console.quiet),
     .of = OF_RUN | OF_LIVE},
    {.name = "quiet",
     .letter = 'q',
     .help = "print no table, only errors and what other options ask for",
     OPTION(struct report_arguments, silent),
     .of = OF_REPORT},
    {.name = "open",
     .help = "show the report in the browser",
     OPTION(struct report_arguments, open),
     .often = true},
    {.name = "uncovered",
     .help = "list the functions that never ran first",
     OPTION(struct report_arguments, uncovered)},
/* --lcov is the first format; the help marks it as often used. */
#define FORMAT_ROW(field, option, about)           \
  {.name = option,                                 \
   .value = "FILE",                                \
   .help = about,                                  \
   OPTION(struct report_arguments, outputs.field), \
   .often = offsetof(struct outputs, field) == 0},
    OUTPUT_FORMATS(FORMAT_ROW)
    {.help = "Tests"},
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
             "name begins with 'reset: ' (bareprof_reboot_name)",
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
    {.help = "Object code"},
    {.name = "object-code",
     .help = "of an ELF of any compiler: lines and branches of its object "
             "code, which a trace counts, with run --trace or of traces of "
             "QEMU's plugin; needed if it has a coverage mapping",
     OPTION(struct report_arguments, object_code)},
    {.name = "pcs",
     .value = "FORM",
     .help = "the logs are lists of addresses, of object code: order, each "
             "instruction as it ran; blocks, the first of each block, as "
             "-d exec of QEMU has it; count, ADDRESS COUNT; set, what ran; or "
             "drcov, blocks that ran; mtb, a Micro Trace Buffer; etm, what "
             "OpenCSD's trc_pkt_lister -decode prints of one core",
     OPTION(struct report_arguments, pcs),
     .words = pc_forms,
     .given = offsetof(struct report_arguments, lists)},
    {.name = "position",
     .value = "VALUE",
     .help = "with --pcs=mtb: MTB_POSITION; the list is the whole buffer",
     .take = take_buffer_end},
    {.name = "least",
     .help = "with --pcs=mtb and etm: the buffer wrapped, or something is "
             "lost; report what ran at least",
     OPTION(struct report_arguments, how.least)},
    {.name = "moved",
     .value = "FROM=TO",
     .help = "of object code: what the ELF has from the address FROM on ran at "
             "TO, as after a copy to RAM or of a PIE",
     .take = take_moved},
    {.help = "Expert"},
    CONFIG_ROWS,
    {.name = "cobertura-limit",
     .value = "MB",
     .help = "write Cobertura's XML in several files (c.xml, c-2.xml) of at "
             "most so many megabytes; GitLab reads up to 10",
     OPTION(struct report_arguments, outputs.cobertura_limit),
     .least = 1,
     .most = 1000},
    {.name = "json-expansions",
     .help = "--json with the expansions of each file, as llvm-cov has them "
             "without -skip-expansions",
     OPTION(struct report_arguments, expansions)},
    {.name = "no-demangle",
     .help = "show C++ and Rust names as the compiler has them",
     OPTION(struct report_arguments, settings.no_demangle)},
    {.name = "as-llvm-cov",
     .help = "give the numbers of llvm-cov, also where they are wrong: lines "
             "that never ran, counts below 0",
     OPTION(struct report_arguments, settings.as_llvm_cov)},
    {0}};
