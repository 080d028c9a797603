/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Whole files in, whole files out. "-" is standard input or output. These
 * functions return 0, or print the error with report() and return 1.
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

/* Reads all of name, also from a pipe or device. A file that is still being
 * written (a log) may grow or shrink meanwhile. Refuses more than limit bytes.
 * file_close frees the memory. */
int file_read(struct file *file, const char *name, size_t limit);

/* The same for a name that an input says: there need be no such file, and it
 * must be no pipe that waits. *found: whether there is one. */
int file_read_if(struct file *file, const char *name, size_t limit,
                 bool *found);

/* The same for large files of which only parts are used, for example an ELF.
 * For a regular file, only the parts that are read take memory. If the file is
 * cut short while it is open, the program ends with an error that names the
 * file. name must live as long as the file is open. */
int file_map(struct file *file, const char *name, size_t limit);

void file_close(struct file *file);

/* These bytes of a file are hardly read again: in a mapped file, they take no
 * memory from now on. Otherwise they stay. */
void file_passed(const unsigned char *bytes, size_t size);

/* A text of any size, piece by piece, also from a pipe:
 *
 *     struct pieces pieces;
 *     struct bytes lines;
 *     int status = pieces_open(&pieces, name, limit);
 *     while (!status && !(status = pieces_next(&pieces, &lines)) && lines.size)
 *       ... whole lines; only the last one may lack its end ...
 *     pieces_close(&pieces);
 *
 * Memory is bounded by the longest line. A line of more than limit bytes is
 * refused. */
enum { PIECES_FIRST = 1 << 20 };
struct pieces {
  const char *name;
  int from; /* below 0: not open */
  bool ended;
  size_t limit;
  unsigned char *data;
  size_t begin, end, room; /* what is not handed out yet; of data */
};

int pieces_open(struct pieces *pieces, const char *name, size_t limit);

/* The first PIECES_FIRST bytes up to the end of a line, which pieces_next hands
 * out again: they say what form the text has. */
int pieces_peek(struct pieces *pieces, struct bytes *first);

/* *lines is valid until the next call. It is empty at the end. */
int pieces_next(struct pieces *pieces, struct bytes *lines);

/* All that is not handed out yet, up to limit bytes, if the file is no text. */
int pieces_rest(struct pieces *pieces, struct bytes *rest);

void pieces_close(struct pieces *pieces);

/* ---- out ---- */

/* output_commit gives a complete file its name. Until then the file has another
 * name in the same folder. An existing file that is not regular (a device, a
 * pipe, /dev/stdout) is written directly. A file that is an input of this run,
 * or another output, is refused. Between open and commit or abandon, write to
 * stream and ignore errors: commit finds them. */
struct output {
  const char *name; /* as the user gave it */
  FILE *stream;
  char *target;    /* the same with symbolic links followed, or NULL */
  char *temporary; /* the name until commit; NULL: written directly */
  char *room;      /* the buffer of the stream, or NULL */
};

int output_open(struct output *output, const char *name);

/* Makes a new folder of the user alone, for files between programs. The caller
 * removes it. Returns 0, or reports the error and returns 1. */
enum { PRIVATE_FOLDER = 4000 };
int private_folder(char path[PRIVATE_FOLDER]);

/* Closes the file and gives it its name. After an error it is abandoned. */
int output_commit(struct output *output);

/* Closes the file and removes it. Does nothing if it is not open. */
void output_abandon(struct output *output);

/* Writes the buffered text of standard output. Returns 0, or prints the error,
 * once, and returns 1. */
int flush_standard_output(void);

/* ---- outputs that would overwrite an input or another output, under any name:
 * links are followed. Two devices or pipes never count as the same ---- */

/* The open file is an input until the program ends. Any thread may call it. */
void same_input(int file);

/* All files may be written again: a step of a command changes the file that the
 * step before has written. No other thread may run. */
void same_forget(void);

/* Checks all outputs of a command before it writes the first. Returns 0, or
 * prints the error and returns 1: an output may not be written under its name,
 * or two outputs are the same file. A name may be NULL. */
/* Whether two names are of one file or folder, which need not be there. */
bool same_place(const char *a, const char *b);
int same_refuses_any(const char *const *names, size_t count);

#endif
