/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads and writes files, and remembers their identities. Outputs are not
 * synced to disk (fsync), since a profile can be made again after a power cut.
 */
#include "file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "error.h"
#include "program.h"
#include "os.h"

/* ==== The next functions remember files. A file is identified through its
 * device and inode. If memory runs out, a file does not become known, and is
 * not checked. */

struct file_identity {
  uint64_t device, number;
  bool output;
};

static struct {
  pthread_mutex_t lock;
  struct file_identity *list;
  size_t count;
} file_identities = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_file_identity(int file, bool output) {
  struct os_file_info facts;
  if (!os_stat_open(file, &facts) || facts.kind != OS_FILE)
    return;
  pthread_mutex_lock(&file_identities.lock);
  if (list_make_room(&file_identities.list, file_identities.count,
                     sizeof *file_identities.list))
    file_identities.list[file_identities.count++] =
        (struct file_identity){facts.device, facts.number, output};
  pthread_mutex_unlock(&file_identities.lock);
}

void file_mark_input(int file) { add_file_identity(file, false); }
void file_forget_identities(void) { file_identities.count = 0; }
static void mark_output(int file) { add_file_identity(file, true); }

static int refuse_reused_file(const char *name) {
  struct os_file_info facts;
  const char *what = NULL;
  if (!os_stat(name, &facts) || facts.kind != OS_FILE)
    return 0;
  pthread_mutex_lock(&file_identities.lock);
  for (size_t i = 0; i < file_identities.count && !what; i++)
    if (file_identities.list[i].device == facts.device &&
        file_identities.list[i].number == facts.number)
      what = file_identities.list[i].output ? "another output" : "an input";
  pthread_mutex_unlock(&file_identities.lock);
  return what ? report(name, "the output file is also %s; use another name",
                       what)
              : 0;
}

/* Gets the facts about the folder of a name. Returns the last part of the name.
 */
static const char *stat_parent_folder(const char *name,
                                      struct os_file_info *folder) {
  const char *base = os_base_name(name);
  char *path = base != name ? strdup(name) : strdup(".");
  *folder = (struct os_file_info){0};
  if (base != name && path)
    path[base - name] = 0;
  if (path)
    os_stat(path, folder);
  free(path);
  return base;
}

bool file_names_same_file(const char *a, const char *b) {
  struct os_file_info one, two;
  if (!strcmp(a, "-") || !strcmp(b, "-"))
    return false;
  if (os_stat(a, &one) && os_stat(b, &two))
    return (one.kind == OS_FILE || one.kind == OS_FOLDER) &&
           one.device == two.device && one.number == two.number;
  const char *last_a = stat_parent_folder(a, &one),
             *last_b = stat_parent_folder(b, &two);
  return strlen(last_a) == strlen(last_b) &&
         os_are_same_name(last_a, last_b, strlen(last_a)) &&
         one.device == two.device && one.number == two.number;
}

const char *output_check_name(const char *name) {
  struct os_file_info facts;
  if (strcmp(name, "-") == 0)
    return NULL;
  if (os_stat(name, &facts))
    return facts.kind == OS_FOLDER ? "this is a folder; pass a file" : NULL;
  stat_parent_folder(name, &facts);
  return facts.kind == OS_FOLDER ? NULL
                                 : "the folder of this file does not exist; "
                                   "create the folder first";
}

int output_report_bad_names(const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const char *wrong = names[i] ? output_check_name(names[i]) : NULL;
    if (wrong)
      return report(names[i], "%s", wrong);
    if (names[i] && refuse_reused_file(names[i]))
      return 1;
    for (size_t j = 0; j < i; j++)
      if (names[i] && names[j] && file_names_same_file(names[i], names[j]))
        return report(
            names[i],
            "the output file is also another output; use another name");
  }
  return 0;
}

/* ---- input ---- */

static int open_input_file(const char *name) {
  int file = strcmp(name, "-") ? os_open(name) : dup(STDIN_FILENO);
  if (file >= 0)
    file_mark_input(file);
  return file;
}

static int report_file_error(const char *name, const char *what) {
  if (errno == EISDIR)
    return report(name, "this is a folder; pass a file");
  return report(name, "cannot be %s: %s; check the path and the permissions",
                what, os_error_text(errno));
}

