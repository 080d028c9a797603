/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whole files in, whole files out. "-" is standard input or output. These
 * functions print what is wrong, by report(), and return 0, or 1 then.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "bytes.h"

/* ---- in ---- */

struct file {
  const char *name;
  struct bytes bytes;
  bool mapped;
};

/* Reads all of name, also from a pipe or device: what others still write to,
 * such as a log, may grow or shrink meanwhile. More than limit bytes are
 * refused. file_close gives the memory back. */
int file_read(struct file *file, const char *name, size_t limit);

/* The same for files that are large and used in parts, such as an ELF: of a
 * regular file, only what is looked at takes memory. If the file is cut short
 * while it is open, the program ends with an error that names it. name must
 * live as long as the file is open. */
int file_map(struct file *file, const char *name, size_t limit);

void file_close(struct file *file);

/* ---- out ---- */

/* A file appears under its name when it is whole, by output_commit, and not
 * at all otherwise: until then it has another name in the same folder. What
 * is there already and is no regular file (a device, a pipe, /dev/stdout) is
 * written directly. What is an input of this run, or another output, is
 * refused. Between open and commit or abandon, write to stream, and
 * do not mind errors: commit finds them. */
struct output {
  const char *name; /* as the user gave it */
  FILE *stream;
  char *target;    /* the same with symbolic links followed, or NULL */
  char *temporary; /* the name until commit; NULL: written directly */
};

int output_open(struct output *output, const char *name);

/* Closes the file and gives it its name. After an error it is abandoned. */
int output_commit(struct output *output);

/* Closes the file and removes it. Does nothing if it is not open. */
void output_abandon(struct output *output);

/* ---- outputs that would overwrite an input, or another output, under any
 * name: links are followed. Devices and pipes are never the same ---- */

/* The open file is an input until the program ends. Any thread may call it. */
void same_input(int file);

/* For all outputs of a command, before it writes the first: prints why one may
 * not be written under its name, also if two are one file, and returns 1; or 0.
 * A name may be NULL. */
int same_refuses_any(const char *const *names, size_t count);

#endif
