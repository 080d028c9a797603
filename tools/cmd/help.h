/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is made of the tables of all commands.
 */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "../base/options.h"

/* A page of section 1, in the macros of man(7). */
void help_man(FILE *stream, const struct command *head);

/* A script for bash to source, and a function for zsh's fpath. */
void help_bash(FILE *stream, const struct command *head);
void help_zsh(FILE *stream, const struct command *head);

#endif
