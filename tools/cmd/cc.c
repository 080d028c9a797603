/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof cc, the compiler launcher: parses its own options, the BAREPROF_
 * variables of the environment, and the compiler's command. cc/launch.c then
 * runs the compiler, and adds the counters.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/text_part.h"
#include "../cc/steps.h"
#include "commands.h"

struct cc_arguments {
  struct cc_command launch;
  bool fingerprint;
};

/* An environment variable that gives the default of an option, for build
 * systems and caches that cannot pass options. The option's field is 0 if the
 * command line does not set it. */
struct environment_default {
  const char *name;
  const char *const *words;
  size_t to;
  const char *wrong; /* the error for a value that is not in `words` */
};

static const struct environment_default variables[] = {
    {"BAREPROF_COUNTERS", cc_widths, offsetof(struct cc_command, counters),
     "BAREPROF_COUNTERS must be one of auto, 64, 32, 32-atomic, 32-packed, "
     "byte (flags before 0.4), trace (labels before 0.4)"},
    {"BAREPROF_PLACE", cc_places, offsetof(struct cc_command, cover.place),
     "BAREPROF_PLACE must be one of auto, sections, bss"},
    {"BAREPROF_MCDC", cc_outcomes, offsetof(struct cc_command, outcomes),
     "BAREPROF_MCDC must be one of auto, bits, bytes"},
    {"BAREPROF_COVERAGE", cc_coverages,
     offsetof(struct cc_command, cover.coverage),
     "BAREPROF_COVERAGE must be one of none, lines, mcdc"}};

static const char *set_environment_defaults(struct cc_command *launch) {
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const struct environment_default *variable = &variables[i];
    const char *value = getenv(variable->name);
    unsigned *field = (unsigned *)(void *)((char *)launch + variable->to);
    unsigned word = 0;
    if (*field || !value || !*value)
      continue;
    while (variable->words[word] && strcmp(value, variable->words[word]))
      word++;
    if (!variable->words[word])
      return variable->wrong;
    *field = word;
  }
  return NULL;
}

/* Chooses where the counters go. Without --coverage, the user has passed
 * clang's own coverage flags, and the linker script expects clang's sections.
 */
static void choose_counter_place(struct cc_command *launch) {
  struct coverage_options *cover = &launch->cover;
  if (cover->place == CC_PLACE_AUTO)
    cover->place = cover->coverage == CC_ASKED ? CC_SECTIONS : CC_BSS;
  if (launch->counters == CC_TRACE)
    cover->place = CC_BSS;
}

/* Chooses whether outcomes of decisions are bits or bytes. LLVM's tools read
 * bits. An image with --place=bss may have bytes, because the host makes the
 * profile and turns the bytes into bits. A full image writes its profile
 * itself, so it needs bits. */
static void choose_outcome_form(struct cc_command *launch) {
  bool joined = launch->counters == CC_BYTES && launch->cover.place == CC_BSS;
  if (launch->outcomes == CC_OUTCOMES_AUTO)
    launch->outcomes = joined ? CC_OUTCOMES_BYTES : CC_OUTCOMES_BITS;
}

/* Returns the index of the compiler in argv. getopt_long cannot find the
 * compiler, because it would move the compiler's options to the front. Also
 * gives --coverage its default value, which getopt_long requires. */
static int find_compiler_and_fix_options(int argc, char **argv) {
  static char lines[] = "--coverage=lines";
  int at = 1;
  while (at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0) {
    bool value = text_is_listed(argv[at],
                                "--counters --place --include --ignore --mcdc "
                                "--color");
    if (strcmp(argv[at], "--coverage") == 0)
      argv[at] = lines;
    at += value && at + 1 < argc ? 2 : 1;
  }
  return at;
}

/* Rejects options of bareprof after the compiler, and a source file or a value
 * of --coverage in the compiler's position. Returns 0, or prints the error and
 * returns 2. */
