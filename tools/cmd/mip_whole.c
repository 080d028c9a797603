/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip create, extract, merge, show: commands that read and write a
 * complete .mip profile.
 */
#include <stdlib.h>

#include "../base/error.h"
#include "../base/buffer.h"
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
  int status = options_parse(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  status = mip_load(&profile, argv[optind]);
  for (size_t i = 0; i < profile.function_count && !status; i++)
    if (profile.functions[i].runs)
      status = report(argv[optind],
                      "this is a profile with counts; pass the map or the ELF");
  if (!status)
    status = mip_save(&profile, arguments.out);
  mip_profile_free(&profile);
  return status;
}

/* Copies the map from the ELF, and checks that the map can be read. */
static const char *extract_map(struct buffer *to, struct bytes file) {
  struct mip_profile profile = {0};
  struct elf elf;
  struct bytes map;
  unsigned char *memory = NULL;
  const char *error = elf_open(&elf, file);
  if (!error)
    error = mip_find_elf_map(&elf, &map, &memory);
  if (!error)
    error = mip_map_parse(&profile, map);
  if (!error)
    error = buffer_append_bytes(to, map.data, map.size);
  /* The map leaves its ELF here, so it must contain the build id hash. */
  if (!error)
    store32(to->data + mip_header_size(profile.revision) - 8,
            mip_build_hash(&elf), elf.big);
  mip_profile_free(&profile);
  free(memory);
  return error;
}

