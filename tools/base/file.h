/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads and writes complete files. "-" is standard input or output. The
 * functions that return an int return 0, or print the error with report() and
 * return 1.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "bytes.h"
#include "error.h"

/* ---- input ---- */

struct file {
  const char *name;
  struct bytes bytes;
  bool mapped;
};

/* Reads a whole file, which may be a pipe or device. A file that is still being
 * written (a log) may grow or shrink meanwhile. A file of more than limit bytes
 * is an error. file_close frees the memory. */
int file_read(struct file *file, const char *name, size_t limit);

/* Reads a file whose name comes from an input, so the file need not exist. A
 * pipe or device, which could block, counts as missing. Sets *found if the file
 * exists. */
int file_read_if_exists(struct file *file, const char *name, size_t limit,
                        bool *found);

/* Like file_read, for large files of which only parts are used, for example an
 * ELF. Only the parts that are read take memory, if the file is regular. If the
 * file becomes shorter while it is open, the program ends with an error that
 * names the file. name must live as long as the file is open. */
int file_map(struct file *file, const char *name, size_t limit);

void file_close(struct file *file);

/* Tells the system that these bytes of a file are not needed soon. If the file
 * is mapped, they stop taking memory; otherwise nothing changes. */
void file_release_pages(const unsigned char *bytes, size_t size);

/* Reads a text of any size piece by piece. The text may come from a pipe:
 *
 *     struct piece_reader pieces;
 *     struct bytes lines;
 *     int status = pieces_open(&pieces, name, limit);
 *     while (!status &&
 *            !(status = pieces_read_lines(&pieces, &lines)) && lines.size)
 *       ... complete lines; only the last one may lack its newline ...
 *     pieces_close(&pieces);
 *
 * The longest line determines the memory used. A line of more than limit bytes
 * is an error. */
enum { PIECES_FIRST = 1 << 20 };
struct piece_reader {
  const char *name;
  int from; /* the file's descriptor; negative: not open */
  bool ended;
  size_t limit;
  unsigned char *data;
  size_t begin, end, room; /* the bounds of the unread part of data; the
                              capacity of data */
};

int pieces_open(struct piece_reader *pieces, const char *name, size_t limit);

/* Returns the complete lines in the first PIECES_FIRST bytes, or all these
 * bytes if no line ends in them. The caller finds the text's format in them,
 * before the first call of pieces_read_lines, which returns them again. */
int pieces_peek(struct piece_reader *pieces, struct bytes *first);

/* Reads the next complete lines. *lines is valid until the next call, and is
 * empty at the end of the text. */
int pieces_read_lines(struct piece_reader *pieces, struct bytes *lines);

/* Reads the rest of a file that is not text. More bytes than the limit of
 * pieces_open are an error. */
int pieces_read_rest(struct piece_reader *pieces, struct bytes *rest);

void pieces_close(struct piece_reader *pieces);

/* ---- output ---- */

/* An output file. Until output_commit, which gives a complete file its name,
 * the file has another name in the same folder. An existing file that is not
 * regular (a device, a pipe, /dev/stdout) is written directly. A file that is
 * an input of this run, or another output, is an error. Between output_open and
 * output_commit or output_abandon, write to the stream and ignore errors:
 * commit detects them. */
struct output_file {
  const char *name; /* name of the file as the user gave it */
  FILE *stream;
  char *target;    /* the name with symbolic links resolved, or NULL */
  char *temporary; /* the file's name until the commit; NULL: the file is
                      written directly */
  char *room;      /* the buffer of the stream, or NULL */
  bool again; /* the caller sets this after output_open if this run writes the
                 file again */
};

int output_open(struct output_file *output, const char *name);

/* Makes a new folder that only the user can read, for files passed between
 * programs. The caller removes it. Returns 0; or reports the error and returns
 * 1. */
enum { PRIVATE_FOLDER = 4000 };
int make_private_folder(char path[PRIVATE_FOLDER]);

/* Does the same, but rejects a path with a comma, because QEMU splits the value
 * of its option `option` at commas. */
int make_folder_for_qemu(char path[PRIVATE_FOLDER], const char *option);

/* Closes the file and gives it its name. After an error the file is abandoned.
 */
int output_commit(struct output_file *output);

/* Writes a file. Returns 0, or reports the error and returns 1. */
int output_write_bytes(const char *name, struct bytes bytes);

/* Commits the file if error is NULL. Otherwise abandons the file, reports the
 * error under this name, and returns 1. */
int output_commit_or_report(struct output_file *output, const char *name,
                            const char *error);

/* Closes the file and removes it. Does nothing if the file is not open. */
void output_abandon(struct output_file *output);

/* Closes a file that os_fopen opened; the stream is NULL if it failed. Returns
 * 0, or reports the error in the format, whose %s is the cause, and returns 1.
 */
int file_close_written(FILE *stream, const char *name, const char *format);
#define CHECK_DISK \
  "cannot be written: %s; check the permissions and the disk space"
#define SET_TMPDIR \
  "cannot be written: %s; set TMPDIR to a folder with free space"

/* Flushes standard output. Returns 0; or prints the error, unless it was
 * printed before, and returns 1. */
int flush_standard_output(void);

/* Flushes standard output and ends the program with this status, or with 1 if
 * standard output fails. A reader that has closed the pipe has seen enough, so
 * a closed pipe is not an error. */
_Noreturn void exit_after_flush(int status);

/* The next functions end the program if a step of a command has failed. After a
 * step that has printed its error, the exit status is the step's status. After
 * any other step, the functions print an error message. */
static inline void exit_if_failed(int status) {
  if (status)
    exit_after_flush(status);
}

static inline void exit_on_error(const char *name, const char *error) {
  if (error)
    exit_after_flush(report(name, "%s", error));
}

/* ---- known files ----
 *
 * Finds outputs that would overwrite an input or another output. The same file
 * is found under all its names, because links are followed. Two devices or
 * pipes never count as the same.
 */

/* Marks the open file as an input until the program ends. Any thread may call
 * it. */
void file_mark_input(int file);

/* Forgets all files, so that a step of a command may change the file that the
 * previous step has written. No other thread may run. */
void file_forget_identities(void);

/* Returns whether two names refer to the same file or folder, which need not
 * exist. */
bool file_names_same_file(const char *a, const char *b);

/* Checks the name of a file to write. Returns an error if the name is a
 * folder's name, or if its folder is missing; otherwise returns NULL. */
const char *output_check_name(const char *name);

/* Checks all outputs of a command before the first output is written. Returns
 * 0. If an output must not be written under its name, or two outputs are the
 * same file, prints the error and returns 1. A name may be NULL. */
int output_report_bad_names(const char *const *names, size_t count);

#endif
