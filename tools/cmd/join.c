/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof join: combines the function data and names of the ELF with the
 * counts of dumps from the target, and writes one raw profile. image/image.h
 * does the work.
 */
#include <string.h>

#include "../base/file.h"
#include "../base/number.h"
#include "../base/options.h"
#include "commands.h"
#include "../image/image.h"

enum { FILE_LIMIT = 1 << 30, MEMORIES_MOST = 64 };

struct arguments {
  const char *out, *elf;
  const char *memories[MEMORIES_MOST];
  size_t memory_count;
  unsigned raw;
  char **dumps;
};

static void add_dump_file(struct image_join *join, const char *name) {
  struct file file;
  exit_if_failed(file_map(&file, name, FILE_LIMIT));
  exit_if_failed(join_add_file(join, name, file.bytes));
  file_close(&file);
}

/* Adds a memory dump. The argument is FILE@ADDR, and the caller has checked
 * ADDR. */
static void add_memory_image(struct image_join *join, const char *argument) {
  char name[4096];
  const char *at = strrchr(argument, '@');
  struct file file;
  if ((size_t)(at - argument) >= sizeof name)
    exit_on_error(argument, "the file name is too long; use a shorter one");
  memcpy(name, argument, (size_t)(at - argument));
  name[at - argument] = '\0';
  exit_if_failed(file_map(&file, name, FILE_LIMIT));
  uint64_t address = 0;
  parse_option_number(at + 1, 10, &address); /* refuse_memory has checked it */
  exit_if_failed(join_add_memory(join, name, file.bytes, address));
  file_close(&file);
}

static const char *refuse_memory(const char *argument) {
  static const char wrong[] = "--memory must be FILE@ADDRESS";
  const char *at = strrchr(argument, '@');
  uint64_t address;
  return at && at != argument && parse_option_number(at + 1, 10, &address)
             ? NULL
             : wrong;
}

static int run_join(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {0};
  arguments.dumps = options_parse(command, argc, argv, &arguments);
  arguments.elf = *arguments.dumps++;
  if (!*arguments.dumps && !arguments.memory_count)
    return options_report_misuse(command, "a DUMP is missing");
  struct file file;
  struct elf elf;
  exit_if_failed(image_open_file(&elf, &file, arguments.elf));
  struct image_join join = {
      .elf = &elf, .elf_name = arguments.elf, .raw = arguments.raw};
  for (char **dump = arguments.dumps; *dump; dump++)
    add_dump_file(&join, *dump);
  for (size_t i = 0; i < arguments.memory_count; i++)
    add_memory_image(&join, arguments.memories[i]);
  int status = join_write(&join, arguments.out);
  join_free(&join);
  file_close(&file);
  return status;
}

static const struct option_row options[] = {
    OUTPUT_NEEDED("OUT", struct arguments, out),
    {"memory", 'm', "FILE@ADDR",
     "read FILE as a copy of RAM; ADDR is the address of the first byte in "
     "FILE",
     OPTION_TO_LIST(struct arguments, memories, memory_count),
     .refuse = refuse_memory},
    {"raw-version", 0, "N",
     "write the raw profile in this version of the format: 7 (for LLVM 13), 8 "
     "(14 to 17), 9 (18), 10 (19 to 22) or 11 (23). Needed only if the ELF "
     "does not contain this version (default: the version in the ELF)",
     OPTION(struct arguments, raw), .least = BAREPROF_RAW_VERSION_FIRST,
     .most = BAREPROF_RAW_VERSION_LAST},
    {0}};

const struct command command_join = {
    .name = "join",
    .summary =
        "combine counts from the target with their ELF into a raw profile",
    .examples = "bareprof join fw.elf fw.bpdump -o fw.profraw",
    .usage = "ELF DUMP... -o OUT.profraw [options]",
    .about = "Combines counters from the target with the records and names in "
             "the ELF of the firmware, and writes a raw profile for LLVM's "
             "tools. A record says which counters belong to a function. DUMP "
             "is a .bpdump from `bareprof receive`, a .trace, an ELF core "
             "file, or a memory image from the first counter to the end of the "
             "MC/DC bitmaps. The counts of several dumps of one build are "
             "added. If the firmware records values (call targets, sizes of "
             "memory operations), the raw profile also contains the values. "
             "ELF is the ELF that ran, or the output of `bareprof extract`.",
    RUNS(run_join, options, 1, 0, "the ELF and its dumps")};
