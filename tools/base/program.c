/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Their output goes to files without a name
 * instead of pipes, so a program that writes a lot to both does not wait for a
 * reader.
 */
#include "program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "interrupt.h"
#include "os.h"

/* ---- command lines ---- */

static void add(struct arguments *arguments, char *text) {
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

void arguments_add(struct arguments *arguments, const char *format, ...) {
  va_list values, again;
  va_start(values, format);
  va_copy(again, values);
  int size = vsnprintf(NULL, 0, format, values);
  va_end(values);
  char *text = size < 0 ? NULL : malloc((size_t)size + 1);
  if (text)
    vsnprintf(text, (size_t)size + 1, format, again);
  va_end(again);
  add(arguments, text);
}

void arguments_file(struct arguments *arguments, const char *option,
                    const char *name) {
  /* LLVM's programs read more arguments from a file after @. */
  bool plain = os_is_absolute(name) || *name == '.';
  arguments_add(arguments, "%s%s%s", option, plain ? "" : "./", name);
}

void arguments_free(struct arguments *arguments) {
  for (size_t i = 0; i < arguments->count; i++)
    free(arguments->list[i]);
  free(arguments->list);
  *arguments = (struct arguments){0};
}

/* ---- finding ---- */

char *program_find(const char *name) { return os_find_program(name); }

char *program_find_release(const char *tool, unsigned release) {
  char name[64];
  snprintf(name, sizeof name, "%s-%u", tool, release);
  return program_find(name);
}

/* ---- running ---- */

int program_wait(const struct arguments *arguments, FILE *out, FILE *messages) {
  int status = -1;
  os_processes_begin();
  struct os_process *process =
      os_process_start(arguments->list, arguments->input, out, messages);
  if (process)
    while (!os_process_ended(process, &status))
      os_processes_wait();
  os_processes_end();
  return status;
}

static int take(struct buffer *to, FILE *from) {
  rewind(from);
  for (;;) {
    if (buffer_reserve(to, 1 << 16))
      return 1;
    size_t got =
        fread(to->data + to->size, 1, to->capacity - to->size - 1, from);
    to->size += got;
    to->data[to->size] = 0;
    if (got == 0)
      return ferror(from);
  }
}

char *program_line(char **at) {
  char *line = *at, *to = *at, *from = *at;
  if (!*line)
    return NULL;
  while (*from && *from != '\n') {
    if (from[0] == 27 && from[1] == '[')
      from += 2 + strspn(from + 2, "0123456789;") + 1;
    else
      *to++ = *from++;
  }
  *at = *from ? from + 1 : from;
  *to = 0;
  return line;
}

/* Reports the program's own message: the first line that says error, otherwise
 * the last line. */
static int report_failure(const char *program, int status,
                          const struct buffer *messages) {
  const char *name = os_base(program);
  const char *said = NULL;
  char *at = messages->data ? (char *)messages->data : NULL;
  for (char *line; at && (line = program_line(&at));) {
    const char *error = strstr(line, "error: ");
    if (*line)
      said = error ? error + strlen("error: ") : line;
    if (error)
      break;
  }
  if (said)
    return report(name, "%s", said);
  if (os_signal(status))
    return report(name, "ended by signal %d; run it again", os_signal(status));
  return report(name, "ended with status %d and said nothing; run it by hand",
                os_exit_status(status));
}

struct program_run {
  struct arguments arguments;
  struct buffer out, messages; /* as of program_run */
  bool keeps;                  /* out is wanted */
  int status;                  /* 0, or 1 with the error reported */
  FILE *written, *said;
};

/* Opens the files. Returns 0, or reports the error and returns 1. */
static int open_run(struct program_run *run) {
  run->written = os_temporary_file();
  run->said = os_temporary_file();
  if (run->arguments.failed)
    return report_memory(NULL);
  if (!run->written || !run->said)
    return report(os_temporary_files,
                  "no file can be made there: %s; free the disk",
                  os_error(errno));
  return 0;
}

/* Takes what a program has written, and reports its failure. ended: its
 * status, or -1 and errno. */
static void finish_run(struct program_run *run, int ended) {
  const struct arguments *arguments = &run->arguments;
  run->status = 1;
  if (ended == -1) {
    if (!arguments->quiet && !interrupt_waits())
      report(arguments->list[0], "cannot be run: %s; give another",
             os_error(errno));
  } else if (take(&run->messages, run->said) ||
             (run->keeps && take(&run->out, run->written))) {
    report(arguments->list[0],
           "its output cannot be read; free memory or the disk");
  } else if (ended) {
    if (!arguments->quiet && !interrupt_waits())
      report_failure(arguments->list[0], ended, &run->messages);
  } else {
    run->status = 0;
  }
}

static void close_run(struct program_run *run) {
  if (run->written)
    fclose(run->written);
  if (run->said)
    fclose(run->said);
  run->written = run->said = NULL;
}

int program_run(const struct arguments *arguments, struct buffer *out,
                struct buffer *messages) {
  struct program_run run = {
      .arguments = *arguments, .messages = *messages, .keeps = out};
  if (out)
    run.out = *out;
  int status = open_run(&run);
  if (!status) {
    finish_run(&run, program_wait(arguments, run.written, run.said));
    status = run.status;
  }
  close_run(&run);
  if (out)
    *out = run.out;
  *messages = run.messages;
  return status;
}
