/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The loop around getopt_long.
 */
#include "options.h"

#include <stdio.h>

int options_wrong(const char *command, const char *what) {
  fprintf(stderr, "bareprof: %s: %s; see bareprof %s --help\n", command, what,
          command);
  return 2;
}

int options_unknown(const char *command) {
  return options_wrong(command,
                       "there is an unknown option, or one lacks its value");
}

int options_take(const struct options *options, int argc, char **argv,
                 void *arguments) {
  int option;
  opterr = 0;
  while ((option = getopt_long(argc, argv, options->letters, options->list,
                               NULL)) != -1) {
    if (option == 'h') {
      fputs(options->help, stdout);
      return 0;
    }
    int status = options->take(arguments, option);
    if (status)
      return status;
  }
  return -1;
}