static int run_mip_extract(const struct command *command, int argc,
                           char **argv) {
  struct arguments arguments = {NULL};
  struct buffer map = {.limit = MIP_FILE_LIMIT};
  struct file file;
  int status = options_parse(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (file_map(&file, argv[optind], MIP_FILE_LIMIT))
    return 1;
  const char *error = extract_map(&map, file.bytes);
  status =
      error ? report(file.name, "%s", error)
            : mip_save_bytes((struct bytes){map.data, map.size}, arguments.out);
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
        "Writes a profile in which no function has run. MAP is the linked ELF, "
        "or the map that `bareprof mip extract` or objcopy extracted.",
    .options = options,
    ONE_FILE("one map or ELF"),
    .run = run_mip_create};

const struct command command_mip_extract = {
    .name = "mip extract",
    .summary = "extract the map from an ELF",
    .examples = "bareprof mip extract fw.elf -o fw.map",
    .usage = "ELF -o MAP",
    .about =
        "Copies the map, section __llvm_mipmap, from a linked ELF, which may "
        "then be stripped. Archive the map beside the released program.",
    .options = options,
    ONE_FILE("one ELF"),
    .run = run_mip_extract};

/* ---- merge: adds data from targets to the profile of their build ---- */

struct merge_arguments {
  struct merge_input_arguments given;
  const char *out;
  bool any_build;
  struct mip_raw_options raw;
};

static int add_file(struct mip_profile *profile, const char *name,
                    const struct mip_raw_options *raw) {
  struct file file;
  if (file_map(&file, name, MIP_FILE_LIMIT))
    return 1;
  const char *error = mip_add_file(profile, file.bytes, raw);
  file_close(&file);
  return error ? report(name, "%s", error) : 0;
}

/* Adds the files of the command line, then the files that the lists name. */
static int merge_files(const struct merge_arguments *arguments) {
  struct mip_profile profile;
  char **rest = arguments->given.names;
  struct merge_inputs lists = {0};
  int status = mip_load(&profile, *rest++);
  for (size_t i = 0; i < arguments->given.lists.count && !status; i++)
    status = merge_inputs_read_list(&lists, arguments->given.lists.names[i]);
  for (; *rest && !status; rest++)
    status = add_file(&profile, *rest, &arguments->raw);
  for (size_t i = 0; i < lists.count && !status; i++)
    status = add_file(&profile, lists.names[i], &arguments->raw);
  if (!status) {
    mip_sort_edges(&profile);
    status = mip_save(&profile, arguments->out);
  }
  merge_inputs_free(&lists);
  mip_profile_free(&profile);
  return status;
}

static int run_mip_merge(const struct command *command, int argc, char **argv) {
  struct merge_arguments arguments = {.out = NULL};
  int status = options_parse(command, argc, argv, &arguments);
  arguments.given.names = argv + optind;
  arguments.raw.same_build = !arguments.any_build;
  if (status < 0)
    status = merge_files(&arguments);
  merge_inputs_free(&arguments.given.lists);
  return status;
}

static const struct option_row merge_options[] = {
    OUTPUT_NEEDED("OUT.mip", struct merge_arguments, out),
    {.name = "input-files",
     .value = "LIST",
     .help = "read the names of inputs from this file, one a line",
     .take = merge_inputs_add_list},
    {.name = "any-build",
     .help = "accept inputs with another build id or without one",
     OPTION(struct merge_arguments, any_build)},
    {.name = "strict",
     .help = "count only the byte 0 as `ran`, as in files of other tools "
             "(default: every byte except 0xFF)",
     OPTION(struct merge_arguments, raw.strict)},
    {0}};

const struct command command_mip_merge = {
    .name = "mip merge",
    .summary = "merge data from targets into a profile",
    .examples = "bareprof mip merge fw.elf fw.mipraw -o run.mip",
    .usage = "P.mip RAW... -o OUT.mip [options]",
    .about = "Adds data from targets (raw sections, edges, or both in one "
             "file), and other profiles of the same build, to P.mip. P.mip may "
             "also be the map or the ELF. Calls are added; a block has run if "
             "it ran in any input. An input with another build id, or without "
             "one, is an error, and no output is written.",
    .options = merge_options,
    .least = 1,
    .files = "P.mip, and the data from targets",
    .run = run_mip_merge};

/* ---- show ---- */

struct show_arguments {
  struct mip_view view;
  const char *function;
  bool lcov, proftext;
};

static const char *print_shown(struct mip_view *view, void *context) {
  const struct show_arguments *arguments = context;
  return arguments->lcov       ? mip_show_lcov(view)
         : arguments->proftext ? mip_show_proftext(view)
                               : mip_show_table(view, arguments->function);
}

static int run_mip_show(const struct command *command, int argc, char **argv) {
  struct show_arguments arguments = {.function = ""};
  int status = options_parse(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (arguments.lcov && arguments.proftext)
    return options_report_wrong(command,
                                "use only one of --lcov and --proftext");
  if (arguments.lcov && !arguments.view.elf)
    return options_report_wrong(command, "--lcov needs --elf ELF");
  if (*arguments.function && (arguments.lcov || arguments.proftext))
    return options_report_wrong(command, "--function is for text");
  return mip_view_run(&arguments.view, argv[optind], print_shown, &arguments);
}

static const struct option_row show_options[] = {
    {.name = "function",
     .letter = 'f',
     .value = "TEXT",
     .help = "show only functions with TEXT in their names",
     OPTION(struct show_arguments, function)},
    {.name = "lcov",
     .help = "write an lcov tracefile for genhtml: calls of functions and, if "
             "blocks were instrumented, lines; needs --elf",
     OPTION(struct show_arguments, lcov)},
    {.name = "proftext",
     .help = "write a text profile of the order of first calls, for "
             "llvm-profdata order and lld --irpgo-profile; the profile has no "
             "counts for clang -fprofile-use",
     OPTION(struct show_arguments, proftext)},
    MIP_VIEW_ROWS,
    {0}};

const struct command command_mip_show = {
    .name = "mip show",
    .summary = "show functions, counts, blocks, edges; write lcov or text",
    .examples = "bareprof mip show run.mip",
    .usage = "P.mip [options]",
    .about = "Shows what ran: one line for each function, with its blocks and "
             "call sites. With the ELF, also addresses and lines. P.mip may "
             "also be a map, or an ELF with a map.",
    .options = show_options,
    ONE_FILE("one profile"),
    .run = run_mip_show};
