/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Options, and two profiles.
 */
#include "commands.h"

#include <string.h>

#include "../base/demangle.h"

/* Demangles names in output for people. */
static int compare_shown(const struct compare_arguments *arguments,
                         struct record_pair *pair, compare_pair *compare) {
  if (!arguments->json && !arguments->no_demangle &&
      strcmp(arguments->out, "-") == 0)
    demangle_begin(0);
  int status = compare(arguments, pair);
  return demangle_end() || status;
}

int compare_run(const struct command *command, char **argv, int argc,
                struct compare_arguments *arguments, compare_pair *compare) {
  struct record_pair pair;
  arguments->out = "-";
  int status = options_take(command, argc, argv, arguments);
  if (status >= 0)
    return status;
  for (int i = 0; i < SIDES; i++)
    arguments->names[i] = argv[optind + i];
  status = pair_open(&pair, arguments->names, arguments->elf);
  if (!status)
    status = compare_shown(arguments, &pair, compare);
  if (!status && pair.wrong)
    status = pair_whole(&pair) || compare_shown(arguments, &pair, compare);
  pair_close(&pair);
  return status;
}
