/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The loop around getopt_long.
 */
#include "options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

int options_wrong(const char *command, const char *what) {
  fprintf(stderr, "bareprof: %s: %s; see bareprof %s --help\n", command, what,
          command);
  return 2;
}

int options_unknown(const char *command) {
  return options_wrong(command, "it has an unknown option");
}

/* What getopt_long stopped at: the word before optind, but for a letter among
 * several, which only optopt has. */
static int wrong_option(const struct options *options, char *word, bool lacks) {
  char what[300], name[200], letter[3] = {'-', (char)optopt, 0};
  bool named = strncmp(word, "--", 2) == 0;
  const char *value = named ? strchr(word, '=') : NULL;
  printable(name, sizeof name, named ? word : letter);
  if (value)
    name[strcspn(name, "=")] = 0;
  snprintf(what, sizeof what,
           lacks             ? "option %s lacks its value"
           : value && optopt ? "option %s takes no value"
                             : "unknown option %s",
           name);
  return options_wrong(options->command, what);
}

int options_take(const struct options *options, int argc, char **argv,
                 void *arguments) {
  char letters[64];
  int option;
  opterr = 0;
  /* The colon has a missing value told from an unknown option. */
  snprintf(letters, sizeof letters, ":%s", options->letters);
  while ((option = getopt_long(argc, argv, letters, options->list, NULL)) !=
         -1) {
    if (option == 'h') {
      fputs(options->help, stdout);
      return 0;
    }
    if (option == '?' || option == ':')
      return wrong_option(options, argv[optind - 1], option == ':');
    int status = options->take(arguments, option);
    if (status)
      return status;
  }
  return -1;
}
