/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip create, extract, merge, show: commands that read and write a
 * complete .mip profile.
 */
#include <stdlib.h>

#include "../base/file.h"
#include "../base/buffer.h"
#include "../base/need.h"
#include "../base/options.h"
#include "../mip/mip_file.h"
#include "../mip/mip_model.h"
#include "../mip/mip_view.h"
#include "../profile/profile_merge.h"
#include "commands.h"

struct arguments {
  const char *out;
};

/* ---- create and extract: before anything has run ---- */

static int run_mip_create(const struct command *command, int argc,
                          char **argv) {
  struct arguments arguments = {NULL};
  struct mip_profile profile;
  char **files = options_parse(command, argc, argv, &arguments);
  exit_if_failed(mip_load_profile(&profile, *files));
  for (size_t i = 0; i < profile.function_count; i++)
    if (profile.functions[i].runs)
      exit_on_error(*files,
                    "this is a profile with counts; pass the map or the ELF");
  int status = mip_save_profile(&profile, arguments.out);
  mip_profile_free(&profile);
  return status;
}

/* Copies the map from the ELF, and checks that the map is valid. */
static int run_mip_extract(const struct command *command, int argc,
                           char **argv) {
  struct arguments arguments = {NULL};
  struct buffer copy = {.limit = MIP_FILE_LIMIT};
  struct mip_profile profile = {0};
  struct file file;
  struct elf elf;
  struct bytes map;
  unsigned char *memory = NULL;
  char **files = options_parse(command, argc, argv, &arguments);
  exit_if_failed(file_map(&file, *files, MIP_FILE_LIMIT));
  exit_on_error(*files, elf_open(&elf, file.bytes));
  exit_on_error(*files, mip_find_elf_map(&elf, &map, &memory));
  exit_on_error(*files, mip_map_parse(&profile, map));
  need_append(&copy, map.data, map.size);
  /* The copied map is a file without its ELF, so it must contain the build id
   * hash. */
  store32(copy.data + mip_header_size(profile.revision) - 8,
          mip_build_hash(&elf), elf.big);
  int status = output_write_bytes(arguments.out, buffer_bytes(&copy));
  mip_profile_free(&profile);
  free(memory);
  buffer_free(&copy);
  file_close(&file);
  return status;
}

static const struct option_row options[] = {
    OUTPUT_NEEDED("OUT", struct arguments, out), {0}};

const struct command command_mip_create = {
    .name = "mip create",
    .summary = "make an empty profile from an ELF or a map",
    .examples = "bareprof mip create fw.elf -o run.mip",
    .usage = "MAP -o P.mip",
    .about =
        "Writes a profile in which no function has run. MAP is the linked ELF, "
        "or a map that `bareprof mip extract` or objcopy copied from the ELF.",
    RUNS(run_mip_create, options, 1, 1, "one map or ELF")};

const struct command command_mip_extract = {
    .name = "mip extract",
    .summary = "copy the map (the list of instrumented functions) from an ELF",
    .examples = "bareprof mip extract fw.elf -o fw.map",
    .usage = "ELF -o MAP",
    .about = "Copies the map (the section __llvm_mipmap, which lists the "
             "instrumented functions) from a linked ELF, which may then be "
             "stripped. Archive the map with the released program.",
    RUNS(run_mip_extract, options, 1, 1, "one ELF")};

/* ---- merge: adds data from targets to the profile of their build ---- */

struct merge_arguments {
  struct merge_input_arguments given;
  const char *out;
  bool any_build;
  struct mip_raw_options raw;
};

static void add_mip_data_file(struct mip_profile *profile, const char *name,
                              const struct mip_raw_options *raw) {
  struct file file;
  exit_if_failed(file_map(&file, name, MIP_FILE_LIMIT));
  exit_on_error(name, mip_add_file(profile, file.bytes, raw));
  file_close(&file);
}

