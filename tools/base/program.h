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

/* ---- interrupt.c ----
 *
 * Cleans up when a signal ends the program: removes incomplete files, and
 * prints one line if an input broke.
 */

/* From now on SIGINT, SIGTERM and SIGHUP remove the files below before they end
 * the program. A closed pipe becomes an error of write instead of a signal.
 * main calls it first. Ignored signals stay ignored. */
void interrupt_catch(void);

/* path names a file that a signal must remove. path must live until
 * interrupt_keep. At most 16 paths at a time are remembered. */
void interrupt_remove(const char *path);
void interrupt_keep(const char *path);

/* Delays the signals, for work that a handler cannot undo, for example a folder
 * with files. Calls nest. The last interrupt_resume ends the program if a
 * signal came meanwhile. */
void interrupt_delay(void);
void interrupt_resume(void);

/* Whether a signal is waiting for interrupt_resume. */
bool interrupt_waits(void);

/* The bytes in memory are those of a mapped file. If the file becomes shorter
 * and the program reads the missing bytes, the program ends with an error that
 * names the file. */
void interrupt_map(const void *bytes, size_t size, const char *name);
void interrupt_unmap(const void *bytes);
bool interrupt_maps(const void *bytes); /* whether they are in a mapped file */

#endif
