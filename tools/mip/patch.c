/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip patch: the command.
 */
#define _POSIX_C_SOURCE 200809L /* fileno */

#include "patch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/options.h"
#include "../base/same.h"
#include "commands.h"
#include "hash.h"
#include "patch_report.h"

enum { FILE_LIMIT = 1 << 30, LIST_LIMIT = 1 << 26, PARTS_MOST = 64 };

static const char help[] =
    "usage: bareprof mip patch [options] ELF -o ELF\n"
    "\n"
    "Makes sleds, code that notes a call, of the nops that compilers leave at\n"
    "entries, in the linked ELF: one build serves for all below. Compile with\n"
    "-fpatchable-function-entry=N, where N nops are\n"
    "  4 for Thumb, 4 for RISC-V with compressed instructions and 2 without,\n"
    "  2 for AArch64 (3 but for coverage), 3 for A32, 8 for x86-64,\n"
    "link libbareprof.a with bareprof-mip.ld, and call bareprof_mip_init. If\n"
    "there is too little room in RAM, you are told the line to write into the\n"
    "program. An ELF that is patched already is patched anew.\n"
    "\n"
    "  --coverage          whether functions were called; this is the default\n"
    "  --counts            how often, and when first\n"
    "  --edges             the same, and from where (BAREPROF_MIP_EDGES)\n"
    "  --plain             nops again: the ELF as it was linked\n"
    "  --functions=TEXT    only those with TEXT in their names; may be "
    "repeated\n"
    "  --list FILE         only, or also, those that FILE names, one a line\n"
    "  --unit NAME         whose hash tells builds apart; if not given, the\n"
    "                      name of the output, with what tells its build id\n"
    "                      and the functions chosen\n"
    "  --map FILE          the map, which is in the ELF too, as a file\n"
    "  --log FILE          each function that is not patched, and why\n"
    "  -o, --output ELF    where to; needed\n";

struct arguments {
  const char *in, *out, *map, *log, *unit, *list;
  enum patch_mode mode;
  const char *parts[PARTS_MOST];
  struct patch_choice choice;
  struct file names; /* what choice.names are in */
};

/* ---- input ---- */

/* A copy with zeros for the ends of lines, to which choice.names point. */
static int read_list(struct arguments *arguments, char **memory) {
  struct file *file = &arguments->names;
  struct patch_choice *choice = &arguments->choice;
  size_t lines = 1;
  if (file_read(file, arguments->list, LIST_LIMIT))
    return 1;
  for (size_t i = 0; i < file->bytes.size; i++)
    lines += file->bytes.data[i] == '\n';
  *memory = malloc(file->bytes.size + 1);
  choice->names = malloc(lines * sizeof *choice->names);
  if (!*memory || !choice->names)
    return report(file->name, "not enough memory; free some");
  if (file->bytes.size)
    memcpy(*memory, file->bytes.data, file->bytes.size);
  (*memory)[file->bytes.size] = 0;
  for (char *at = *memory, *end; at; at = end) {
    end = strchr(at, '\n');
    if (end)
      *end++ = 0;
    at[strcspn(at, "\r")] = 0;
    if (*at)
      choice->names[choice->name_count++] = at;
  }
  patch_sort(choice);
  return choice->name_count ? 0
                            : report(file->name, "it names no function; write "
                                                 "one a line");
}

/* ---- output ---- */

/* Bytes to a file, of the mode of another one if that is a file. */
static int put_file(const char *name, const struct buffer *bytes,
                    const char *like) {
  struct output output;
  struct stat status;
  if (output_open(&output, name))
    return 1;
  /* No harm where the file system has no modes. */
  if (output.temporary && like && stat(like, &status) == 0)
    (void)fchmod(fileno(output.stream), status.st_mode & 0777);
  fwrite(bytes->data, 1, bytes->size, output.stream);
  return output_commit(&output);
}

static int put_log(const struct patch *patch, const struct arguments *a) {
  struct output output;
  bool standard = !strcmp(a->out, "-") || (a->map && !strcmp(a->map, "-"));
  if (!a->log) {
    if (!standard)
      patch_summary(patch, stdout);
    return 0;
  }
  if (output_open(&output, a->log))
    return 1;
  patch_log(patch, output.stream);
  patch_summary(patch, output.stream);
  return output_commit(&output);
}

