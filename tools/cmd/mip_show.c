/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip show.
 */
#include "commands.h"
#include "../mip/mip_view.h"

struct arguments {
  struct mip_view view;
  const char *function;
  bool lcov, proftext;
};

static const char *print(struct mip_view *view, void *context) {
  const struct arguments *arguments = context;
  return arguments->lcov       ? mip_show_lcov(view)
         : arguments->proftext ? mip_show_proftext(view)
                               : mip_show_text(view, arguments->function);
}

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.function = ""};
  int status = options_take(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (arguments.lcov && arguments.proftext)
    return options_wrong(command, "use only one of --lcov and --proftext");
  if (arguments.lcov && !arguments.view.elf)
    return options_wrong(command, "--lcov needs --elf ELF");
  if (*arguments.function && (arguments.lcov || arguments.proftext))
    return options_wrong(command, "--function is for text");
  return mip_view_run(&arguments.view, argv[optind], print, &arguments);
}

static const struct option_row options[] = {
    {.name = "function",
     .letter = 'f',
     .value = "TEXT",
     .help = "only functions with TEXT in their names",
     OPTION(struct arguments, function)},
    {.name = "lcov",
     .help = "print a tracefile for genhtml: calls of functions and, if blocks "
             "were instrumented, lines; needs --elf",
     OPTION(struct arguments, lcov)},
    {.name = "proftext",
     .help = "print a text profile of the order of first calls, for "
             "llvm-profdata order and lld --irpgo-profile. It has no counts "
             "for clang -fprofile-use",
     OPTION(struct arguments, proftext)},
    MIP_VIEW_ROWS,
    {0}};

const struct command command_mip_show = {
    .name = "mip show",
    .summary = "show functions, counts, blocks, edges; write lcov or text",
    .examples = "bareprof mip show run.mip",
    .usage = "P.mip [options]",
    .about = "Shows what ran: one line a function, with the blocks after its "
             "entry and its call sites. With the ELF: addresses and lines. "
             "P.mip may also be a map, or an ELF with a map.",
    .options = options,
    ONE_FILE("one profile"),
    .run = run};
