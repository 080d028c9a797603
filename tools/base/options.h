/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The options of a command, and what is said of wrong ones.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <getopt.h>

struct options {
  const char *command; /* its name */
  const char *help;
  const char *letters; /* of getopt; h is for help */
  const struct option *list;
  /* Takes an option with its value, optarg. 0, or the exit status. */
  int (*take)(void *arguments, int option);
};

/* Takes all options; optind is the first argument behind them. Returns -1 if
 * the command is to go on, else its exit status. */
int options_take(const struct options *options, int argc, char **argv,
                 void *arguments);

/* Prints one line about wrong usage. Returns 2. */
int options_wrong(const char *command, const char *what);

/* For take: an option of the list that it does not know. What is not in the
 * list, or lacks its value, options_take names. */
int options_unknown(const char *command);

#endif