static int run_mip_merge(const struct command *command, int argc, char **argv) {
  struct merge_arguments arguments = {.out = NULL};
  struct mip_profile profile;
  struct merge_inputs lists = {0};
  char **rest = options_parse(command, argc, argv, &arguments);
  arguments.raw.same_build = !arguments.any_build;
  exit_if_failed(mip_load_profile(&profile, *rest++));
  for (size_t i = 0; i < arguments.given.lists.count; i++)
    exit_if_failed(
        merge_inputs_read_list(&lists, arguments.given.lists.names[i]));
  for (; *rest; rest++)
    add_mip_data_file(&profile, *rest, &arguments.raw);
  for (size_t i = 0; i < lists.count; i++) {
    if (lists.weights[i] != 1)
      exit_on_error(lists.names[i], "data of MIP has no weights; list only the "
                                    "name");
    add_mip_data_file(&profile, lists.names[i], &arguments.raw);
  }
  mip_sort_and_merge_edges(&profile);
  int status = mip_save_profile(&profile, arguments.out);
  merge_inputs_free(&lists);
  merge_inputs_free(&arguments.given.lists);
  mip_profile_free(&profile);
  return status;
}

static const struct option_row merge_options[] = {
    OUTPUT_NEEDED("OUT.mip", struct merge_arguments, out),
    {"input-files", 0, "LIST",
     "read the names of inputs from the file LIST, one per line",
     .parse_value = merge_inputs_add_list},
    {"any-build", 0, NULL,
     "accept inputs that have another build id or no build id",
     OPTION(struct merge_arguments, any_build)},
    {"strict", 0, NULL,
     "refuse bytes except 0 and 0xFF, as other tools do (default: "
     "every byte except 0xFF means `ran`)",
     OPTION(struct merge_arguments, raw.strict)},
    {0}};

const struct command command_mip_merge = {
    .name = "mip merge",
    .summary = "merge the data that targets sent into a profile",
    .examples = "bareprof mip merge fw.elf fw.mipraw -o run.mip",
    .usage = "P.mip RAW... -o OUT.mip [options]",
    .about = "Adds the data that targets sent, and other profiles of the same "
             "build, to the profile P.mip. RAW is a file with the raw section, "
             "with edges (callers and callees), or with both. P.mip may also "
             "be the map or the ELF, for an empty profile. Calls are added; a "
             "block counts as run if the block ran in any input. If an input "
             "has another build id, or none, the command reports an error and "
             "writes no output.",
    RUNS(run_mip_merge, merge_options, 1, 0,
         "P.mip, and the data from targets")};

/* ---- show ---- */

struct show_arguments {
  struct mip_view view;
  const char *function;
  bool lcov, proftext;
};

static const char *print_mip_profile(struct mip_view *view, void *context) {
  const struct show_arguments *arguments = context;
  return arguments->lcov       ? mip_show_lcov(view)
         : arguments->proftext ? mip_show_proftext(view)
                               : mip_show_table(view, arguments->function);
}

static int run_mip_show(const struct command *command, int argc, char **argv) {
  struct show_arguments arguments = {.function = ""};
  char **files = options_parse(command, argc, argv, &arguments);
  if (arguments.lcov && arguments.proftext)
    return options_report_misuse(command,
                                 "use only one of --lcov and --proftext");
  if (arguments.lcov && !arguments.view.elf)
    return options_report_misuse(command, "--lcov needs --elf ELF");
  if (*arguments.function && (arguments.lcov || arguments.proftext))
    return options_report_misuse(
        command, "--function does not work with --lcov or --proftext");
  return mip_view_show_profile(&arguments.view, *files, print_mip_profile,
                               &arguments);
}

static const struct option_row show_options[] = {
    {"function", 'f', "TEXT", "show only functions whose name contains TEXT",
     OPTION(struct show_arguments, function)},
    {"lcov", 0, NULL,
     "write an lcov tracefile for genhtml: calls of functions, and also lines "
     "if blocks were instrumented. Needs --elf",
     OPTION(struct show_arguments, lcov)},
    {"proftext", 0, NULL,
     "write the order of first calls as a text profile, for llvm-profdata "
     "order and lld --irpgo-profile. The profile has no counts for clang "
     "-fprofile-use",
     OPTION(struct show_arguments, proftext)},
    MIP_VIEW_ROWS,
    {0}};

const struct command command_mip_show = {
    .name = "mip show",
    .summary = "show functions, counts, blocks and edges; write lcov or text",
    .examples = "bareprof mip show run.mip",
    .usage = "P.mip [options]",
    .about = "Shows which code ran: one line for each function, with its "
             "blocks and call sites. With --elf, the lines also show addresses "
             "and source lines. P.mip may also be a map, or an ELF with a map.",
    RUNS(run_mip_show, show_options, 1, 1, "one profile")};