static int report_too_large(const char *name, size_t limit) {
  return report(
      name, "larger than %zu bytes; check that this is the right file", limit);
}

/* Reserves space for a regular file plus one byte, with which the reader
 * detects the file's end. The size is only a hint: the file may grow or shrink,
 * and a pipe does not have a size. */
static void reserve_for_file(struct buffer *buffer, int from) {
  struct os_file_info facts;
  if (os_stat_open(from, &facts) && facts.kind == OS_FILE &&
      facts.size < buffer->limit)
    buffer_reserve(buffer, (size_t)facts.size + 1);
}

static int read_to_end(struct buffer *to, int from, const char *name) {
  const char *error;
  while (!(error = buffer_reserve(to, 1))) {
    long got = os_read(from, to->data + to->size, to->capacity - to->size);
    if (got < 0)
      return report_file_error(name, "read");
    if (got == 0)
      return 0;
    to->size += (size_t)got;
  }
  if (to->size == to->limit)
    return report_too_large(name, to->limit - 1);
  return report(name, "%s", error);
}

static int read_file_and_close(struct file *file, int from, size_t limit) {
  /* the limit is one byte higher, to detect a longer file */
  struct buffer buffer = {.limit = limit < SIZE_MAX ? limit + 1 : limit};
  reserve_for_file(&buffer, from);
  int status = read_to_end(&buffer, from, file->name);
  close(from);
  if (status)
    buffer_free(&buffer);
  file->bytes = buffer_bytes(&buffer);
  return status;
}

int file_read(struct file *file, const char *name, size_t limit) {
  *file = (struct file){.name = name};
  int from = open_input_file(name);
  if (from < 0)
    return report_file_error(name, "opened");
  return read_file_and_close(file, from, limit);
}

int file_read_if_exists(struct file *file, const char *name, size_t limit,
                        bool *found) {
  struct os_file_info facts;
  *found = os_stat(name, &facts) && facts.kind == OS_FILE;
  if (!*found || !file_read(file, name, limit))
    return 0;
  *found = false;
  return 1;
}

int file_map(struct file *file, const char *name, size_t limit) {
  *file = (struct file){.name = name};
  int from = open_input_file(name);
  if (from < 0)
    return report_file_error(name, "opened");
  struct os_file_info facts;
  /* Standard input may be a regular file that has been read in part. */
  if (!os_stat_open(from, &facts) || facts.kind != OS_FILE || facts.size == 0 ||
      !strcmp(name, "-"))
    return read_file_and_close(file, from, limit);
  if (facts.size > limit) {
    close(from);
    return report_too_large(name, limit);
  }
  size_t size = (size_t)facts.size;
  void *map = os_map_file(from, size);
  if (!map)
    return read_file_and_close(file, from, limit);
  close(from);
  file->bytes = (struct bytes){map, size};
  file->mapped = true;
  interrupt_add_map(map, size, name);
  return 0;
}

void file_close(struct file *file) {
  void *data = (void *)(uintptr_t)file->bytes.data;
  if (file->mapped) {
    interrupt_forget_map(data);
    os_unmap(data, file->bytes.size);
  } else {
    free(data);
  }
  file->bytes = (struct bytes){NULL, 0};
  file->mapped = false;
}

void file_release_pages(const unsigned char *bytes, size_t size) {
  if (interrupt_has_map(bytes))
    os_release_pages(bytes, size);
}

/* ---- piece by piece ---- */

/* A piece is small enough to stay in the cache until the caller has read it. */
enum { PIECE = 1 << 18 };

int pieces_open(struct piece_reader *pieces, const char *name, size_t limit) {
  *pieces = (struct piece_reader){
      .name = name, .from = open_input_file(name), .limit = limit};
  return pieces->from < 0 ? report_file_error(name, "opened") : 0;
}

/* Makes space for more bytes, and moves the unread bytes to the beginning. */
static int make_piece_room(struct piece_reader *pieces) {
  size_t left = pieces->end - pieces->begin;
  if (pieces->begin && left)
    memmove(pieces->data, pieces->data + pieces->begin, left);
  pieces->begin = 0;
  pieces->end = left;
  if (left < pieces->room)
    return 0;
  size_t room = pieces->room ? 2 * pieces->room : PIECES_FIRST;
  if (left > pieces->limit)
    return report_too_large(pieces->name, pieces->limit);
  if (room > pieces->limit)
    room = pieces->limit + 1;
  unsigned char *data = realloc(pieces->data, room);
  if (!data)
    return report(pieces->name, "%s", out_of_memory);
  pieces->data = data;
  pieces->room = room;
  return 0;
}

