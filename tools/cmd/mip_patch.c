/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip patch: reads a linked ELF with nops at function entries, and
 * writes the ELF with sleds in place of the nops, and the ELF's map.
 * mip/patch/patch.h does the work.
 */
#include "../mip/patch/patch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "../base/need.h"
#include "../base/options.h"
#include "../base/os.h"
#include "commands.h"
#include "../mip/mip_model.h"

enum { FILE_LIMIT = 1 << 30, LIST_LIMIT = 1 << 26, PARTS_MOST = 64 };

struct arguments {
  const char *in, *out, *map, *log, *unit, *list;
  enum patch_mode mode;
  const char *parts[PARTS_MOST];
  struct patch_choice choice;
};

/* ---- input ---- */

/* Reads the list of functions into *memory, and replaces the line ends with
 * zeros. choice.names points into *memory. */
static void read_names_or_exit(struct arguments *arguments, char **memory) {
  struct file file;
  struct patch_choice *choice = &arguments->choice;
  size_t lines = 1;
  exit_if_failed(file_read(&file, arguments->list, LIST_LIMIT));
  for (size_t i = 0; i < file.bytes.size; i++)
    lines += file.bytes.data[i] == '\n';
  *memory = need_memory(malloc(file.bytes.size + 1));
  choice->names = need_memory(malloc(lines * sizeof *choice->names));
  if (file.bytes.size)
    memcpy(*memory, file.bytes.data, file.bytes.size);
  (*memory)[file.bytes.size] = 0;
  file_close(&file);
  for (char *at = *memory, *end; at; at = end) {
    end = strchr(at, '\n');
    if (end)
      *end++ = 0;
    at[strcspn(at, "\r")] = 0;
    if (*at)
      choice->names[choice->name_count++] = at;
  }
  patch_sort_names(choice);
  if (!choice->name_count)
    exit_on_error(
        arguments->list,
        "the list names no function; write one function name per line");
}

/* ---- output ---- */

/* Writes bytes to a file. A regular file gets the permissions of the file
 * `like`, unless `like` is NULL. */
static void write_buffer_to_file(const char *name, const struct buffer *bytes,
                                 const char *like) {
  struct output_file output;
  exit_if_failed(output_open(&output, name));
  if (output.temporary && like)
    os_copy_mode(output.stream, like);
  fwrite(bytes->data, 1, bytes->size, output.stream);
  exit_if_failed(output_commit(&output));
}

/* Without --log, prints the summary, unless a result is on standard output. */
static void write_log_or_summary(const struct elf_patch *patch,
                                 const struct arguments *a) {
  struct output_file output;
  bool standard = !strcmp(a->out, "-") || (a->map && !strcmp(a->map, "-"));
  if (!a->log) {
    if (!standard)
      patch_print_summary(patch, stdout);
    return;
  }
  exit_if_failed(output_open(&output, a->log));
  patch_print_skipped_functions(patch, output.stream);
  patch_print_summary(patch, output.stream);
  exit_if_failed(output_commit(&output));
}

/* ---- the command ---- */

static void make_patch(struct elf_patch *patch, struct bytes bytes,
                       struct arguments *a) {
  exit_on_error(a->in, patch_open_unpatched(patch, bytes));
  if (a->mode == PATCH_PLAIN)
    return;
  exit_on_error(a->in, patch_find_runtime_symbols(patch, a->mode));
  exit_on_error(a->in, patch_list_functions(patch));
  patch_choose_functions(patch, &a->choice);
  exit_on_error(a->in, patch_make_sleds(patch));
  if (a->unit)
    patch->hash = mip_module_hash(a->unit);
  else
    patch_set_unit_hash(patch, strcmp(a->out, "-") ? a->out : a->in,
                        &a->choice);
  exit_on_error(a->in, patch_apply_sleds(patch));
}

