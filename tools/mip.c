/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof mip: the table of its commands.
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "mip/commands.h"

static const struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *about;
} commands[] = {
    {"instrument", mip_instrument, "assembly of a compiler, with sleds"},
    {"patch", mip_patch, "sleds into the nops of a linked image"},
    {"extract", mip_extract, "the map out of an ELF"},
    {"create", mip_create, "an empty profile of a map"},
    {"merge", mip_merge, "what targets sent into a profile"},
    {"show", mip_show, "functions, counts, blocks, edges; lcov; text profile"},
    {"covered", mip_covered, "the functions, lines or files that ran"},
    {"hot", mip_hot, "a linker's list of what runs most"},
    {"cold", mip_cold, "a linker's list of what never ran"},
    {"edges", mip_edges, "who called whom, as text or DOT"},
    {"info", mip_info, "what a file is"},
    {"to-yaml", mip_to_yaml, "a profile as text"},
    {"from-yaml", mip_from_yaml, "and back"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int usage(FILE *stream, int status) {
  fputs("usage: bareprof mip COMMAND [options] FILE...\n\n", stream);
  for (size_t i = 0; i < COMMANDS; i++)
    fprintf(stream, "  %-10s  %s\n", commands[i].name, commands[i].about);
  fputs("\n`bareprof mip COMMAND --help` tells the options.\n", stream);
  return status;
}

int command_mip(int argc, char **argv) {
  if (argc < 2)
    return usage(stderr, 2);
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
    return usage(stdout, 0);
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(argv[1], commands[i].name) == 0)
      return commands[i].run(argc - 1, argv + 1);
  fprintf(stderr,
          "bareprof: mip: there is no command %s; see bareprof mip --help\n",
          argv[1]);
  return 2;
}
