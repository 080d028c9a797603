/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof probes lower: assembly with .pseudoprobe to assembly without.
 */
#include "../base/error.h"
#include "../base/file.h"
#include "commands.h"
#include "../probe/probe.h"

enum { ASSEMBLY_LIMIT = 1 << 28 };

struct arguments {
  const char *in, *out;
  enum probe_lowering how;
};

static int lower(const struct arguments *arguments, struct bytes assembly) {
  struct output output;
  size_t line;
  if (output_open(&output, arguments->out))
    return 1;
  const char *error =
      probes_lower(output.stream, assembly, arguments->how, &line);
  if (!error)
    return output_commit(&output);
  output_abandon(&output);
  return line ? report(arguments->in, "line %zu: %s", line, error)
              : report(arguments->in, "%s", error);
}

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.out = "-"};
  struct file file;
  int status = options_take(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  arguments.in = argv[optind];
  if (file_read(&file, arguments.in, ASSEMBLY_LIMIT))
    return 1;
  status = lower(&arguments, file.bytes);
  file_close(&file);
  return status;
}

/* By enum probe_lowering. */
static const char *const ways[] = {"auto", "delta", "absolute", NULL};

static const struct option_row options[] = {
    {.name = "encoding",
     .value = "HOW",
     .help = "delta: distances between probes, as clang writes them; absolute: "
             "addresses, which stay correct when the linker relaxes, not for "
             "big-endian targets (default: auto, absolute for RISC-V, "
             "otherwise delta)",
     OPTION(struct arguments, how),
     .words = ways},
    OUTPUT_ROW("OUT.s", struct arguments, out),
    {0}};

const struct command command_probes_lower = {
    .name = "probes lower",
    .summary = "turn .pseudoprobe in assembly into plain data",
    .examples = "bareprof probes lower a.s -o a-probes.s",
    .usage = "IN.s -o OUT.s [--encoding=delta|absolute]",
    .about = "Turns the directives .pseudoprobe in assembly of `clang -S "
             "-fpseudo-probe-for-profiling` into plain data. Then GNU as can "
             "assemble it, and so can clang in two cases where it fails "
             "otherwise: on Arm, where @ begins a comment, and on RISC-V with "
             "relaxation. For GNU as compile with -fno-dwarf-directory-asm; "
             "for GNU as before 2.41 also with a -march that it knows.",
    .options = options,
    ONE_FILE("one file of assembly"),
    .run = run};
