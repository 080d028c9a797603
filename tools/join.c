/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof join: the ELF's records and names, the target's counts, one raw
 * profile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "commands.h"
#include "image/join.h"

enum { FILE_LIMIT = 1 << 30, MEMORIES_MOST = 64 };

static const char help[] =
    "usage: bareprof join ELF DUMP... -o OUT.profraw [options]\n"
    "\n"
    "Puts counts that left the target together with the records and names\n"
    "that stayed in its ELF. DUMP is a .bpdump of `bareprof receive`, an ELF\n"
    "core, or the bare memory from the first counter to the end of the\n"
    "bitmap. Several dumps of one build add up. Values come with dumps, cores\n"
    "and RAM images that have their slots. Give the ELF that ran, or what\n"
    "`bareprof extract` made of it.\n"
    "\n"
    "  -o, --output OUT       where to; needed\n"
    "  -m, --memory FILE@ADDR a RAM image that begins at the address ADDR\n"
    "      --raw-version N    7 to 11: for the llvm-profdata of another LLVM\n"
    "                         (13: 7; 14 to 17: 8; 18: 9; 19 to 22: 10), or\n"
    "                         where the ELF does not tell its own\n";

struct arguments {
  const char *out, *elf;
  const char *memories[MEMORIES_MOST];
  size_t memory_count;
  unsigned raw;
  char **dumps;
  int dump_count;
};

static int usage(const char *what) { return options_wrong("join", what); }

static int add_file(struct join *join, const char *name) {
  struct file file;
  if (file_map(&file, name, FILE_LIMIT))
    return 1;
  int status = join_file(join, name, file.bytes);
  file_close(&file);
  return status;
}

/* FILE@ADDR, of which ADDR has been checked. */
static int add_memory(struct join *join, const char *argument) {
  char name[4096];
  const char *at = strrchr(argument, '@');
  struct file file;
  if ((size_t)(at - argument) >= sizeof name)
    return report(argument, "its name is too long; give a shorter one");
  memcpy(name, argument, (size_t)(at - argument));
  name[at - argument] = '\0';
  if (file_map(&file, name, FILE_LIMIT))
    return 1;
  int status = join_memory(join, name, file.bytes, strtoull(at + 1, NULL, 0));
  file_close(&file);
  return status;
}

static int join_all(const struct arguments *arguments, const struct elf *elf) {
  struct join join = {
      .elf = elf, .elf_name = arguments->elf, .raw = arguments->raw};
  int status = 0;
  for (int i = 0; i < arguments->dump_count && !status; i++)
    status = add_file(&join, arguments->dumps[i]);
  for (size_t i = 0; i < arguments->memory_count && !status; i++)
    status = add_memory(&join, arguments->memories[i]);
  if (!status)
    status = join_write(&join, arguments->out);
  join_free(&join);
  return status;
}

static int run(const struct arguments *arguments) {
  struct file file;
  struct elf elf;
  if (file_map(&file, arguments->elf, FILE_LIMIT))
    return 1;
  const char *error = elf_open(&elf, file.bytes);
  int status =
      error ? report(arguments->elf, "%s", error) : join_all(arguments, &elf);
  file_close(&file);
  return status;
}

static bool has_address(const char *argument) {
  const char *at = strrchr(argument, '@');
  char *end;
  if (!at || at == argument || at[1] < '0' || at[1] > '9')
    return false;
  strtoull(at + 1, &end, 0);
  return *end == '\0';
}

static int take(void *context, int option) {
  struct arguments *arguments = context;
  char *end;
  unsigned long raw;
  switch (option) {
  case 'o':
    arguments->out = optarg;
    return 0;
  case 'm':
    if (!has_address(optarg))
      return usage("--memory is FILE@ADDRESS");
    if (arguments->memory_count == MEMORIES_MOST)
      return usage("there are too many --memory");
    arguments->memories[arguments->memory_count++] = optarg;
    return 0;
  case 'r':
    raw = strtoul(optarg, &end, 10);
    arguments->raw = (unsigned)raw;
    return *end || raw < BAREPROF_RAW_VERSION_FIRST ||
                   raw > BAREPROF_RAW_VERSION_LAST
               ? usage("--raw-version is 7 to 11")
               : 0;
  default:
    return options_unknown("join");
  }
}

int command_join(int argc, char **argv) {
  static const struct option list[] = {
      {"output", required_argument, NULL, 'o'},
      {"memory", required_argument, NULL, 'm'},
      {"raw-version", required_argument, NULL, 'r'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0}};
  static const struct options options = {"join", help, "o:m:h", list, take};
  struct arguments arguments = {0};
  int status = options_take(&options, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (!arguments.out)
    return usage("-o OUT is missing");
  if (optind == argc)
    return usage("the ELF is missing");
  arguments.elf = argv[optind];
  arguments.dumps = argv + optind + 1;
  arguments.dump_count = argc - optind - 1;
  if (!arguments.dump_count && !arguments.memory_count)
    return usage("a DUMP is missing");
  return run(&arguments);
}
