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

/* Adds the name of a file, or an option that ends in one: option may be "". */
void arguments_file(struct arguments *arguments, const char *option,
                    const char *name);

void arguments_free(struct arguments *arguments);

/* Returns the path of a program, searched in PATH unless the name has a slash.
 * NULL: not found. The caller frees the path. */
char *program_find(const char *name);

/* The same for a tool of one LLVM release, such as llvm-cov-22. */
char *program_find_release(const char *tool, unsigned release);

/* Runs list[0], a path, and waits. Adds its standard output to out, which may
 * be NULL, and its standard error to messages, which the caller may use. Both
 * end in a zero that size does not count. If the program fails, reports the
 * program's own message and returns 1. */
int program_run(const struct arguments *arguments, struct buffer *out,
                struct buffer *messages);

/* Runs list[0], a path or a name in PATH, and waits. The files get its standard
 * output and standard error. If signals are delayed (interrupt.h), a signal
 * that ends bareprof ends the program first. Returns a status for the
 * functions of os.h, or -1 and errno. */
int program_wait(const struct arguments *arguments, FILE *out, FILE *messages);

/* Returns the next line of messages, without colours and line end, and moves
 * *at on. NULL: the end. Changes the text in place. */
char *program_line(char **at);

#endif
