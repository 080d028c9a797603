/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof probes lower: assembly with .pseudoprobe to assembly without.
 */
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/options.h"
#include "lower.h"

enum { ASSEMBLY_LIMIT = 1 << 28 };

static const char help[] =
    "usage: bareprof probes lower IN.s -o OUT.s [--encoding=delta|absolute]\n"
    "\n"
    "Makes plain data of the directives .pseudoprobe in assembly of\n"
    "`clang -S -fpseudo-probe-for-profiling`, so that GNU as can assemble it,\n"
    "and clang where it cannot: on Arm, where @ begins a comment, and on "
    "RISC-V\n"
    "with relaxation. For GNU as compile with -fno-dwarf-directory-asm, and "
    "for\n"
    "one older than 2.41 with a -march that it knows.\n"
    "\n"
    "      --encoding=delta     probes by their distance, as clang writes "
    "them;\n"
    "                           the default but for RISC-V\n"
    "      --encoding=absolute  by their addresses, which stay right when the\n"
    "                           linker relaxes; not for big-endian targets\n"
    "  -o, --output OUT.s       where to; else standard output\n";

struct arguments {
  const char *in, *out;
  enum probe_lowering how;
};

static int take(void *context, int option) {
  struct arguments *arguments = context;
  switch (option) {
  case 'o':
    arguments->out = optarg;
    return 0;
  case 'e':
    arguments->how =
        strcmp(optarg, "absolute") == 0 ? LOWER_ABSOLUTE : LOWER_DELTA;
    if (arguments->how == LOWER_ABSOLUTE || strcmp(optarg, "delta") == 0)
      return 0;
    return options_wrong("probes lower", "--encoding is delta or absolute");
  default:
    return options_unknown("probes lower");
  }
}

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

int probes_lower_command(int argc, char **argv) {
  static const struct option list[] = {
      {"encoding", required_argument, NULL, 'e'},
      {"output", required_argument, NULL, 'o'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0}};
  static const struct options options = {"probes lower", help, "o:h", list,
                                         take};
  struct arguments arguments = {.out = "-"};
  struct file file;
  int status = options_take(&options, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (optind + 1 != argc)
    return options_wrong("probes lower", "give one file of assembly");
  arguments.in = argv[optind];
  if (file_read(&file, arguments.in, ASSEMBLY_LIMIT))
    return 1;
  status = lower(&arguments, file.bytes);
  file_close(&file);
  return status;
}