/* Reads until at least `size` bytes are unread, or the file has ended. */
static int read_missing_bytes(struct piece_reader *pieces, size_t size) {
  while (!pieces->ended && pieces->end - pieces->begin < size) {
    size_t most = pieces->room - pieces->end;
    if (most > size - (pieces->end - pieces->begin))
      most = size - (pieces->end - pieces->begin);
    long got = os_read(pieces->from, pieces->data + pieces->end, most);
    if (got < 0)
      return report_file_error(pieces->name, "read");
    pieces->ended = got == 0;
    pieces->end += (size_t)got;
  }
  return 0;
}

/* Returns the bytes up to the end of the last complete line. If the file has
 * ended, returns all bytes. */
static struct bytes find_complete_lines(const struct piece_reader *pieces) {
  const unsigned char *data = pieces->data + pieces->begin;
  size_t size = pieces->end - pieces->begin;
  while (!pieces->ended && size && data[size - 1] != '\n')
    size--;
  return (struct bytes){data, size};
}

int pieces_peek(struct piece_reader *pieces, struct bytes *first) {
  if (make_piece_room(pieces) || read_missing_bytes(pieces, pieces->room))
    return 1;
  *first = find_complete_lines(pieces);
  if (!first->size)
    *first = (struct bytes){pieces->data, pieces->end};
  return 0;
}

int pieces_read_lines(struct piece_reader *pieces, struct bytes *lines) {
  size_t wanted = PIECE;
  do {
    if (make_piece_room(pieces) ||
        read_missing_bytes(pieces,
                           wanted < pieces->room ? wanted : pieces->room))
      return 1;
    *lines = find_complete_lines(pieces);
    wanted = SIZE_MAX;
  } while (!lines->size && !pieces->ended);
  pieces->begin = lines->size;
  return 0;
}

int pieces_read_rest(struct piece_reader *pieces, struct bytes *rest) {
  do
    if (make_piece_room(pieces) || read_missing_bytes(pieces, pieces->room))
      return 1;
  while (!pieces->ended);
  *rest = (struct bytes){pieces->data, pieces->end};
  return 0;
}

void pieces_close(struct piece_reader *pieces) {
  if (pieces->from >= 0)
    close(pieces->from);
  free(pieces->data);
  pieces->data = NULL;
  pieces->from = -1;
}

/* ---- output ---- */

enum { OUTPUT_ROOM = 1 << 16 };

static const char suffix[] = OS_UNFINISHED;

/* Returns whether output goes directly to the file with this name, instead of
 * to a new file. Output goes there directly if the file exists and is not
 * regular, or if the name denotes an open file. */
static bool is_written_directly(const char *name) {
  struct os_file_info facts;
  return os_is_open_file_name(name) ||
         (os_stat(name, &facts) && facts.kind != OS_FILE);
}

static int open_temporary_file(struct output_file *output) {
  const char *name = output->name;
  output->target = os_is_link(name) ? os_real_path(name) : strdup(name);
  if (!output->target)
    return -1;
  size_t size = strlen(output->target);
  output->temporary = malloc(size + sizeof suffix);
  if (!output->temporary)
    return -1;
  memcpy(output->temporary, output->target, size);
  memcpy(output->temporary + size, suffix, sizeof suffix);
  os_remove_unfinished(output->target);
  /* A signal must wait while the file exists but the list does not have its
   * name. */
  interrupt_delay_signals();
  int file = os_make_temporary_file(output->temporary, output->target);
  if (file >= 0)
    interrupt_add_file(output->temporary);
  interrupt_resume_signals();
  if (file < 0) {
    free(output->temporary);
    output->temporary = NULL;
  }
  return file;
}

static int open_output_file(struct output_file *output) {
  const char *name = output->name;
  if (!strcmp(name, "-") || os_is_standard_output_name(name))
    return dup(STDOUT_FILENO);
  if (is_written_directly(name))
    return os_open_to_append(name);
  return open_temporary_file(output);
}

