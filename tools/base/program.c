/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a program and collects its output. The output goes to unnamed files
 * instead of pipes, so a program that writes much to both never waits for a
 * reader.
 */
#include "program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "error.h"
#include "os.h"

/* ---- command lines ---- */

static void append_argument(struct argument_list *arguments, char *text) {
  char **list = realloc(arguments->list, (arguments->count + 2) * sizeof *list);
  if (list)
    arguments->list = list;
  if (!text || !list) {
    free(text);
    arguments->failed = true;
    return;
  }
  list[arguments->count++] = text;
  list[arguments->count] = NULL;
}

void arguments_append(struct argument_list *arguments, const char *format,
                      ...) {
  va_list values, again;
  va_start(values, format);
  va_copy(again, values);
  int size = vsnprintf(NULL, 0, format, values);
  va_end(values);
  char *text = size < 0 ? NULL : malloc((size_t)size + 1);
  if (text)
    vsnprintf(text, (size_t)size + 1, format, again);
  va_end(again);
  append_argument(arguments, text);
}

void arguments_free(struct argument_list *arguments) {
  for (size_t i = 0; i < arguments->count; i++)
    free(arguments->list[i]);
  free(arguments->list);
  *arguments = (struct argument_list){0};
}

/* ---- running ---- */

static int read_stream(struct buffer *to, FILE *from) {
  rewind(from);
  for (;;) {
    if (buffer_reserve(to, 2)) /* at least a byte, and the zero after it */
      return 1;
    size_t got =
        fread(to->data + to->size, 1, to->capacity - to->size - 1, from);
    to->size += got;
    to->data[to->size] = 0;
    if (got == 0)
      return ferror(from);
  }
}

/* Returns the next line, without colours and newline, and advances *at. Returns
 * NULL at the end. Modifies the text in place. */
static char *cut_uncoloured_line(char **at) {
  char *line = *at, *to = *at, *from = *at;
  if (!*line)
    return NULL;
  while (*from && *from != '\n') {
    if (from[0] == 27 && from[1] == '[') {
      from += 2 + strspn(from + 2, "0123456789;");
      from += *from != 0; /* the letter that ends the sequence */
    } else {
      *to++ = *from++;
    }
  }
  *at = *from ? from + 1 : from;
  *to = 0;
  return line;
}

/* Reports the program's own message. The message is the first line that
 * contains "error: ", or else the last line. */
static int report_program_error(const char *program, int status,
                                const struct buffer *messages) {
  const char *name = os_base_name(program);
  const char *said = NULL;
  char *at = messages->data ? (char *)messages->data : NULL;
  for (char *line; at && (line = cut_uncoloured_line(&at));) {
    const char *error = strstr(line, "error: ");
    if (*line)
      said = error ? error + strlen("error: ") : line;
    if (error)
      break;
  }
  if (said)
    return report(name, "%s", said);
  if (os_end_signal(status))
    return report(name,
                  "the program was ended by signal %d; run the program by hand",
                  os_end_signal(status));
  return report(name,
                "the program ended with status %d and without a message; run "
                "the program by hand",
                os_exit_status(status));
}

/* Runs the program with these files as its output and messages, then reads the
 * files. */
static int run_and_read_output(const struct argument_list *arguments,
                               FILE *const files[2], struct buffer *out,
                               struct buffer *messages) {
  const char *name = arguments->list[0];
  int ended =
      os_run_program(arguments->list, arguments->input, files[0], files[1]);
  bool silent = arguments->quiet || interrupt_is_pending();
  if (ended == -1)
    return silent ? 1
                  : report(name, "cannot be run: %s; check its name and PATH",
                           os_error_text(errno));
  if (read_stream(messages, files[1]) || (out && read_stream(out, files[0])))
    return silent ? 1
                  : report(name, "the output of the program cannot be read; "
                                 "free memory and disk space");
  return ended && !silent ? report_program_error(name, ended, messages)
                          : ended != 0;
}

int program_run(const struct argument_list *arguments, struct buffer *out,
                struct buffer *messages) {
  FILE *const files[2] = {os_temporary_file(), os_temporary_file()};
  int status;
  if (arguments->failed)
    status = report_out_of_memory(NULL);
  else if (!files[0] || !files[1])
    status = report(os_temporary_files,
                    "no temporary file can be created there: %s; check the "
                    "permissions and the disk space",
                    os_error_text(errno));
  else
    status = run_and_read_output(arguments, files, out, messages);
  for (unsigned i = 0; i < 2; i++)
    if (files[i])
      fclose(files[i]);
  return status;
}

int report_command_error(char *const *command, int error) {
  if (error == ENOEXEC)
    return report(command[0], "the program is for another machine; pass the "
                              "program that runs it, such as qemu-system-arm");
  if (error == ENOENT && !command[1] && strchr(command[0], ' '))
    return report(command[0], "the command is quoted as one word; remove the "
                              "quotes around the command");
  return report(command[0], "cannot be run: %s; check its name and PATH",
                os_error_text(error));
}