static int refuse_misplaced_words(const struct command *command,
                                  char **compiler) {
  /* --include is not in this list, because clang has an option with this name.
   */
  static const char *const names[] = {"--counters", "--place", "--ignore",
                                      "--mcdc", "--coverage"};
  const char *const *word = cc_coverages;
  while (*word && strcmp(*word, *compiler))
    word++;
  if (*word)
    return options_report_misuse(
        command, "--coverage needs = before its value, as in --coverage=mcdc");
  const char *dot = strrchr(*compiler, '.');
  if (dot && text_is_listed(dot, ".c .cc .cpp .cxx .s .S .o"))
    return 2 * report(*compiler,
                      "the first word after the options is not a "
                      "compiler; write the compiler before its files");
  for (char **at = compiler + 1; *at; at++)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      size_t size = strlen(names[i]);
      /* A word after -Xclang, for example, is for a program of the compiler. */
      if (strncmp(*at, names[i], size) || strncmp(at[-1], "-X", 2) == 0)
        continue;
      if (strcmp(*at, "--coverage") == 0)
        warn(*at,
             "this option after %s is the gcov option of the compiler; write "
             "the option before the compiler",
             *compiler);
      else if (!(*at)[size] || (*at)[size] == '=')
        return 2 *
               report(*at,
                      "this option is for bareprof; write the option before %s",
                      *compiler);
    }
  return 0;
}

static int run_cc(const struct command *command, int argc, char **argv) {
  struct cc_arguments arguments = {0};
  int at = find_compiler_and_fix_options(argc, argv);
  bool dashes = at < argc && strcmp(argv[at], "--") == 0;
  char **compiler = argv + at + dashes, *first = argv[at];
  argv[at] = NULL;
  for (int i = 1; i < at; i++)
    if (argv[i][0] == '-' && argv[i][1] != '-' && strcmp(argv[i], "-h"))
      return 2 * report(argv[i], "this option is for the compiler; write the "
                                 "option after the compiler");
  options_parse(command, at, argv, &arguments);
  argv[at] = first;
  if (!*compiler)
    return options_report_misuse(command,
                                 "write the compiler and its arguments");
  int status = refuse_misplaced_words(command, compiler);
  if (status)
    return status;
  const char *wrong = set_environment_defaults(&arguments.launch);
  if (wrong)
    return options_report_misuse(command, "%s", wrong);
  choose_counter_place(&arguments.launch);
  choose_outcome_form(&arguments.launch);
  if (arguments.launch.outcomes == CC_OUTCOMES_BYTES &&
      arguments.launch.counters != CC_BYTES)
    return options_report_misuse(command, "--mcdc=bytes needs --counters=byte");
  if (arguments.launch.fallback && arguments.launch.counters >= CC_32_PACKED)
    return options_report_misuse(
        command, "--fallback does not work with --counters=32-packed, byte or "
                 "trace: one object with 8-byte counters spoils the image; "
                 "remove --fallback");
  arguments.launch.command = compiler;
  return arguments.fingerprint ? launch_print_fingerprint(&arguments.launch)
                               : launch_run_command(&arguments.launch);
}

