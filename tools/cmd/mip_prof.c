/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip prof: counted calls to a profile for clang.
 */
#include <inttypes.h>

#include "../base/error.h"
#include "../sample/calls.h"
#include "commands.h"
#include "../mip/view.h"

/* What a profile for clang cannot be made of; or NULL. */
static const char *check(const struct mip_view *view) {
  const struct mip_profile *profile = &view->profile;
  if (!profile->edge_count)
    return "it has no callers; instrument with --edges or --sampled";
  for (size_t i = 0; i < profile->function_count; i++)
    if (profile->functions[i].calls)
      return NULL;
  return "no function was called; merge the data of a target first";
}

static const char *print(struct mip_view *view, void *context) {
  struct sampled profile;
  struct calls_found found;
  const char *error = check(view);
  (void)context;
  if (error)
    return error;
  sampled_begin(&profile);
  error = calls_profile(&profile, &view->places, &found);
  if (!error)
    error = sampled_finish(&profile, 1);
  if (!error && !profile.function_count)
    error = "its functions have no debug information; compile the program with "
            "-g1 and give its ELF";
  if (!error)
    sampled_put_text(view->stream, &profile);
  sampled_free(&profile);
  if (!error && found.unknown)
    report(NULL, "%zu of %zu call sites have no line, and are left out",
           found.unknown, view->profile.edge_count);
  return error;
}

static int run(const struct command *command, int argc, char **argv) {
  struct mip_view view = {.elf = NULL};
  int status = options_take(command, argc, argv, &view);
  if (status >= 0)
    return status;
  if (!view.elf)
    return options_wrong(command, "--elf ELF is missing");
  return mip_view_run(&view, argv[optind], print, NULL);
}

static const struct option_row options[] = {MIP_VIEW_ROWS, {0}};

const struct command command_mip_prof = {
    .name = "mip prof",
    .summary = "write a profile for clang from calls and callers",
    .usage = "P.mip --elf ELF [-o OUT.prof]",
    .about =
        "Writes a sample profile for clang -fprofile-sample-use: calls of each "
        "function, and the targets of each call site by its line. The counts "
        "may be of any compiler, such as gcc, if the program was compiled with "
        "-g1. Compile what is counted with -fno-inline, so that each call of "
        "the source is one; use the profile with -g1 "
        "-fdebug-info-for-profiling.",
    .options = options,
    ONE_FILE("one profile"),
    .run = run};
