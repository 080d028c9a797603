/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof probes: lists clang's pseudo probes in an ELF, and checks their
 * addresses. probe/probe.h reads them. bareprof probes lower: rewrites the
 * .pseudoprobe directives in assembly as data.
 */
#include <stdio.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/options.h"
#include "../probe/probe.h"
#include "commands.h"

/* ---- lower: .pseudoprobe directives in assembly to data ---- */

enum { ASSEMBLY_LIMIT = 1 << 28 };

struct lower_arguments {
  const char *out;
  enum probe_lowering_mode how;
};

static int run_probes_lower(const struct command *command, int argc,
                            char **argv) {
  struct lower_arguments arguments = {.out = "-"};
  struct file file;
  struct output_file output;
  size_t line;
  char **files = options_parse(command, argc, argv, &arguments);
  exit_if_failed(file_read(&file, *files, ASSEMBLY_LIMIT) ||
                 output_open(&output, arguments.out));
  const char *error =
      probes_lower_assembly(output.stream, file.bytes, arguments.how, &line);
  file_close(&file);
  if (!error || !line)
    return output_commit_or_report(&output, *files, error);
  output_abandon(&output);
  return report(*files, "line %zu: %s", line, error);
}

/* The names of the modes, indexed by enum probe_lowering_mode. */
static const char *const lowering_modes[] = {"auto", "delta", "absolute",
                                             NULL};

static const struct option_row lower_options[] = {
    {"encoding", 0, "HOW",
     "how probes are encoded. delta: distances between probes, as clang "
     "writes. absolute: addresses, which stay correct after linker relaxation; "
     "not for big-endian targets. Default: auto, which is absolute for RISC-V, "
     "otherwise delta",
     OPTION(struct lower_arguments, how), .words = lowering_modes},
    OUTPUT_ROW("OUT.s", struct lower_arguments, out),
    {0}};

const struct command command_probes_lower = {
    .name = "probes lower",
    .summary =
        "replace the .pseudoprobe directives in assembly with plain data",
    .examples = "bareprof probes lower a.s -o a-probes.s",
    .usage = "IN.s -o OUT.s [--encoding=delta|absolute]",
    .about =
        "Turns the .pseudoprobe directives that `clang -S "
        "-fpseudo-probe-for-profiling` writes into plain data. GNU as can then "
        "assemble the file, and so can clang in two cases where it fails "
        "otherwise: on Arm, where @ begins a comment, and on RISC-V with "
        "relaxation. For GNU as, compile with -fno-dwarf-directory-asm; before "
        "GNU as 2.41, also with a -march that GNU as supports.",
    RUNS(run_probes_lower, lower_options, 1, 1, "one assembly file")};

/* ---- the command ---- */

#define ELF_LIMIT ((size_t)2 << 30)
#define LINE_LIMIT ((size_t)1 << 20)

struct arguments {
  bool json, check, annotate;
  unsigned encoding;
  const char *out, *elf;
};

static int annotate_disassembly(const struct arguments *arguments, FILE *stream,
                                const struct probes *probes) {
  struct piece_reader pieces;
  struct bytes lines;
  struct annotation_state so_far = {0};
  int status = pieces_open(&pieces, "-", LINE_LIMIT);
  while (!status && !(status = pieces_read_lines(&pieces, &lines)) &&
         lines.size)
    probes_annotate_lines(stream, probes, lines, &so_far);
  pieces_close(&pieces);
  if (status)
    return status;
  if (!so_far.inserted)
    return report(arguments->elf,
                  "no probe is at an instruction of this disassembly; pass a "
                  "disassembly with addresses, made from this ELF");
  if (so_far.between)
    warn(arguments->elf,
         "probes inside the disassembly that are not at an instruction: %zu; "
         "run bareprof probes --check",
         so_far.between);
  return 0;
}

static int write_probe_output(const struct arguments *arguments,
                              const struct probes *probes,
                              const struct elf *elf) {
  struct output_file output;
  int status = 0;
  exit_if_failed(output_open(&output, arguments->out));
  if (arguments->json)
    probes_print_json(output.stream, probes);
  else if (arguments->annotate)
    status = annotate_disassembly(arguments, output.stream, probes);
  else if (!arguments->check)
    probes_print_text(output.stream, probes);
  else if (probes_print_faults(output.stream, probes, elf))
    status = 1;
  else
    fprintf(output.stream, "nothing found (probes: %zu, records: %zu)\n",
            probes->count, probes->record_count);
  if (status && arguments->annotate) {
    output_abandon(&output);
    return status;
  }
  return output_commit(&output) ? 1 : status;
}

static int run_probes(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.out = "-"};
  struct file file;
  struct elf elf;
  struct probes probes = {.count = 0};
  char **files = options_parse(command, argc, argv, &arguments);
  if (arguments.json + arguments.check + arguments.annotate > 1)
    return options_report_misuse(command,
                                 "use only one of --json, --check and "
                                 "--annotate");
  arguments.elf = *files;
  exit_if_failed(file_map(&file, arguments.elf, ELF_LIMIT));
  exit_on_error(arguments.elf, elf_open(&elf, file.bytes));
  exit_on_error(arguments.elf, probes_read(&probes, &elf, arguments.encoding));
  int status = write_probe_output(&arguments, &probes, &elf);
  probes_free(&probes);
  file_close(&file);
  return status;
}

/* The words of --encoding, indexed by enum probe_encoding. */
const char *const probe_encodings[] = {
    "auto", "delta", "absolute8", "absolute4", "rfc", "rfc-lines", NULL};

static const struct option_row options[] = {
    {"json", 0, NULL, "print JSON; GUIDs and hashes are strings",
     OPTION(struct arguments, json)},
    {"check", 0, NULL,
     "print one line for each kind of misplaced or lost probes, with the fix. "
     "The exit status is 1 if there are such probes",
     OPTION(struct arguments, check)},
    {"annotate", 0, NULL,
     "copy a disassembly from standard input, and add each probe above its "
     "instruction, as llvm-profgen does: `llvm-objdump -d ELF | bareprof "
     "probes --annotate ELF`. GNU objdump also works",
     OPTION(struct arguments, annotate)},
    {"encoding", 0, "HOW",
     "read the section .pseudo_probe in this encoding: delta (clang 16 and "
     "later), absolute8 or absolute4 (clang 15 and older, with 8-byte or "
     "4-byte addresses), rfc (the draft of 2020, where call sites are probes) "
     "or rfc-lines (the draft of 2020, where call sites are lines and "
     "discriminators). Default: auto, which detects the first three",
     OPTION(struct arguments, encoding), .words = probe_encodings},
    OUTPUT_ROW("OUT", struct arguments, out),
    {0}};

static const struct command *const subcommands[] = {&command_probes_lower,
                                                    NULL};

const struct command command_probes = {
    .name = "probes",
    .summary =
        "list and check the pseudo probes of an ELF (for sample profiles)",
    .examples = "bareprof probes fw.elf\n"
                "bareprof probes fw.elf --check",
    .usage = "ELF [options]\nlower IN.s -o OUT.s [options]",
    .about =
        "Lists the pseudo probes of an image that was compiled with clang "
        "-fpseudo-probe-for-profiling. A pseudo probe marks a basic block or a "
        "call, without code of its own. Prints the functions in address order, "
        "and for each probe its address, index (with its discriminator), type, "
        "function, and where the function was inlined.",
    .subcommands = subcommands,
    RUNS(run_probes, options, 1, 1, "one ELF")};
