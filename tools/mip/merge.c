/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip merge: what targets have sent, into the profile of their build.
 */
#include "../base/error.h"
#include "../base/options.h"
#include "../profile/sources.h"
#include "add.h"
#include "commands.h"
#include "load.h"

static const char help[] =
    "usage: bareprof mip merge P.mip RAW... -o OUT.mip [options]\n"
    "\n"
    "Adds what targets have sent (raw sections, edges, or both in one file),\n"
    "and other profiles of the same build, to P.mip, which may also be the\n"
    "map or the ELF. Calls add up, blocks that ran in any of them ran. What\n"
    "is of another build, by its build id, is refused, and so is what has\n"
    "none; nothing is written then.\n"
    "\n"
    "  -o, --output OUT.mip     where to; needed\n"
    "      --input-files=LIST   names of inputs, a line each\n"
    "      --any-build          take what has no build id, or another one\n"
    "      --strict             only the byte 0 says that something ran, as "
    "in\n"
    "                           the files of others; not all but 0xFF\n";

struct arguments {
  const char *out;
  struct sources inputs;
  struct mip_raw_options raw;
};

static int take(void *context, int option) {
  struct arguments *arguments = context;
  switch (option) {
  case 'o':
    arguments->out = optarg;
    return 0;
  case 'f':
    return sources_list(&arguments->inputs, optarg);
  case 'a':
    arguments->raw.same_build = false;
    return 0;
  case 's':
    arguments->raw.strict = true;
    return 0;
  default:
    return options_unknown("mip merge");
  }
}

static int add(struct mip_profile *profile, const char *name,
               const struct mip_raw_options *options) {
  struct file file;
  if (file_map(&file, name, MIP_FILE_LIMIT))
    return 1;
  const char *error = mip_add_file(profile, file.bytes, options);
  file_close(&file);
  return error ? report(name, "%s", error) : 0;
}

static int merge(const struct arguments *arguments, char **rest) {
  struct mip_profile profile;
  const struct sources *inputs = &arguments->inputs;
  int status = mip_load(&profile, *rest++);
  for (; *rest && !status; rest++)
    status = add(&profile, *rest, &arguments->raw);
  for (size_t i = 0; i < inputs->count && !status; i++)
    status = add(&profile, inputs->names[i], &arguments->raw);
  if (!status) {
    mip_settle_edges(&profile);
    status = mip_save(&profile, arguments->out);
  }
  mip_free(&profile);
  return status;
}

static int run(const struct arguments *arguments, char **rest) {
  if (!arguments->out)
    return options_wrong("mip merge", "-o OUT.mip is missing");
  if (!*rest)
    return options_wrong("mip merge", "P.mip is missing");
  return merge(arguments, rest);
}

int mip_merge(int argc, char **argv) {
  static const struct option list[] = {
      {"output", required_argument, NULL, 'o'},
      {"input-files", required_argument, NULL, 'f'},
      {"strict", no_argument, NULL, 's'},
      {"any-build", no_argument, NULL, 'a'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0}};
  static const struct options options = {"mip merge", help, "o:h", list, take};
  struct arguments arguments = {.raw = {.same_build = true}};
  int status = options_take(&options, argc, argv, &arguments);
  if (status < 0)
    status = run(&arguments, argv + optind);
  sources_free(&arguments.inputs);
  return status;
}
