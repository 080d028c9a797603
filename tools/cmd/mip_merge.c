/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip merge: merges the data of targets into the profile of their
 * build.
 */
#include "../base/error.h"
#include "../base/options.h"
#include "../profile/gather.h"
#include "../mip/files.h"
#include "commands.h"

struct arguments {
  struct sources_given given;
  const char *out;
  bool any_build;
  struct mip_raw_options raw;
};

static int add(struct mip_profile *profile, const char *name,
               const struct mip_raw_options *options) {
  struct file file;
  if (file_map(&file, name, MIP_FILE_LIMIT))
    return 1;
  const char *error = mip_add_file(profile, file.bytes, options);
  file_close(&file);
  return error ? report(name, "%s", error) : 0;
}

/* Names from the lists come behind the arguments. */
static int merge(const struct arguments *arguments) {
  struct mip_profile profile;
  char **rest = arguments->given.names;
  struct sources lists = {0};
  int status = mip_load(&profile, *rest++);
  for (size_t i = 0; i < arguments->given.lists.count && !status; i++)
    status = sources_list(&lists, arguments->given.lists.names[i]);
  for (; *rest && !status; rest++)
    status = add(&profile, *rest, &arguments->raw);
  for (size_t i = 0; i < lists.count && !status; i++)
    status = add(&profile, lists.names[i], &arguments->raw);
  if (!status) {
    mip_settle_edges(&profile);
    status = mip_save(&profile, arguments->out);
  }
  sources_free(&lists);
  mip_free(&profile);
  return status;
}

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.out = NULL};
  int status = options_take(command, argc, argv, &arguments);
  arguments.given.names = argv + optind;
  arguments.raw.same_build = !arguments.any_build;
  if (status < 0)
    status = merge(&arguments);
  sources_free(&arguments.given.lists);
  return status;
}

static const struct option_row options[] = {
    OUTPUT_NEEDED("OUT.mip", struct arguments, out),
    {.name = "input-files",
     .value = "LIST",
     .help = "file with names of inputs, one a line",
     .take = sources_take_list},
    {.name = "any-build",
     .help = "accept inputs without a build id, or with another one",
     OPTION(struct arguments, any_build)},
    {.name = "strict",
     .help = "only the byte 0 means that something ran, as in files of other "
             "tools (default: every byte except 0xFF)",
     OPTION(struct arguments, raw.strict)},
    {0}};

const struct command command_mip_merge = {
    .name = "mip merge",
    .summary = "merge data from targets into a profile",
    .examples = "bareprof mip merge fw.elf fw.mipraw -o run.mip",
    .usage = "P.mip RAW... -o OUT.mip [options]",
    .about = "Adds data from targets (raw sections, edges, or both in one "
             "file), and other profiles of the same build, to P.mip. P.mip may "
             "also be the map or the ELF. Calls are added; a block that ran in "
             "any input counts as run. An input with another build id, or with "
             "none, is an error, and nothing is written.",
    .options = options,
    .least = 1,
    .files = "P.mip, and the data from targets",
    .run = run};
