/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof probes: what clang's pseudo probes are in an image, and whether they
 * are where they should be.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "commands.h"
#include "probe/lower.h"
#include "probe/probe.h"
#include "probe/show.h"

#define ELF_LIMIT ((size_t)2 << 30)

static const char help[] =
    "usage: bareprof probes ELF [options]\n"
    "       bareprof probes lower IN.s -o OUT.s [options]\n"
    "\n"
    "The pseudo probes (clang -fpseudo-probe-for-profiling) of an image: its\n"
    "functions as they lie in the code, and of each probe its address, index\n"
    "(with its discriminator), type, function, and where that was inlined.\n"
    "\n"
    "      --json          the same as JSON; GUIDs and hashes are strings\n"
    "      --check         one line for all that is misplaced or lost, and "
    "what\n"
    "                      to do; exit status 1 if there is any\n"
    "      --annotate      copies a disassembly from standard input, with "
    "each\n"
    "                      probe above its instruction, as llvm-profgen does:\n"
    "                        llvm-objdump -d ELF | bareprof probes --annotate "
    "ELF\n"
    "                      GNU objdump's does as well\n"
    "      --encoding=HOW  of .pseudo_probe: delta (clang 16 and later),\n"
    "                      absolute8 or absolute4 (until 15, addresses of 8 or "
    "4\n"
    "                      bytes), rfc (2020, sites are probes) or rfc-lines\n"
    "                      (sites are lines and discriminators); the default,\n"
    "                      auto, tells the first three apart\n"
    "  -o, --output OUT    where to; else standard output\n"
    "\n"
    "`bareprof probes lower --help` tells of lower.\n";

enum action { SHOW, JSON, CHECK, ANNOTATE };

struct arguments {
  enum action action;
  unsigned encoding;
  const char *out, *elf;
};

static int annotate(const struct arguments *arguments, FILE *stream,
                    const struct probes *probes) {
  struct file file;
  if (file_read(&file, "-", ELF_LIMIT))
    return 1;
  size_t between;
  size_t inserted = probes_annotate(stream, probes, file.bytes, &between);
  file_close(&file);
  if (!inserted)
    return report(arguments->elf,
                  "no probe stands at an instruction of that disassembly; "
                  "give one of this very ELF, with addresses");
  if (between)
    report(arguments->elf,
           "%zu probes are inside of what is disassembled, but at no "
           "instruction; see --check",
           between);
  return 0;
}

static int put(const struct arguments *arguments, const struct probes *probes,
               const struct elf *elf) {
  struct output output;
  int status = 0;
  if (output_open(&output, arguments->out))
    return 1;
  if (arguments->action == JSON)
    probes_show_json(output.stream, probes);
  else if (arguments->action == ANNOTATE)
    status = annotate(arguments, output.stream, probes);
  else if (arguments->action == SHOW)
    probes_show(output.stream, probes);
  else if (probes_check(output.stream, probes, elf))
    status = 1;
  else
    fprintf(output.stream, "nothing found: %zu probes of %zu records\n",
            probes->count, probes->record_count);
  if (status && arguments->action == ANNOTATE) {
    output_abandon(&output);
    return status;
  }
  return output_commit(&output) ? 1 : status;
}

static int run(const struct arguments *arguments) {
  struct file file;
  struct elf elf;
  struct probes probes = {.count = 0};
  if (file_map(&file, arguments->elf, ELF_LIMIT))
    return 1;
  const char *error = elf_open(&elf, file.bytes);
  if (!error)
    error = probes_read(&probes, &elf, arguments->encoding);
  int status = error ? report(arguments->elf, "%s", error)
                     : put(arguments, &probes, &elf);
  probes_free(&probes);
  file_close(&file);
  return status;
}

enum { AS_JSON = 256, DO_CHECK, DO_ANNOTATE, ENCODING };

static int take_encoding(struct arguments *arguments) {
  static const char *const names[PROBE_ENCODINGS] = {
      "auto", "delta", "absolute8", "absolute4", "rfc", "rfc-lines"};
  for (unsigned i = 0; i < PROBE_ENCODINGS; i++)
    if (strcmp(optarg, names[i]) == 0) {
      arguments->encoding = i;
      return 0;
    }
  return options_wrong("probes", "there is no such --encoding");
}

static int take_action(struct arguments *arguments, enum action action) {
  if (arguments->action != SHOW && arguments->action != action)
    return options_wrong("probes",
                         "give one of --json, --check and --annotate");
  arguments->action = action;
  return 0;
}

static int take(void *context, int option) {
  struct arguments *arguments = context;
  switch (option) {
  case AS_JSON:
    return take_action(arguments, JSON);
  case DO_CHECK:
    return take_action(arguments, CHECK);
  case DO_ANNOTATE:
    return take_action(arguments, ANNOTATE);
  case ENCODING:
    return take_encoding(arguments);
  case 'o':
    arguments->out = optarg;
    return 0;
  default:
    return options_unknown("probes");
  }
}

int command_probes(int argc, char **argv) {
  static const struct option list[] = {
      {"json", no_argument, NULL, AS_JSON},
      {"check", no_argument, NULL, DO_CHECK},
      {"annotate", no_argument, NULL, DO_ANNOTATE},
      {"encoding", required_argument, NULL, ENCODING},
      {"output", required_argument, NULL, 'o'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0}};
  static const struct options options = {"probes", help, "o:h", list, take};
  struct arguments arguments = {.out = "-"};
  if (argc > 1 && strcmp(argv[1], "lower") == 0)
    return probes_lower_command(argc - 1, argv + 1);
  int status = options_take(&options, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (optind + 1 != argc)
    return options_wrong("probes", optind == argc ? "the ELF is missing"
                                                  : "give one ELF");
  arguments.elf = argv[optind];
  return run(&arguments);
}
