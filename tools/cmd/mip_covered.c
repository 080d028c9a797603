/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip covered: prints the names, lines or files that ran, each of them
 * once. bareprof mip prof: makes a sample profile from call counts. The input
 * is a .mip profile.
 */
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"
#include "../base/need.h"
#include "../mip/mip_view.h"
#include "../sample/build.h"
#include "commands.h"

struct arguments {
  struct mip_view view;
  bool uncovered, lines, paths;
};

struct coverage_list_entry {
  const char *text; /* the name of a function or of a source file */
  unsigned line;    /* 0: the entry lacks a line */
};

/* Appends the file of a function and, if `line_too` is true, the line where the
 * function begins. Returns false if debug information does not have this line.
 */
static bool append_function_line(struct buffer *items, struct mip_view *view,
                                 const struct mip_function *function,
                                 bool line_too) {
  struct coverage_list_entry item = {NULL, 0};
  if (!mip_find_function_line(&view->locator, function, &item.text, &item.line))
    return false;
  item.line = line_too ? item.line : 0;
  need_append(items, &item, sizeof item);
  return true;
}

static void append_block_line(struct buffer *items, struct mip_view *view,
                              int64_t distance) {
  struct coverage_list_entry item = {NULL, 0};
  if (mip_find_line(&view->locator, distance, &item.text, &item.line))
    need_append(items, &item, sizeof item);
}

/* Appends the entries of a function to the list. Returns false if its line is
 * not known. */
static bool append_coverage_entries(struct buffer *items, struct mip_view *view,
                                    const struct arguments *arguments,
                                    const struct mip_function *function) {
  bool known = true;
  bool wanted = arguments->uncovered != (function->runs != 0);
  const struct coverage_list_entry name = {function->name, 0};
  if (wanted && !arguments->lines && !arguments->paths)
    need_append(items, &name, sizeof name);
  else if (wanted)
    known = append_function_line(items, view, function, arguments->lines);
  for (uint32_t i = 0; i < function->block_count; i++)
    if (arguments->lines && view->profile.type & MIP_BLOCKS &&
        function->blocks[i].covered != arguments->uncovered)
      append_block_line(items, view,
                        function->address + function->blocks[i].offset);
  return known;
}

static int compare_coverage_entries(const void *left, const void *right) {
  const struct coverage_list_entry *a = left, *b = right;
  int order = strcmp(a->text, b->text);
  return order ? order : (a->line > b->line) - (a->line < b->line);
}

static const char *print_coverage_list(struct mip_view *view, void *context) {
  const struct arguments *arguments = context;
  struct buffer items = {.limit = (size_t)1 << 30};
  size_t unknown = 0;
  for (size_t i = 0; i < view->profile.function_count; i++)
    unknown += !append_coverage_entries(&items, view, arguments,
                                        &view->profile.functions[i]);
  if (unknown && !items.size)
    return mip_no_lines;
  if (unknown)
    warn(NULL, "functions without line numbers are left out: %zu; compile "
               "with -g", unknown);
  const struct coverage_list_entry *list = (void *)items.data;
  size_t count = items.size / sizeof *list;
  sort_array(items.data, count, sizeof *list, compare_coverage_entries);
  for (size_t i = 0; i < count; i++) {
    if (i && !compare_coverage_entries(&list[i - 1], &list[i]))
      continue;
    print_printable(view->stream, list[i].text);
    if (list[i].line)
      fprintf(view->stream, ":%u", list[i].line);
    fputc('\n', view->stream);
  }
  buffer_free(&items);
  return NULL;
}

static int run_mip_covered(const struct command *command, int argc,
                           char **argv) {
  struct arguments arguments = {.lines = false};
  char **files = options_parse(command, argc, argv, &arguments);
  if (arguments.lines && arguments.paths)
    return options_report_misuse(command,
                                 "use only one of --lines and --paths");
  if ((arguments.lines || arguments.paths) && !arguments.view.elf)
    return options_report_misuse(command, "--lines and --paths need --elf ELF");
  return mip_view_show_profile(&arguments.view, *files, print_coverage_list,
                               &arguments);
}

