/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip create and extract: what is made of an ELF before anything has
 * run.
 */
#include <stdlib.h>

#include "../base/error.h"
#include "../base/options.h"
#include "commands.h"
#include "load.h"

static const char create_help[] =
    "usage: bareprof mip create MAP -o P.mip\n"
    "\n"
    "Makes a profile in which nothing has run. MAP is the linked ELF, or the\n"
    "map that `bareprof mip extract` or objcopy took out of it.\n"
    "\n"
    "  -o, --output P.mip  where to; needed\n";

static const char extract_help[] =
    "usage: bareprof mip extract ELF -o MAP\n"
    "\n"
    "Copies the map, section __llvm_mipmap, out of a linked ELF, which may be\n"
    "stripped then. Keep it beside the program that you release.\n"
    "\n"
    "  -o, --output MAP    where to; needed\n";

static int take_create(void *out, int option) {
  if (option != 'o')
    return options_unknown("mip create");
  *(const char **)out = optarg;
  return 0;
}

static int take_extract(void *out, int option) {
  if (option != 'o')
    return options_unknown("mip extract");
  *(const char **)out = optarg;
  return 0;
}

/* The arguments of both. -1: they are all right, else the exit status. */
static int take_all(int argc, char **argv, const struct options *options,
                    const char **out) {
  int status = options_take(options, argc, argv, out);
  if (status >= 0)
    return status;
  if (!*out)
    return options_wrong(options->command, "-o is missing");
  return optind + 1 == argc ? -1
                            : options_wrong(options->command, "give one file");
}

static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                     {"help", no_argument, NULL, 'h'},
                                     {NULL, 0, NULL, 0}};

int mip_create(int argc, char **argv) {
  static const struct options options = {"mip create", create_help, "o:h", list,
                                         take_create};
  const char *out = NULL;
  struct mip_profile profile;
  int status = take_all(argc, argv, &options, &out);
  if (status >= 0)
    return status;
  status = mip_load(&profile, argv[optind]);
  for (size_t i = 0; i < profile.function_count && !status; i++)
    if (profile.functions[i].runs)
      status = report(argv[optind], "it is a profile in which functions ran; "
                                    "give the map or the ELF");
  if (!status)
    status = mip_save(&profile, out);
  mip_free(&profile);
  return status;
}

/* The map as it is there, once it has been read. */
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
  /* Apart from the ELF it must say the build itself. */
  if (!error)
    store32(to->data + mip_header_size(profile.revision) - 8,
            mip_build_of(&elf), elf.big);
  mip_free(&profile);
  free(memory);
  return error;
}

int mip_extract(int argc, char **argv) {
  static const struct options options = {"mip extract", extract_help, "o:h",
                                         list, take_extract};
  const char *out = NULL;
  struct buffer map = {.limit = MIP_FILE_LIMIT};
  struct file file;
  int status = take_all(argc, argv, &options, &out);
  if (status >= 0)
    return status;
  if (file_map(&file, argv[optind], MIP_FILE_LIMIT))
    return 1;
  const char *error = extract(&map, file.bytes);
  status =
      error ? report(file.name, "%s", error) : mip_save_bytes(&map, NULL, out);
  buffer_free(&map);
  file_close(&file);
  return status;
}
