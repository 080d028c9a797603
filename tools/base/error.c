/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints all errors of the tool, except one that interrupt.c prints in a signal
 * handler. File names and strings from files reach the terminal as plain text.
 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "os.h"
#include "text.h"

size_t write_printable_character(char to[PRINTABLE_ROOM], const char *at,
                                 size_t left, size_t *taken) {
  struct utf8_character one = utf8_decode(at, left);
  *taken = one.size;
  if (one.hidden)
    return (size_t)snprintf(to, PRINTABLE_ROOM,
                            one.broken || one.code < 0x80 ? "\\x%02X"
                            : one.code < 0x10000          ? "\\u%04X"
                                                          : "\\U%08X",
                            (unsigned)one.code);
  memcpy(to, at, one.size);
  return one.size;
}

char *make_printable(char *to, size_t room, const char *text) {
  size_t used = 0, taken;
  for (size_t left = strlen(text); left; left -= taken, text += taken) {
    char one[PRINTABLE_ROOM];
    taken = utf8_count_unescaped(text, left);
    if (taken && taken < room - used) {
      memcpy(to + used, text, taken);
      used += taken;
      continue;
    }
    size_t size = write_printable_character(one, text, left, &taken);
    if (size >= room - used)
      break;
    memcpy(to + used, one, size);
    used += size;
  }
  to[used] = 0;
  return to;
}

void print_printable(FILE *stream, const char *text) {
  struct text_stream to;
  text_begin(&to, stream);
  text_put_printable_name(&to, bytes_of_text(text));
  text_flush(&to);
}

static enum paint_mode when;

void paint_set_mode(enum paint_mode chosen) { when = chosen; }

const char *paint_code(FILE *stream, enum paint_colour colour) {
  static const char *const codes[] = {"\x1b[0m", "\x1b[31m", "\x1b[33m",
                                      "\x1b[32m"};
  const char *none = getenv("NO_COLOR");
  bool painted =
      when == PAINT_ALWAYS || (when == PAINT_AUTO && !(none && *none) &&
                               os_is_ansi_terminal(fileno(stream)));
  return painted ? codes[colour] : "";
}

/* Prints a line. Flushes earlier output first, so that the earlier output comes
 * before the line in a log that receives both. */
static void print_error_line(enum paint_colour colour, const char *file,
                             const char *format, va_list arguments) {
  char message[1000], line[sizeof message + 4];
  size_t used = 0;
  if (file) {
    const char *name = strcmp(file, "-") ? file : "standard input";
    /* If a path is very long, its end is cut, to leave space for the reason. */
    used = (size_t)snprintf(message, sizeof message, "%.500s: ", name);
  }
  vsnprintf(message + used, sizeof message - used, format, arguments);
  fflush(stdout);
  fprintf(stderr, "%sbareprof:%s %s\n", paint_code(stderr, colour),
          paint_code(stderr, PAINT_END),
          make_printable(line, sizeof line, message));
}

int report(const char *file, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_error_line(PAINT_RED, file, format, arguments);
  va_end(arguments);
  return 1;
}

void warn(const char *file, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_error_line(PAINT_YELLOW, file, format, arguments);
  va_end(arguments);
}

void show_progress(size_t done, size_t all, const char *what) {
  static time_t begun, shown;
  time_t now = time(NULL);
  if (!done)
    begun = shown = now;
  if (done && done == all && shown > begun)
    fputs("\r\x1b[K", stderr);
  else if (now - begun > 2 && now != shown && done < all &&
           os_is_ansi_terminal(2))
    shown = now, fprintf(stderr, "\r%zu of %zu %s", done, all, what);
}

int report_out_of_memory(const char *file) {
  return report(file, "%s", out_of_memory);
}
