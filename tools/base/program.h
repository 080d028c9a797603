/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs another program, by no shell: whatever a file is called, it is one
 * argument, and neither an option nor a response file.
 */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include "buffer.h"

/* A command line. Begins as {0}. */
struct arguments {
  char **list; /* ends in NULL */
  size_t count;
  FILE *input; /* what it reads, from the current place on; NULL: nothing */
  bool failed; /* there was no memory for one; program_run says so */
  bool quiet;  /* a program that fails is not reported */
};

void arguments_add(struct arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds the name of a file, or an option that ends in one: option may be "". */
void arguments_file(struct arguments *arguments, const char *option,
                    const char *name);

void arguments_free(struct arguments *arguments);

/* Where a program is: by PATH, or by its name if that has a slash. NULL: there
 * is none. The caller frees it. */
char *program_find(const char *name);

/* Runs list[0], a path, and waits. What it writes is added to out, which may
 * be NULL; what it complains of to messages, of which the caller makes
 * something or nothing. Both are zero-terminated, the zero not counted. A
 * program that fails is reported, by what it says itself, and 1 returned. */
int program_run(const struct arguments *arguments, struct buffer *out,
                struct buffer *messages);

/* The next line of messages, without colours and line end; *at moves on. NULL
 * at the end. The line is changed in its place. */
char *program_line(char **at);

#endif
