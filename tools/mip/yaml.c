/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip to-yaml and from-yaml.
 */
#include "yaml.h"

#include "../base/error.h"
#include "../base/options.h"
#include "commands.h"
#include "load.h"

static const char to_help[] =
    "usage: bareprof mip to-yaml P.mip [-o OUT.yaml]\n"
    "\n"
    "Writes all of a profile as text, of which from-yaml makes the same bytes\n"
    "again. P.mip may also be a map, or an ELF that has one.\n"
    "\n"
    "  -o, --output OUT.yaml  where to; standard output without\n";

static const char from_help[] =
    "usage: bareprof mip from-yaml IN.yaml -o P.mip\n"
    "\n"
    "Makes a profile of what to-yaml has written.\n"
    "\n"
    "  -o, --output P.mip  where to; needed\n";

static const struct option list[] = {{"output", required_argument, NULL, 'o'},
                                     {"help", no_argument, NULL, 'h'},
                                     {NULL, 0, NULL, 0}};

static int take_to(void *out, int option) {
  if (option != 'o')
    return options_unknown("mip to-yaml");
  *(const char **)out = optarg;
  return 0;
}

static int take_from(void *out, int option) {
  if (option != 'o')
    return options_unknown("mip from-yaml");
  *(const char **)out = optarg;
  return 0;
}

static int write_yaml(const struct mip_profile *profile, const char *name) {
  struct output output;
  if (output_open(&output, name))
    return 1;
  mip_yaml_write(profile, output.stream);
  return output_commit(&output);
}

int mip_to_yaml(int argc, char **argv) {
  static const struct options options = {"mip to-yaml", to_help, "o:h", list,
                                         take_to};
  const char *out = "-";
  struct mip_profile profile;
  int status = options_take(&options, argc, argv, &out);
  if (status >= 0)
    return status;
  if (optind + 1 != argc)
    return options_wrong("mip to-yaml", "give one profile");
  status = mip_load(&profile, argv[optind]);
  if (!status)
    status = write_yaml(&profile, out);
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

int mip_from_yaml(int argc, char **argv) {
  static const struct options options = {"mip from-yaml", from_help, "o:h",
                                         list, take_from};
  const char *out = NULL;
  int status = options_take(&options, argc, argv, &out);
  if (status >= 0)
    return status;
  if (!out)
    return options_wrong("mip from-yaml", "-o P.mip is missing");
  return optind + 1 == argc ? read_yaml(argv[optind], out)
                            : options_wrong("mip from-yaml", "give one text");
}
