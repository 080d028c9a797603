/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip show.
 */
#include "commands.h"
#include "show.h"

static const char help[] =
    "usage: bareprof mip show P.mip [options]\n"
    "\n"
    "Shows what ran: a line a function, with the blocks behind its entry and\n"
    "the places that it was called from. With the ELF: addresses and lines.\n"
    "P.mip may also be a map, or an ELF that has one.\n"
    "\n" MIP_VIEW_HELP
    "  -f, --function TEXT  only functions whose names contain TEXT\n"
    "      --lcov           a tracefile for genhtml: calls of functions and,\n"
    "                       where blocks were instrumented, lines; needs "
    "--elf\n"
    "      --proftext       a text profile of the order of first calls, for\n"
    "                       llvm-profdata order and lld --irpgo-profile. It\n"
    "                       has no counts that clang -fprofile-use can take\n";

struct arguments {
  struct mip_view view;
  const char *function;
  bool lcov, proftext;
};

static int take(void *context, int option) {
  struct arguments *arguments = context;
  if (mip_view_take(&arguments->view, option))
    return 0;
  if (option == 'f')
    arguments->function = optarg;
  else if (option == 'l')
    arguments->lcov = true;
  else if (option == 'p')
    arguments->proftext = true;
  else
    return options_unknown("mip show");
  return 0;
}

static const char *print(struct mip_view *view, void *context) {
  const struct arguments *arguments = context;
  return arguments->lcov       ? mip_show_lcov(view)
         : arguments->proftext ? mip_show_proftext(view)
                               : mip_show_text(view, arguments->function);
}

int mip_show(int argc, char **argv) {
  static const struct option list[] = {
      MIP_VIEW_OPTIONS,
      {"function", required_argument, NULL, 'f'},
      {"lcov", no_argument, NULL, 'l'},
      {"proftext", no_argument, NULL, 'p'},
      {NULL, 0, NULL, 0}};
  static const struct options options = {"mip show", help, "e:o:f:h", list,
                                         take};
  struct arguments arguments = {.function = ""};
  int status = options_take(&options, argc, argv, &arguments);
  if (status >= 0)
    return status;
  if (arguments.lcov && arguments.proftext)
    return options_wrong("mip show", "--lcov and --proftext are one too many");
  if (arguments.lcov && !arguments.view.elf)
    return options_wrong("mip show", "--lcov needs --elf ELF");
  if (*arguments.function && (arguments.lcov || arguments.proftext))
    return options_wrong("mip show", "--function is for text");
  return mip_view_run(&arguments.view, "mip show", argv + optind, print,
                      &arguments);
}