static const struct option_row options[] = {
    {"counters", 0, "WIDTH",
     "choose how code counts. 32: code adds to the low 32 bits of each 64-bit "
     "counter. 32-atomic: like 32, but atomic, so that interrupts lose no "
     "count. 32-packed: like 32, but counters have only 4 bytes; link with "
     "bareprof-packed.ld. byte: one byte per counter says whether code ran. "
     "trace: code does not count; `bareprof trace` makes the profile from a "
     "trace. 64: clang's own counters. Default: auto, which is "
     "32-atomic with -fprofile-update=atomic, otherwise 32",
     OPTION(struct cc_arguments, launch.counters), .words = cc_widths},
    {"mcdc", 0, "HOW",
     "choose how --counters=byte records MC/DC. bytes: one byte for each "
     "outcome of a decision, with clang 19 or later; combine the dump with the "
     "ELF (bareprof join). bits: clang's bitmaps, which LLVM's tools read from "
     "raw profiles. Default: auto, which is bytes with --place=bss, otherwise "
     "bits",
     OPTION(struct cc_arguments, launch.outcomes), .words = cc_outcomes},
    {"place", 0, "WHERE",
     "choose where the counters are placed. bss: in the .bss section of your "
     "program, with any linker script and without a runtime on the target. "
     "sections: in clang's sections, for the linker scripts of bareprof. "
     "Default: auto, which is bss with --coverage, otherwise sections",
     OPTION(struct cc_arguments, launch.cover.place), .words = cc_places},
    {"coverage", 0, "WHAT",
     "add clang's flags for coverage to the command. lines: for functions, "
     "lines and branches (the default if --coverage has no value). mcdc: also "
     "for MC/DC, with clang 18 or later. none: add no flags",
     OPTION(struct cc_arguments, launch.cover.coverage), .words = cc_coverages},
    {"include", 0, "REGEX",
     "instrument only source files whose name matches REGEX; may be repeated",
     OPTION_TO_LIST(struct cc_arguments, launch.cover.measure,
                    launch.cover.measure_count),
     .refuse = text_refuse_glob},
    {"ignore", 0, "REGEX",
     "do not instrument source files whose name matches REGEX; may be repeated",
     OPTION_TO_LIST(struct cc_arguments, launch.cover.leave,
                    launch.cover.leave_count),
     .refuse = text_refuse_glob},
    {"fallback", 0, NULL,
     "use clang's own counters where smaller counters are not possible "
     "(default: report an error)",
     OPTION(struct cc_arguments, launch.fallback)},
    {"keep-implied", 0, NULL,
     "with --counters=byte: let every basic block write its byte. Without this "
     "option, a block writes no byte if the bytes of other blocks show whether "
     "the block ran",
     OPTION(struct cc_arguments, launch.keep_implied)},
    {"keep-promotion", 0, NULL,
     "with -fprofile-generate: do not add -mllvm -do-counter-promotion=false, "
     "so that loops may count in registers",
     OPTION(struct cc_arguments, launch.keep_promotion)},
    {"verbose", 0, NULL,
     "print how many increments of counters are 32-bit and how many are 64-bit",
     OPTION(struct cc_arguments, launch.verbose)},
    {"fingerprint", 0, NULL,
     "print the text for CCACHE_COMPILERCHECK, and compile nothing. The text "
     "contains the versions of the programs that affect an object file",
     OPTION(struct cc_arguments, fingerprint)},
    {0}};

const struct command command_cc = {
    .name = "cc",
    .summary = "compile with counters that are smaller and faster than clang's",
    .examples = "make CC='bareprof cc --coverage clang-22'\n"
                "bareprof cc --counters=byte clang-22 ARGUMENTS",
    .usage = "[options] [--] clang-N ARGUMENTS",
    .about = "Compiles with clang, and changes how the code counts. Write "
             "`bareprof cc` before the compiler, as for ccache: CC='bareprof "
             "cc clang-22', or CMAKE_C_COMPILER_LAUNCHER. With "
             "-fprofile-instr-generate, the compiled code then increments only "
             "the low 32 bits of the 64-bit counters, which is smaller and "
             "faster on 32-bit cores. With -fprofile-generate, each pass of a "
             "loop increments its counter in memory instead of a register. "
             "Without --coverage, other commands and other compilers run "
             "unchanged. With --coverage, gcc is an error. bareprof-cc is "
             "another name of this command.",
    .notes = "Environment: BAREPROF_COUNTERS, BAREPROF_MCDC, BAREPROF_PLACE "
             "and BAREPROF_COVERAGE set the defaults of --counters, --mcdc, "
             "--place and --coverage.\nExit status: the status of the "
             "compiler, or 1 if counters cannot be narrowed (made smaller).",
    RUNS(run_cc, options, 0, 1, "the compiler and its arguments")};
