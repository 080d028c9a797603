/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof help: of one command, or of all of them as a man page or for a
 * shell to complete.
 */

#include "bareprof.h"
#include "commands.h"
#include "help.h"

struct arguments {
  bool man;
  unsigned shell;
};

enum shell { NO_SHELL, BASH, ZSH };

static int run(const struct command *command, int argc, char **argv) {
  struct arguments arguments = {.man = false};
  const struct command *of = &command_bareprof;
  int status = options_take(command, argc, argv, &arguments);
  if (status >= 0)
    return status;
  for (int i = optind; i < argc; i++) {
    of = commands_find(of, argv[i]);
    if (!of)
      return options_wrong(command, "there is no such command");
  }
  if (arguments.man)
    help_man(stdout, &command_bareprof);
  else if (arguments.shell == BASH)
    help_bash(stdout, &command_bareprof);
  else if (arguments.shell == ZSH)
    help_zsh(stdout, &command_bareprof);
  else
    options_help(stdout, of);
  return 0;
}

/* By enum shell. */
static const char *const shells[] = {"none", "bash", "zsh", NULL};

static const struct option_row options[] = {
    {.name = "man",
     .help = "the man page instead, of all commands",
     OPTION(struct arguments, man)},
    {.name = "completion",
     .value = "SHELL",
     .help = "what bash or zsh completes commands and options by",
     OPTION(struct arguments, shell),
     .words = shells},
    {0}};

const struct command command_help = {
    .name = "help",
    .summary = "show the help of a command, or make a man page",
    .usage = "[COMMAND...] [options]",
    .about = "What `bareprof COMMAND --help` prints.",
    .options = options,
    .run = run};
