/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs another program without a shell. A file name is always one argument, and
 * never an option or a response file.
 */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "storage.h"
#include "error.h"

/* A command line. Initialise with {0}. */
struct argument_list {
  char **list; /* the program and its arguments, ended by NULL */
  size_t count;
  FILE *input; /* the program's standard input, read from its current position;
                  NULL: empty */
  bool failed; /* memory ran out while an argument was added; program_run
                  reports this */
  bool quiet;  /* program_run does not report that the program failed */
};

void arguments_append(struct argument_list *arguments, const char *format, ...)
    PRINTS_AS(2, 3);

void arguments_free(struct argument_list *arguments);

/* Runs list[0], which is a path, and waits. Appends the program's standard
 * output to out, which may be NULL, and its standard error to messages. A zero
 * byte, which the size does not count, follows the text in both buffers. If the
 * program fails, reports the program's own message and returns 1. */
int program_run(const struct argument_list *arguments, struct buffer *out,
                struct buffer *messages);

/* Reports that a command of the user cannot be started. `error` is an errno
 * that says why. Returns 1. */
int report_command_error(char *const *command, int error);

/* ---- interrupt.c ----
 *
 * Cleans up when a signal ends the program: removes incomplete files, and
 * prints one line if a mapped input has broken.
 */

/* From now on SIGINT, SIGTERM and SIGHUP remove the files below before they end
 * the program. Writing to a closed pipe becomes an error instead of a signal.
 * Must be the first call of main. Ignored signals stay ignored. */
void interrupt_catch_signals(void);

/* interrupt_add_file registers the path of a file that a signal must remove.
 * `path` must live until interrupt_forget_file. At most 16 paths are registered
 * at a time. */
void interrupt_add_file(const char *path);
void interrupt_forget_file(const char *path);

/* Delays the signals during work that a handler cannot undo, for example on a
 * folder with files. Calls nest. The last interrupt_resume_signals ends the
 * program if a signal came meanwhile. */
void interrupt_delay_signals(void);
void interrupt_resume_signals(void);

bool interrupt_is_pending(void);

/* interrupt_add_map registers the memory of a mapped file. If the file becomes
 * shorter and the program reads the missing bytes, the program ends with an
 * error that names the file. Only 256 files at a time can be registered. */
void interrupt_add_map(const void *bytes, size_t size, const char *name);
void interrupt_forget_map(const void *bytes);
bool interrupt_has_map(
    const void *bytes); /* returns whether the bytes are in a mapped file */

#endif
