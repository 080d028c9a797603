/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof cc: goes before the compiler.
 */
#include <stdlib.h>
#include <string.h>

#include "../cc/launch.h"
#include "commands.h"

struct arguments {
  struct launch launch;
  bool fingerprint;
};

/* BAREPROF_COUNTERS, for build systems and caches that give no options. */
static bool take_environment(struct launch *launch) {
  const char *value = getenv("BAREPROF_COUNTERS");
  if (launch->counters != CC_AUTO || !value || !*value)
    return true;
  for (unsigned i = 0; cc_widths[i]; i++)
    if (strcmp(value, cc_widths[i]) == 0) {
      launch->counters = i;
      return true;
    }
  return false;
}

/* Returns where the compiler's command begins: getopt_long would move options
 * of the compiler before it. */
static int command_at(int argc, char **argv) {
  int at = 1;
  while (at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0)
    at += strcmp(argv[at], "--counters") == 0 && at + 1 < argc ? 2 : 1;
  return at;
}

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {0};
  int at = command_at(argc, argv);
  bool dashes = at < argc && strcmp(argv[at], "--") == 0;
  char **compiler = argv + at + dashes, *first = argv[at];
  argv[at] = NULL;
  int status = options_take(command, at, argv, &arguments);
  argv[at] = first;
  if (status >= 0)
    return status;
  if (!*compiler)
    return options_wrong(command, "give the compiler and its arguments");
  if (!take_environment(&arguments.launch))
    return options_wrong(
        command, "BAREPROF_COUNTERS is not one of auto, 64, 32, 32-atomic, "
                 "32-packed, flags");
  if (arguments.launch.fallback && arguments.launch.counters >= CC_32_PACKED)
    return options_wrong(command,
                         "use only one of --fallback and 32-packed or flags: "
                         "one object of 8 bytes a counter spoils the image");
  arguments.launch.command = compiler;
  return arguments.fingerprint ? launch_fingerprint(&arguments.launch)
                               : launch(&arguments.launch);
}

static const struct option_row options[] = {
    {.name = "counters",
     .value = "WIDTH",
     .help = "32: counting changes the low 32 bits of each counter; 32-atomic: "
             "the same in one atomic instruction, which no interrupt can tear; "
             "32-packed: counters have 4 bytes, for images that "
             "bareprof-packed.ld links; flags: one byte that says whether code "
             "ran, by a store; 64: clang alone (default: auto, "
             "32-atomic with "
             "-fprofile-update=atomic, otherwise 32)",
     OPTION(struct arguments, launch.counters),
     .words = cc_widths},
    {.name = "fallback",
     .help = "compile as clang alone does where counters cannot be narrowed "
             "(default: an error)",
     OPTION(struct arguments, launch.fallback)},
    {.name = "keep-promotion",
     .help = "with -fprofile-generate, do not add -mllvm "
             "-do-counter-promotion=false",
     OPTION(struct arguments, launch.keep_promotion)},
    {.name = "verbose",
     .help = "say how many increments have 32 bits, and how many 64",
     OPTION(struct arguments, launch.verbose)},
    {.name = "fingerprint",
     .help = "compile nothing; print what objects depend on beside sources "
             "and arguments, for CCACHE_COMPILERCHECK",
     OPTION(struct arguments, fingerprint)},
    {0}};

const struct command command_cc = {
    .name = "cc",
    .summary = "compile with counters that count in 32 bits",
    .usage = "[options] [--] clang-N ARGUMENTS",
    .about =
        "Goes before the compiler, as ccache does: CC='bareprof cc clang-22', "
        "or CMAKE_C_COMPILER_LAUNCHER. With -fprofile-instr-generate, each "
        "counter keeps its 64 bits in memory, but code counts in the low 32 "
        "of them: smaller and faster on 32-bit cores. With -fprofile-generate, "
        "loops count in memory. Commands without these flags, and other "
        "compilers, run as they are. Also installed as bareprof-cc.",
    .notes = "Environment: BAREPROF_COUNTERS, a default for --counters.\nExit "
             "status: the compiler's own; 1 if counters cannot be narrowed.",
    .options = options,
    .least = 0,
    .most = 1,
    .files = "the compiler and its arguments",
    .run = run};
