/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof, the host tool: the table of its commands.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "bareprof.h"
#include "commands.h"

static const struct command {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *about;
} commands[] = {
    {"receive", command_receive, "find dumps in a console log or on a port"},
    {"join", command_join, "counts and their ELF to a raw profile"},
    {"merge", command_merge, "profiles of any LLVM into one for yours"},
    {"show", command_show, "what is in a profile"},
    {"diff", command_diff, "what changed between two runs or builds"},
    {"overlap", command_overlap, "how much two profiles count alike"},
    {"order", command_order, "an order of functions for the linker"},
    {"mip", command_mip, "coverage, calls and order for any compiler, GCC too"},
    {"probes", command_probes, "pseudo probes: where they are, and if rightly"},
    {"samples", command_samples, "samples of the PC to a profile for clang"},
    {"extract", command_extract, "what join and llvm-cov need of an ELF"},
    {"report", command_report, "console logs to a coverage report"},
    {"doctor", command_doctor, "why a report will be empty, before it runs"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int usage(FILE *stream, int status) {
  fputs("usage: bareprof COMMAND [options] FILE...\n\n", stream);
  for (size_t i = 0; i < COMMANDS; i++)
    fprintf(stream, "  %-9s %s\n", commands[i].name, commands[i].about);
  fputs("\n`bareprof COMMAND --help` tells the options.\n"
        "Exit status: 0 done, 1 the input is bad or incomplete, 2 wrong"
        " usage.\n",
        stream);
  return status;
}

/* A reader that closes the pipe has seen what it wanted. */
static bool reader_gone(void) {
  struct pollfd wait = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&wait, 1, 0) > 0 && wait.revents & POLLERR;
}

/* The exit status: what was printed may not have been written. */
static int finish(int status) {
  errno = 0;
  bool wrong = fflush(stdout) != 0;
  int why = errno;
  if ((!wrong && !ferror(stdout)) || reader_gone())
    return status;
  return report("standard output", "cannot be written: %s; free the disk",
                why ? strerror(why) : "output error");
}

static int run(int argc, char **argv) {
  if (argc < 2)
    return usage(stderr, 2);
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
    return usage(stdout, 0);
  if (strcmp(argv[1], "--version") == 0) {
    printf("bareprof %d.%d.%d\n", BAREPROF_VERSION >> 16,
           BAREPROF_VERSION >> 8 & 255, BAREPROF_VERSION & 255);
    return 0;
  }
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(argv[1], commands[i].name) == 0)
      return commands[i].run(argc - 1, argv + 1);
  fprintf(stderr, "bareprof: there is no command %s; see bareprof --help\n",
          argv[1]);
  return 2;
}

int main(int argc, char **argv) {
  interrupt_catch();
  return finish(run(argc, argv));
}
