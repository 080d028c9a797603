/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What --help prints.
 */
#include <string.h>

#include "options.h"

enum { WIDTH = 79, COLUMN_MOST = 28 };

static void blanks(FILE *stream, int count) {
  fprintf(stream, "%*s", count > 0 ? count : 0, "");
}

/* One line's worth of text, up to end. */
static void wrap_line(FILE *stream, const char *text, const char *end,
                      int indent, int at) {
  bool first = true;
  while (text != end) {
    const char *space = memchr(text, ' ', (size_t)(end - text));
    int length = (int)((space ? space : end) - text);
    if (!first && at + 1 + length > WIDTH) {
      fputc('\n', stream);
      at = 0;
      first = true;
    }
    if (first) {
      blanks(stream, indent - at);
      at = at > indent ? at : indent;
    } else {
      fputc(' ', stream);
      at++;
    }
    fprintf(stream, "%.*s", length, text);
    at += length;
    text += length + (space != NULL);
    first = false;
  }
  fputc('\n', stream);
}

void options_wrap(FILE *stream, const char *text, int indent, int at) {
  while (*text) {
    const char *end = text + strcspn(text, "\n");
    if (*text == ' ')
      fprintf(stream, "%.*s\n", (int)(end - text), text);
    else
      wrap_line(stream, text, end, indent, at);
    text = end + (*end == '\n');
    at = 0;
  }
}

/* "  -o, --output OUT"; returns how wide it is. Without a stream, only that. */
static int put_option(FILE *stream, const struct option_row *row) {
  char text[100], letter[8] = "    ";
  if (row->letter)
    snprintf(letter, sizeof letter, "-%c, ", row->letter);
  int width = snprintf(text, sizeof text, "  %s--%s%s%s", letter, row->name,
                       row->value ? " " : "", row->value ? row->value : "");
  if (stream)
    fputs(text, stream);
  return width;
}

static void put_options(FILE *stream, const struct command *command) {
  int column = 0;
  const struct option_row *row;
  for (row = command->options; row && (row->name || row->help); row++) {
    int width = row->name && row->help ? put_option(NULL, row) + 2 : 0;
    if (width <= COLUMN_MOST && width > column)
      column = width;
  }
  fputc('\n', stream);
  for (row = command->options; row && (row->name || row->help); row++) {
    if (!row->help)
      continue;
    if (!row->name) {
      options_wrap(stream, row->help, 2, 0);
      continue;
    }
    int at = put_option(stream, row);
    if (at + 2 > column) {
      fputc('\n', stream);
      at = 0;
    }
    options_wrap(stream, row->help, column, at);
  }
}

static void put_below(FILE *stream, const struct command *head) {
  size_t widest = 0;
  const struct command *const *at;
  for (at = head->below; *at; at++) {
    const char *last = strrchr((*at)->name, ' ');
    size_t width = strlen(last ? last + 1 : (*at)->name);
    widest = width > widest ? width : widest;
  }
  fputc('\n', stream);
  for (at = head->below; *at; at++) {
    const char *last = strrchr((*at)->name, ' ');
    fprintf(stream, "  %-*s  %s\n", (int)widest, last ? last + 1 : (*at)->name,
            (*at)->summary);
  }
}

void options_help(FILE *stream, const struct command *command) {
  const char *usage = command->usage;
  for (bool first = true; *usage; first = false) {
    const char *end = usage + strcspn(usage, "\n");
    fprintf(stream, "%s bareprof %s%s%.*s\n", first ? "usage:" : "      ",
            command->name, *command->name ? " " : "", (int)(end - usage),
            usage);
    usage = end + (*end == '\n');
  }
  if (command->about) {
    fputc('\n', stream);
    options_wrap(stream, command->about, 0, 0);
  }
  if (command->below)
    put_below(stream, command);
  if (command->options)
    put_options(stream, command);
  if (command->notes) {
    fputc('\n', stream);
    options_wrap(stream, command->notes, 0, 0);
  }
}
