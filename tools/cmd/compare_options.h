/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of commands on two profiles: A, B and some options.
 */
#ifndef CMD_COMPARE_OPTIONS_H
#define CMD_COMPARE_OPTIONS_H

#include "../base/options.h"
#include "../compare/comparison.h"

/* Comes first in a command's own arguments. */
struct compare_arguments {
  const char *names[SIDES];
  const char *out, *elf, *function;
  bool json, no_demangle;
};

/* Rows for the command's table. */
#define COMPARE_ROWS                                               \
  {.name = "json",                                                 \
   .help = "print JSON",                                           \
   OPTION(struct compare_arguments, json)},                        \
      {.name = "no-demangle",                                      \
       .help = "show C++ and Rust names as the compiler has them", \
       OPTION(struct compare_arguments, no_demangle)},             \
      {.name = "elf",                                              \
       .value = "ELF",                                             \
       .help = "the image of raw profiles without records",        \
       OPTION(struct compare_arguments, elf)},                     \
      OUTPUT_ROW("OUT", struct compare_arguments, out)

/* Takes all options, reads A and B and hands them to `compare`, with the
 * command's arguments. Returns the exit status. It is called again, and has
 * printed nothing, if the pair is wrong. */
typedef int compare_pair(const void *arguments, struct pair *pair);
int compare_run(const struct command *command, char **argv, int argc,
                struct compare_arguments *arguments, compare_pair *compare);

#endif
