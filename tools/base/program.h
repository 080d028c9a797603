/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs another program without a shell. A file name is always one argument, and
 * never an option or a response file.
 */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include "buffer.h"
#include "prints.h"

/* A command line. Begins as {0}. */
struct arguments {
  char **list; /* ends in NULL */
  size_t count;
  FILE *input; /* standard input, from the current position on; NULL: nothing */
  bool failed; /* An argument got no memory; program_run reports this. */
  bool quiet;  /* A failing program is not reported. */
};

void arguments_add(struct arguments *arguments, const char *format, ...)
    PRINTS_AS(2, 3);

void arguments_free(struct arguments *arguments);

/* Runs list[0], a path, and waits. Adds its standard output to out, which may
 * be NULL, and its standard error to messages, which the caller may use. Both
 * end in a zero that size does not count. If the program fails, reports the
 * program's own message and returns 1. */
int program_run(const struct arguments *arguments, struct buffer *out,
                struct buffer *messages);

#endif
