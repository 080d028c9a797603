/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip prof: counted calls to a profile for clang or gcc.
 */

#include "../base/error.h"
#include "../base/buffer.h"
#include "../sample/build.h"
#include "commands.h"
#include "../mip/mip_view.h"

#define GCC_MOST ((size_t)1 << 30)

struct arguments {
  struct mip_view view;
  struct renames renames;
  bool gcc;
};

/* What no profile can be made of; or NULL. */
static const char *check(const struct mip_view *view) {
  const struct mip_profile *profile = &view->profile;
  if (!profile->edge_count)
    return "it has no callers; instrument with --edges or --sampled";
  for (size_t i = 0; i < profile->function_count; i++)
    if (profile->functions[i].calls)
      return NULL;
  return "no function was called; merge the data of a target first";
}

static const char *put_gcc(FILE *stream, const struct sampled *profile) {
  struct buffer bytes = {.limit = GCC_MOST};
  const char *error = sampled_put_gcc(&bytes, profile);
  if (!error)
    fwrite(bytes.data, 1, bytes.size, stream);
  buffer_free(&bytes);
  return error;
}

static const char *print(struct mip_view *view, void *context) {
  struct arguments *arguments = context;
  struct sampled profile;
  struct calls_found found;
  const char *error = check(view);
  if (error)
    return error;
  sampled_begin(&profile);
  error = calls_profile(&profile, &view->places, arguments->gcc, &found);
  if (!error)
    error = sampled_finish(&profile, 1);
  if (!error)
    error = renames_know(&arguments->renames, &view->places.dwarf);
  if (!error)
    error = sampled_rename(&profile, &arguments->renames);
  if (!error && !profile.function_count)
    error = "its functions have no debug information; compile the program with "
            "-g1 and give its ELF";
  if (!error && arguments->gcc)
    error = put_gcc(view->stream, &profile);
  else if (!error)
    sampled_put_text(view->stream, &profile);
  sampled_free(&profile);
  if (!error)
    renames_report(&arguments->renames, NULL);
  if (!error && found.unclear)
    report(NULL,
           "%zu of %zu call sites are in lines with a loop, or with calls that "
           "were made unlike often, and are left out",
           found.unclear, view->profile.edge_count);
  if (!error && found.unknown)
    report(NULL, "%zu of %zu call sites have no line, and are left out",
           found.unknown, view->profile.edge_count);
  return error;
}

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.gcc = false};
  int status = options_take(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  status = arguments.view.elf
               ? mip_view_run(&arguments.view, argv[optind], print, &arguments)
               : options_wrong(command, "--elf ELF is missing");
  renames_free(&arguments.renames);
  return status;
}

static const struct option_row options[] = {
    {.name = "gcc",
     .help = "a profile for gcc -fauto-profile instead, version 2, as gcc 12 "
             "reads it. A line without calls gets the calls of its function",
     OPTION(struct arguments, gcc)},
    RENAMES_ROW(struct arguments, renames),
    MIP_VIEW_ROWS,
    {0}};

const struct command command_mip_prof = {
    .name = "mip prof",
    .summary = "write a profile for compilers from calls and callers",
    .examples = "bareprof mip prof run.mip --elf fw.elf -o fw.prof",
    .usage = "P.mip --elf ELF [options]",
    .about =
        "Writes a sample profile for clang -fprofile-sample-use, or for gcc: "
        "calls of each "
        "function, and the targets of each call site by its line. The counts "
        "may be of any compiler, such as gcc, if the program was compiled with "
        "-g1. Compile the counted code with -fno-inline, so that each call of "
        "the source is one; use the profile with -g1 "
        "-fdebug-info-for-profiling.",
    .options = options,
    ONE_FILE("one profile"),
    .run = run};