static const struct option_row options[] = {
    {"uncovered", 'u', NULL, "list the functions that did not run",
     OPTION(struct arguments, uncovered)},
    {"lines", 0, NULL,
     "print FILE:LINE of each listed function and of its blocks. Needs --elf",
     OPTION(struct arguments, lines)},
    {"paths", 0, NULL,
     "print the source files of the listed functions. Needs --elf",
     OPTION(struct arguments, paths)},
    MIP_VIEW_ROWS,
    {0}};

const struct command command_mip_covered = {
    .name = "mip covered",
    .summary = "list the functions, lines or files that ran",
    .examples = "bareprof mip covered run.mip\n"
                "bareprof mip covered run.mip --lines --elf fw.elf",
    .usage = "P.mip [options]",
    .about = "Lists the functions that ran, one per line.",
    RUNS(run_mip_covered, options, 1, 1, "one profile")};

/* ---- prof: counted calls to a profile for clang or gcc ---- */

struct prof_arguments {
  struct mip_view view;
  struct file_renames renames;
  bool gcc;
};

static const char *refuse_data_without_calls(const struct mip_view *view) {
  const struct mip_profile *profile = &view->profile;
  if (!profile->edge_count)
    return "the data has no callers; instrument with --edges or --sampled";
  for (size_t i = 0; i < profile->function_count; i++)
    if (profile->functions[i].calls)
      return NULL;
  return "no function was called; merge the data of a target first";
}

static const char *print_sample_profile(struct mip_view *view, void *context) {
  struct prof_arguments *arguments = context;
  struct sampled_profile profile;
  struct mip_calls_statistics found;
  const char *error = refuse_data_without_calls(view);
  if (error)
    return error;
  sampled_begin(&profile);
  mip_calls_build_profile(&profile, &view->locator, arguments->gcc, &found);
  sampled_scale_and_sort(&profile, 1);
  renames_add_sources(&arguments->renames, &view->locator.dwarf);
  sampled_rename_files(&profile, &arguments->renames);
  if (!profile.function_count)
    error = "the functions have no debug information; compile the program with "
            "-g1 and pass its ELF";
  else if (arguments->gcc)
    sampled_print_gcc(view->stream, &profile);
  else
    sampled_print_text(view->stream, &profile);
  sampled_free(&profile);
  if (error)
    return error;
  renames_warn_unused(&arguments->renames, NULL);
  if (found.unclear)
    warn(NULL,
         "call sites left out, because their line has a loop, or calls that "
         "ran different numbers of times: %zu of %zu",
         found.unclear, view->profile.edge_count);
  if (found.unknown)
    warn(NULL, "call sites left out, because they have no line: %zu of %zu",
         found.unknown, view->profile.edge_count);
  return NULL;
}

static int run_mip_prof(const struct command *command, int argc, char **argv) {
  struct prof_arguments arguments = {.gcc = false};
  char **files = options_parse(command, argc, argv, &arguments);
  int status = arguments.view.elf
                   ? mip_view_show_profile(&arguments.view, *files,
                                           print_sample_profile, &arguments)
                   : options_report_misuse(command, "--elf ELF is missing");
  renames_free(&arguments.renames);
  return status;
}

static const struct option_row prof_options[] = {
    {"gcc", 0, NULL,
     "write a profile for gcc -fauto-profile instead of clang, in version 2 of "
     "the format, which gcc 12 reads. A line without calls gets the number of "
     "calls of its function",
     OPTION(struct prof_arguments, gcc)},
    RENAMES_ROW(struct prof_arguments, renames),
    MIP_VIEW_ROWS,
    {0}};

const struct command command_mip_prof = {
    .name = "mip prof",
    .summary = "write a profile for clang or gcc from recorded calls",
    .examples = "bareprof mip prof run.mip --elf fw.elf -o fw.prof",
    .usage = "P.mip --elf ELF [options]",
    .about = "Writes a sample profile for clang -fprofile-sample-use, or for "
             "gcc, from recorded calls: how often each function was called, "
             "and the targets of each call site, by line. The program that "
             "recorded the calls may be compiled by any compiler, such as gcc. "
             "Compile this program with -g1, and with -fno-inline, so that "
             "each call in the source is a call in the program. Then compile "
             "with the profile and with -g1 -fdebug-info-for-profiling.",
    RUNS(run_mip_prof, prof_options, 1, 1, "one profile")};