/* ---- the command ---- */

static const char *run(struct patch *patch, struct bytes bytes,
                       struct arguments *a) {
  const char *error = patch_open(patch, bytes);
  if (error || a->mode == PATCH_PLAIN)
    return error;
  error = patch_prepare(patch, a->mode);
  if (!error)
    error = patch_find(patch);
  if (error)
    return error;
  patch_choose(patch, &a->choice);
  error = patch_plan(patch);
  if (error)
    return error;
  if (a->unit)
    patch->hash = mip_module_hash(a->unit);
  else
    error = patch_unit(patch, strcmp(a->out, "-") ? a->out : a->in, &a->choice);
  return error ? error : patch_write(patch);
}

static int patch_file(struct arguments *a) {
  struct patch patch = {0};
  const char *const outputs[] = {a->out, a->map, a->log};
  struct file file;
  if (file_map(&file, a->in, FILE_LIMIT))
    return 1;
  if (same_refuses_any(outputs, sizeof outputs / sizeof *outputs)) {
    file_close(&file);
    return 1;
  }
  const char *error = run(&patch, file.bytes, a);
  int status = error ? report(file.name, "%s", error) : 0;
  bool plain = a->mode == PATCH_PLAIN;
  file_close(&file);
  if (!status && !plain && a->map)
    status = put_file(a->map, &patch.map, NULL);
  if (!status)
    status = put_file(a->out, plain ? &patch.input : &patch.file, a->in);
  if (!status && !plain)
    status = put_log(&patch, a);
  patch_free(&patch);
  return status;
}

enum { COUNTS = 256, COVERAGE, EDGES, PLAIN, FUNCTIONS, LIST, LOG, MAP, UNIT };

static int take(void *out, int option) {
  struct arguments *a = out;
  switch (option) {
  case COVERAGE:
  case COUNTS:
  case EDGES:
  case PLAIN:
    a->mode = option == COVERAGE ? PATCH_COVERAGE
              : option == COUNTS ? PATCH_COUNTS
              : option == EDGES  ? PATCH_EDGES
                                 : PATCH_PLAIN;
    return 0;
  case FUNCTIONS:
    if (a->choice.part_count == PARTS_MOST || !*optarg)
      return options_wrong("mip patch", "--functions is empty, or is there "
                                        "more than 64 times");
    a->parts[a->choice.part_count++] = optarg;
    return 0;
  case LIST:
    a->list = optarg;
    return 0;
  case LOG:
    a->log = optarg;
    return 0;
  case MAP:
    a->map = optarg;
    return 0;
  case UNIT:
    a->unit = optarg;
    return 0;
  case 'o':
    a->out = optarg;
    return 0;
  default:
    return options_unknown("mip patch");
  }
}

int mip_patch(int argc, char **argv) {
  static const struct option list[] = {
      {"counts", no_argument, NULL, COUNTS},
      {"coverage", no_argument, NULL, COVERAGE},
      {"edges", no_argument, NULL, EDGES},
      {"functions", required_argument, NULL, FUNCTIONS},
      {"list", required_argument, NULL, LIST},
      {"log", required_argument, NULL, LOG},
      {"map", required_argument, NULL, MAP},
      {"plain", no_argument, NULL, PLAIN},
      {"unit", required_argument, NULL, UNIT},
      {"output", required_argument, NULL, 'o'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0}};
  static const struct options options = {"mip patch", help, "o:h", list, take};
  struct arguments a = {.mode = PATCH_COVERAGE};
  char *memory = NULL;
  int status = options_take(&options, argc, argv, &a);
  if (status >= 0)
    return status;
  if (!a.out)
    return options_wrong("mip patch", "-o ELF is missing");
  if (optind + 1 != argc)
    return options_wrong("mip patch", "give one ELF");
  a.in = argv[optind];
  a.choice.parts = a.parts;
  status = a.list ? read_list(&a, &memory) : 0;
  if (!status)
    status = patch_file(&a);
  free(memory);
  free(a.choice.names);
  file_close(&a.names);
  return status;
}
