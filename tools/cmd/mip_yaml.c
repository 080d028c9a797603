/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip to-yaml and from-yaml.
 */
#include "../mip/mip_model.h"

#include "../base/error.h"
#include "../base/options.h"
#include "commands.h"
#include "../mip/files.h"

struct arguments {
  const char *out;
};

static int write_yaml(const struct mip_profile *profile, const char *name) {
  struct output output;
  if (output_open(&output, name))
    return 1;
  mip_yaml_write(profile, output.stream);
  return output_commit(&output);
}

static int run_to(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {"-"};
  struct mip_profile profile;
  int status = options_take(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  status = mip_load(&profile, argv[optind]);
  if (!status)
    status = write_yaml(&profile, arguments.out);
  mip_free(&profile);
  return status;
}

static int read_yaml(const char *name, const char *out) {
  struct file file;
  struct mip_profile profile;
  size_t line;
  if (file_map(&file, name, MIP_FILE_LIMIT))
    return 1;
  const char *error = mip_yaml_read(&profile, file.bytes, &line);
  int status = error ? report(name, "line %zu: %s", line, error)
                     : mip_save(&profile, out);
  mip_free(&profile);
  file_close(&file);
  return status;
}

static int run_from(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {NULL};
  int status = options_take(command, argc, argv, &arguments);
  return status >= 0 ? status : read_yaml(argv[optind], arguments.out);
}

static const struct option_row to_options[] = {
    OUTPUT_ROW("OUT.yaml", struct arguments, out), {0}};

static const struct option_row from_options[] = {
    OUTPUT_NEEDED("P.mip", struct arguments, out), {0}};

const struct command command_mip_to_yaml = {
    .name = "mip to-yaml",
    .summary = "write a profile as text",
    .examples = "bareprof mip to-yaml run.mip -o run.yaml",
    .usage = "P.mip [-o OUT.yaml]",
    .about = "Writes a whole profile as text; from-yaml makes the same bytes "
             "from it. P.mip may also be a map, or an ELF with a map.",
    .options = to_options,
    ONE_FILE("one profile"),
    .run = run_to};

const struct command command_mip_from_yaml = {
    .name = "mip from-yaml",
    .summary = "make a profile from that text",
    .examples = "bareprof mip from-yaml run.yaml -o run.mip",
    .usage = "IN.yaml -o P.mip",
    .about = "Makes a profile from the output of to-yaml.",
    .options = from_options,
    ONE_FILE("one text"),
    .run = run_from};
