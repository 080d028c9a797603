/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The option table of bareprof report, run and live. Fills struct
 * report_arguments.
 */
#include "report.h"

#include <string.h>

#include "../objectcode/objectcode.h"

static const char *refuse_place(const char *value) {
  const char *colon = strrchr(value, ':');
  return !colon || colon == value || !colon[1] ||
                 colon[1 + strspn(colon + 1, "0123456789")]
             ? "--which must be FILE:LINE"
             : NULL;
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

#define FIELD(member) OPTION(struct report_arguments, member)
#define LIST(list, number) OPTION_TO_LIST(struct report_arguments, list, number)
#define PARSED(member, function) \
  PARSED_BY(struct report_arguments, member, function)
#define ALSO_SETS(member) .given = offsetof(struct report_arguments, member)

const struct option_row report_options[] = {
    {.help = "Input"},
    {"port", 'p', "ADDRESS",
     "listen on this port instead of starting a COMMAND: /dev/ttyACM0, COM7, "
     "tcp:HOST:PORT, unix:PATH, rtt:[CHANNEL@]HOST[:PORT], or gdb:HOST:PORT to "
     "read the counters through the GDB server of a debug probe",
     FIELD(console.port), .commands = OF_CONSOLE, .often = true},
    {"baud", 'b', "N", "baud rate of the serial port (default: 115200)",
     FIELD(console.baud), .least = 1, .most = 1000000000,
     .commands = OF_CONSOLE},
    {"gdb", 0, NULL,
     "start COMMAND (QEMU) with a GDB server, and read the counters from the "
     "memory of the target. `bareprof run` reads when the program ends (_exit, "
     "abort, semihosting), at the timeout, or on Ctrl-C. The firmware then "
     "needs no bareprof runtime",
     FIELD(gdb.wanted), .commands = OF_CONSOLE, .often = true},
    {"trace", 0, NULL,
     "start COMMAND (QEMU) with a plugin that counts which code runs. For "
     "source coverage, compile the ELF with `bareprof cc --counters=trace`. "
     "For any other ELF, the report shows the object code (machine "
     "instructions)",
     FIELD(trace), .commands = OF_CONSOLE},
    {"at", 0, "SYMBOL",
     "with --gdb: read the counters when the program reaches SYMBOL, which is "
     "FUNCTION, FUNCTION+0xOFFSET or 0xADDRESS. For a boot stage that has its "
     "own ELF, use ELF:FUNCTION: bareprof reads only the counters of this ELF, "
     "and the program continues",
     LIST(gdb.at, gdb.at_count), .commands = OF_CONSOLE},
    {"until", 0, "TEXT",
     "with --gdb: read the counters when the output of the firmware contains "
     "TEXT",
     FIELD(gdb.until), .commands = OF_CONSOLE},
    {"request", 0, NULL,
     "request a dump from the firmware through the port; the firmware must "
     "call bareprof_wire_feed. With --every, request a dump whenever the "
     "counts have changed, and at the end. `bareprof live` always requests "
     "dumps",
     FIELD(console.polls), .commands = OF_CONSOLE},
    {"every", 0, "S", "update the coverage every S seconds (default: 0.5)",
     FIELD(gdb.every), .most = 1000000, .commands = OF_LIVE, .often = true},
    {"every", 0, "S",
     "every S seconds while the program runs, print which code ran for the "
     "first time, and write the --lcov file again. Without --count, the "
     "command continues until the output ends",
     FIELD(gdb.every), .most = 1000000, .commands = OF_RUN},
    {"poison", 0, NULL,
     "with --gdb: fill the counters with 0xA5 at reset, and report an error if "
     "the start-up code does not clear the counters",
     FIELD(gdb.poison), .commands = OF_CONSOLE},
    {"count", 'n', "N",
     "stop after N complete dumps of each ELF (default: no limit)",
     FIELD(console.count), ALSO_SETS(counted), .least = 1, .most = 1000000000,
     .commands = OF_LIVE},
    {"count", 'n', "N", "stop after N complete dumps of each ELF (default: 1)",
     FIELD(console.count), ALSO_SETS(counted), .least = 1, .most = 1000000000,
     .commands = OF_RUN, .often = true},
    {"timeout", 0, "S",
     "stop after S seconds. Without this option, stop after 60 seconds without "
     "output; with a GDB server, stop only on Ctrl-C",
     FIELD(timeout), .most = 1000000, .commands = OF_LIVE, .often = true},
    {"timeout", 0, "S",
     "stop after S seconds. Without this option, stop after 60 seconds without "
     "output; with --gdb, after 10 seconds; with --gdb and one of --at, "
     "--until or --every, after 60 seconds",
     FIELD(timeout), .most = 1000000, .commands = OF_RUN, .often = true},
    {"source-map", 0, "FROM=TO",
     "look in folder TO for sources that were compiled in folder FROM",
     LIST(maps, settings.paths.count), .refuse = paths_refuse_map},
    {"allow-missing", 0, NULL,
     "make the report even if dumps, ELFs or source files are missing",
     FIELD(settings.allow_missing)},
    {"allow-changed", 0, NULL,
     "make the report even if source files have changed since the build, and "
     "mark the changed files",
     FIELD(settings.allow_changed)},
    {.help = "Filters"},
    {"root", 0, "DIR",
     "report only the source files in folder DIR and its subfolders",
     FIELD(settings.filter.root)},
    {"include", 0, "REGEX",
     "report only source files whose name matches REGEX; may be repeated",
     PARSED(settings.filter.includes, patterns_add), .often = true},
    {"ignore", 0, "REGEX",
     "leave out source files whose name matches REGEX; may be repeated",
     PARSED(settings.filter.ignores, patterns_add), .often = true},
    {"exclusions", 0, "FILE",
     "leave out the code that FILE lists, as well as code inside LCOV_EXCL_ "
     "and GCOVR_EXCL_ markers in the sources. FILE gives a reason for each "
     "exclusion",
     FIELD(exclusions.name), .often = true},
    {"no-markers", 0, NULL,
     "ignore the LCOV_EXCL_ and GCOVR_EXCL_ markers in the sources",
     FIELD(exclusions.no_markers)},
    {"sources", 0, "WHAT",
     "show for each source file in WHAT whether the report contains the file, "
     "and if not, why. Code in missing files counts as never run. WHAT is a "
     "compile_commands.json, a linker map, a folder, or a text file with a "
     "list of file names",
     LIST(whole.what, whole.what_count)},
    {"lines", 0, "KIND",
     "choose which lines count: all (as in llvm-cov, the default), or code "
     "(all lines except lines with only braces, `else` or comments)",
     FIELD(settings.lines), .words = line_kinds},
    {.help = "Limits"},
    {"fail-under", 0, "LIST",
     "exit with status 1 if coverage is below a percentage in LIST, such as "
     "lines=80,mcdc=70. LIST may contain functions=N, lines=N, regions=N, "
     "branches=N and mcdc=N; instructions=N for object code; and patch=N for "
     "the lines that the --diff file changes",
     PARSED(limits, limits_parse), .often = true},
    {"fail-on", 0, "LIST",
     "exit with status 1 if one of the cases in LIST occurs. LIST contains "
     "some of these words, separated by commas: stale (an exclusion excludes "
     "nothing), ran (excluded code ran), lost (code that was covered in the "
     "--against report is not covered any more), lower (a total is lower than "
     "in the --against report)",
     .parse_value = parse_fail_on},
    {"require-reasons", 0, NULL,
     "exit with status 1 if an exclusion has no reason",
     FIELD(exclusions.require_reasons)},
    {"diff", 0, "FILE",
     "show the coverage of the changed lines. FILE is a unified diff, such as "
     "the output of `git diff -U0`; - reads the diff from standard input",
     FIELD(diff), .often = true},
    {"diff-format", 0, "FORM",
     "print the uncovered lines of --diff in this format: text (FILE:LINE: "
     "WHAT, the default), or github (::warning lines)",
     FIELD(diff_format), .words = change_formats, ALSO_SETS(diff_formatted)},
    {"against", 0, "FILE",
     "compare with an earlier report, and list code that is not covered any "
     "more. FILE is the file that --json of the earlier report wrote",
     FIELD(against_name), .often = true},
    {"allow-unmeasured", 0, NULL,
     "with --fail-under mcdc=N: ignore decisions that clang does not measure. "
     "Without this option, such decisions make the limit fail",
     FIELD(settings.allow_unmeasured)},
    {.help = "Outputs"},
    {"output", 'o', "DIR",
     "write the report to folder DIR, and replace an earlier report in DIR "
     "(default: bareprof-report)",
     FIELD(out), .often = true},
    {"page", 0, "PORT",
     "with --every: also show the coverage as a web page at "
     "http://localhost:PORT; for PORT 0, bareprof chooses a free port",
     FIELD(page), ALSO_SETS(has_page), .most = 65535, .commands = OF_CONSOLE},
    {"quiet", 'q', NULL, "do not show the output of the firmware",
     FIELD(console.quiet), .commands = OF_CONSOLE},
    {"quiet", 'q', NULL,
     "do not print the table; print only errors and the output of other "
     "options",
     FIELD(silent), .commands = OF_REPORT},
    {"open", 0, NULL, "open the report in the browser", FIELD(open),
     .often = true},
    {"uncovered", 0, NULL,
     "list the functions that never ran, before the table", FIELD(uncovered)},
/* The row of an output format. --lcov is the first format; the help marks it as
 * often used. */
#define FORMAT_ROW(field, list, option, about)                   \
  {option, .value = "FILE", .help = about, FIELD(outputs.field), \
   .often = offsetof(struct output_file_names, field) == 0},
    OUTPUT_FORMATS(FORMAT_ROW){.help = "Tests"},
    {"tests", 0, NULL,
     "show which test covers which code. Each dump with a name "
     "(bareprof_send_name) is a test; if dumps have no names, each log is a "
     "test",
     FIELD(tests.wanted)},
    {"test-pattern", 0, "REGEX",
     "find the names of tests in the log: a line that matches REGEX names the "
     "next dump, and the first group of REGEX is the name. Implies --tests",
     PARSED(tests, tests_set_pattern)},
    {"tests-reset", 0, NULL,
     "declare that the firmware resets its counters before each test; implies "
     "--tests",
     FIELD(tests.resets), ALSO_SETS(tests.wanted)},
    {"before-reset", 0, NULL,
     "show code that ran only before a reset of the target. Reads dumps whose "
     "name begins with 'reset: ' (bareprof_reboot_name)",
     FIELD(tests.before_reset)},
    {"which", 0, "FILE:LINE",
     "list the tests that reach line LINE of FILE; implies --tests",
     LIST(tests.which, tests.which_count), ALSO_SETS(tests.wanted),
     .refuse = refuse_place},
    {"junit", 0, "FILE",
     "leave out the tests that failed according to FILE, a JUnit file; implies "
     "--tests",
     LIST(junits, junit_count), ALSO_SETS(tests.wanted)},
    {.help = "Object code"},
    {"object-code", 0, NULL,
     "report the lines and branches of the object code (machine instructions) "
     "instead of the source coverage. Works for an ELF of any compiler, with "
     "`run --trace` or traces of a QEMU plugin. If the ELF has no coverage "
     "mapping, this option is the default",
     FIELD(object_code)},
    {"pcs", 0, "FORM",
     "read each log as a list of executed addresses in object code, in format "
     "FORM: order (all executed instructions, in order), count (lines of "
     "ADDRESS COUNT), set (the addresses that ran, once each), drcov (a drcov "
     "file), mtb (an Arm Micro Trace Buffer), or etm (output of OpenCSD's "
     "trc_pkt_lister -decode_only for one core)",
     FIELD(pcs), .words = pc_forms, ALSO_SETS(lists)},
    {"position", 0, "VALUE",
     "with --pcs=mtb: use VALUE as the value of the register MTB_POSITION. "
     "Needed only if you saved the whole buffer, not only the words up to "
     "MTB_POSITION",
     PARSED(how, trace_parse_position)},
    {"least", 0, NULL,
     "with --pcs=mtb or etm: report only the code that certainly ran, even if "
     "the buffer wrapped or trace data is lost",
     FIELD(how.least)},
    {"moved", 0, "FROM=TO",
     "move addresses of object code: code at address FROM in the ELF ran at "
     "address TO, for example after a copy to RAM or in a PIE",
     LIST(moved, moved_count)},
    {.help = "Expert"},
    CONFIG_ROWS,
    {"cobertura-limit", 0, "MB",
     "split the Cobertura XML into several files of at most MB megabytes each "
     "(c.xml, c-2.xml, ...). GitLab reads files of up to 10 megabytes",
     FIELD(outputs.cobertura_limit), .least = 1, .most = 1000},
    {"json-expansions", 0, NULL,
     "with --json: include the macro expansions of each file, as llvm-cov "
     "export does by default",
     FIELD(expansions)},
    {"no-demangle", 0, NULL, "show the mangled names of C++ and Rust functions",
     FIELD(settings.no_demangle)},
    {"as-llvm-cov", 0, NULL,
     "show the numbers of llvm-cov, including its known errors: counts on "
     "lines that never ran, and negative counts",
     FIELD(settings.as_llvm_cov)},
    {0}};
