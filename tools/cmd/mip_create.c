/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip create and extract: files made from an ELF before anything has
 * run.
 */
#include <stdlib.h>

#include "../base/error.h"
#include "../base/buffer.h"
#include "../base/options.h"
#include "commands.h"
#include "../mip/files.h"

struct arguments {
  const char *out;
};

static int run_create(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {NULL};
  struct mip_profile profile;
  int status = options_take(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  status = mip_load(&profile, argv[optind]);
  for (size_t i = 0; i < profile.function_count && !status; i++)
    if (profile.functions[i].runs)
      status = report(argv[optind], "it is a profile in which functions ran; "
                                    "give the map or the ELF");
  if (!status)
    status = mip_save(&profile, arguments.out);
  mip_free(&profile);
  return status;
}

/* Copies the map from the ELF after a check that it can be read. */
static const char *extract(struct buffer *to, struct bytes file) {
  struct mip_profile profile = {0};
  struct elf elf;
  struct bytes map;
  unsigned char *memory = NULL;
  const char *error = elf_open(&elf, file);
  if (!error)
    error = mip_elf_map(&elf, &map, &memory);
  if (!error)
    error = mip_map_read(&profile, map);
  if (!error)
    error = buffer_append(to, map.data, map.size);
  /* Outside the ELF, the map must name the build itself. */
  if (!error)
    store32(to->data + mip_header_size(profile.revision) - 8,
            mip_build_of(&elf), elf.big);
  mip_free(&profile);
  free(memory);
  return error;
}

static int run_extract(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {NULL};
  struct buffer map = {.limit = MIP_FILE_LIMIT};
  struct file file;
  int status = options_take(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (file_map(&file, argv[optind], MIP_FILE_LIMIT))
    return 1;
  const char *error = extract(&map, file.bytes);
  status = error ? report(file.name, "%s", error)
                 : mip_save_bytes(&map, NULL, arguments.out);
  buffer_free(&map);
  file_close(&file);
  return status;
}

static const struct option_row options[] = {
    OUTPUT_NEEDED("OUT", struct arguments, out), {0}};

const struct command command_mip_create = {
    .name = "mip create",
    .summary = "make an empty profile from a map",
    .examples = "bareprof mip create fw.elf -o run.mip",
    .usage = "MAP -o P.mip",
    .about =
        "Makes a profile in which nothing has run. MAP is the linked ELF, or "
        "the map that `bareprof mip extract` or objcopy extracted from it.",
    .options = options,
    ONE_FILE("one map or ELF"),
    .run = run_create};

const struct command command_mip_extract = {
    .name = "mip extract",
    .summary = "extract the map from an ELF",
    .examples = "bareprof mip extract fw.elf -o fw.map",
    .usage = "ELF -o MAP",
    .about =
        "Copies the map, section __llvm_mipmap, from a linked ELF; the ELF may "
        "then be stripped. Keep the map beside the program that you release.",
    .options = options,
    ONE_FILE("one ELF"),
    .run = run_extract};
