/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What commands on two profiles have in common: A, B and some options.
 */
#ifndef BAREPROF_TOOLS_COMPARE_COMMAND_H
#define BAREPROF_TOOLS_COMPARE_COMMAND_H

#include "../base/options.h"
#include "pair.h"

/* Comes first in a command's own arguments. */
struct compare_arguments {
  const char *names[SIDES];
  const char *out, *elf, *function;
  bool json;
};

/* For the command's list of options; its own ones count from COMPARE_OWN. */
enum { COMPARE_FUNCTION = 256, COMPARE_JSON, COMPARE_ELF, COMPARE_OWN };
#define COMPARE_LETTERS "o:h"
#define COMPARE_OPTIONS                                    \
  {"function", required_argument, NULL, COMPARE_FUNCTION}, \
      {"json", no_argument, NULL, COMPARE_JSON},           \
      {"elf", required_argument, NULL, COMPARE_ELF},       \
      {"output", required_argument, NULL, 'o'},            \
      {"help", no_argument, NULL, 'h'}, {                  \
    NULL, 0, NULL, 0                                       \
  }

/* Takes one of these options. 0, or the exit status. */
int compare_take(struct compare_arguments *arguments, int option,
                 const char *command);

/* Takes all options, reads A and B and hands them to `compare`, with the
 * command's arguments. Returns the exit status. */
struct compare_command {
  struct options options;
  int (*compare)(const void *arguments, struct pair *pair);
};
int compare_run(const struct compare_command *command, int argc, char **argv,
                struct compare_arguments *arguments);

#endif