static int run_mip_patch(const struct command *command, int argc, char **argv) {
  struct arguments a = {.mode = PATCH_COVERAGE};
  struct elf_patch patch = {0};
  struct file file;
  char *memory = NULL;
  char **files = options_parse(command, argc, argv, &a);
  const char *const outputs[] = {a.out, a.map, a.log};
  bool plain = a.mode == PATCH_PLAIN;
  a.in = *files;
  a.choice.parts = a.parts;
  if (a.list)
    read_names_or_exit(&a, &memory);
  exit_if_failed(
      file_map(&file, a.in, FILE_LIMIT) ||
      output_report_bad_names(outputs, sizeof outputs / sizeof *outputs));
  make_patch(&patch, file.bytes, &a);
  file_close(&file);
  if (!plain && a.map)
    write_buffer_to_file(a.map, &patch.map, NULL);
  write_buffer_to_file(a.out, plain ? &patch.input : &patch.file, a.in);
  if (!plain)
    write_log_or_summary(&patch, &a);
  patch_free(&patch);
  free(memory);
  free(a.choice.names);
  return 0;
}

static const struct option_row options[] = {
    {"coverage", 0, NULL, "record which functions were called (default)",
     OPTION(struct arguments, mode), .is = PATCH_COVERAGE},
    {"counts", 0, NULL,
     "record how often each function was called, and the order of first calls",
     OPTION(struct arguments, mode), .is = PATCH_COUNTS},
    {"edges", 0, NULL,
     "record the number, the order and the callers of calls (needs "
     "BAREPROF_MIP_EDGES in the program)",
     OPTION(struct arguments, mode), .is = PATCH_EDGES},
    {"sampled", 0, NULL,
     "record the number and the order of calls, and the callers of some of the "
     "calls (a sample), which is faster than --edges",
     OPTION(struct arguments, mode), .is = PATCH_SAMPLED},
    {"plain", 0, NULL,
     "restore the nops, so that the ELF is again as the linker wrote it",
     OPTION(struct arguments, mode), .is = PATCH_PLAIN},
    {"function", 0, "TEXT",
     "patch only functions whose name contains TEXT; may be repeated",
     OPTION_TO_LIST(struct arguments, parts, choice.part_count)},
    {"list", 0, "FILE",
     "patch only the functions that FILE lists, one name per line, and the "
     "functions of --function",
     OPTION(struct arguments, list)},
    {"unit", 0, "NAME",
     "identify the build by the hash of NAME (default: the name of the output, "
     "with its build id and the chosen functions)",
     OPTION(struct arguments, unit)},
    {"map", 0, "FILE",
     "also write the map to FILE (the ELF always contains the map)",
     OPTION(struct arguments, map)},
    {"log", 0, "FILE",
     "write each function that is not patched to FILE, with the reason",
     OPTION(struct arguments, log)},
    OUTPUT_NEEDED("ELF", struct arguments, out),
    {0}};

const struct command command_mip_patch = {
    .name = "mip patch",
    .summary = "replace nops in a linked ELF with code that records calls",
    .examples = "bareprof mip patch fw.elf -o patched.elf",
    .usage = "ELF -o ELF [options]",
    .about =
        "Replaces the nops that compilers leave at function entries with sleds "
        "(code that records a call), in the linked ELF. The same build works "
        "for all modes below. Compile with -fpatchable-function-entry=N, which "
        "leaves N nops:\n  Thumb: 4. RISC-V: 4 with compressed instructions, 2 "
        "without.\n  AArch64: 2 for --coverage, otherwise 3. A32: 3.\nclang "
        "lacks this option for 32-bit Arm; compile with bareprof-mip-cc there. "
        "Link libbareprof.a with bareprof-mip.ld, and call bareprof_mip_init. "
        "If the reserved RAM is too small, the command prints the line to add "
        "to the program. A patched ELF can be patched again.",
    RUNS(run_mip_patch, options, 1, 1, "one ELF")};