static void free_output_file(struct output_file *output) {
  interrupt_forget_file(output->temporary);
  free(output->target);
  free(output->temporary);
  free(output->room);
  *output = (struct output_file){.name = output->name};
}

static const char *output_shown_name(const struct output_file *output) {
  return strcmp(output->name, "-") ? output->name : "standard output";
}

int output_open(struct output_file *output, const char *name) {
  *output = (struct output_file){.name = name};
  if (strcmp(name, "-") && refuse_reused_file(name))
    return 1;
  int file = open_output_file(output);
  if (file >= 0)
    output->stream = fdopen(file, "wb");
  if (output->stream) {
    /* A report has millions of bytes, which would need thousands of writes of 4
     * KB. If memory for this buffer is missing, the stream uses 4 KB. */
    output->room = malloc(OUTPUT_ROOM);
    if (output->room)
      setvbuf(output->stream, output->room, _IOFBF, OUTPUT_ROOM);
    return 0;
  }
  int status = report_file_error(output_shown_name(output), "created");
  if (file >= 0)
    close(file);
  if (output->temporary)
    os_remove(output->temporary);
  free_output_file(output);
  return status;
}

int make_private_folder(char path[PRIVATE_FOLDER]) {
  snprintf(path, PRIVATE_FOLDER, "%s/bareprof-XXXXXX", os_temporary_folder());
  return os_make_private_folder(path)
             ? 0
             : report(path,
                      "the temporary folder cannot be created: %s; set TMPDIR "
                      "to a folder with free space",
                      os_error_text(errno));
}

int make_folder_for_qemu(char path[PRIVATE_FOLDER], const char *option) {
  const char *parent = os_temporary_folder();
  if (strchr(parent, ','))
    return report(parent,
                  "QEMU's %s does not accept a comma in a path; set TMPDIR to "
                  "a path without one",
                  option);
  return make_private_folder(path);
}

static int report_write_error(const char *name, int error) {
  const char *what = error == EPIPE
                         ? "let the program at the other end read all bytes"
                     : error == EBADF ? "open the output, which is closed"
                     : error == EBUSY ? "close the file in the other program"
                                      : "check the permissions and the disk "
                                        "space";
  return report(name, "cannot be written: %s; %s",
                error ? os_error_text(error) : "output error", what);
}

int output_commit(struct output_file *output) {
  errno = 0;
  bool wrong = ferror(output->stream);
  if (!output->again)
    mark_output(fileno(output->stream));
  /* The duplicate keeps other runs from removing the file before it has its
   * name. */
  int held = output->temporary ? dup(fileno(output->stream)) : -1;
  /* An earlier write may have failed, but its errno is lost. */
  wrong = fclose(output->stream) != 0 || wrong;
  output->stream = NULL;
  if (!wrong && output->temporary)
    wrong = !os_rename(output->temporary, output->target);
  int why = errno;
  if (held >= 0)
    close(held);
  errno = why;
  if (wrong) {
    int status = report_write_error(output_shown_name(output), errno);
    output_abandon(output);
    return status;
  }
  free_output_file(output);
  return 0;
}

int output_write_bytes(const char *name, struct bytes bytes) {
  struct output_file output;
  if (output_open(&output, name))
    return 1;
  fwrite(bytes.data, 1, bytes.size, output.stream);
  return output_commit(&output);
}

int output_commit_or_report(struct output_file *output, const char *name,
                            const char *error) {
  if (!error)
    return output_commit(output);
  output_abandon(output);
  return report(name, "%s", error);
}

int file_close_written(FILE *stream, const char *name, const char *format) {
  bool failed = !stream || ferror(stream);
  if ((stream && fclose(stream)) || failed)
    return report(name, format, os_error_text(errno));
  return 0;
}

int flush_standard_output(void) {
  errno = 0;
  bool wrong = fflush(stdout) != 0;
  int why = errno;
  if (!wrong && !ferror(stdout))
    return 0;
  clearerr(stdout);
  return report_write_error("standard output", why);
}

void exit_after_flush(int status) {
  exit(!os_is_reader_gone() && flush_standard_output() ? 1 : status);
}

void output_abandon(struct output_file *output) {
  if (output->stream)
    fclose(output->stream);
  if (output->temporary)
    os_remove(output->temporary);
  free_output_file(output);
}
