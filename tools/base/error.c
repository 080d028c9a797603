/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The one place that prints errors. File names, and strings that come from a
 * file, reach the terminal as text only.
 */
#include "error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os.h"

/* C0, DEL and C1. In UTF-8 the latter are 0xC2 and 0x80 to 0x9F, and these
 * bytes are parts of other characters elsewhere; alone, some terminals take
 * them for C1. */
static bool is_control(unsigned char previous, unsigned char byte) {
  if (byte < 0x80)
    return byte < 0x20 || byte == 0x7F;
  return byte < 0xA0 && (previous < 0x80 || previous == 0xC2);
}

size_t printable_byte(char to[5], const char *text, const char *at) {
  unsigned char byte = (unsigned char)*at;
  unsigned char previous = at == text ? 0 : (unsigned char)at[-1];
  if (is_control(previous, byte))
    return (size_t)snprintf(to, 5, "\\x%02X", byte);
  *to = *at;
  return 1;
}

char *printable(char *to, size_t room, const char *text) {
  char *at = to;
  for (const char *from = text; *from && (size_t)(at - to) + 5 <= room; from++)
    at += printable_byte(at, text, from);
  *at = 0;
  return to;
}

void put_printable(FILE *stream, const char *name) {
  char one[5];
  for (const char *at = name; *at; at++)
    fwrite(one, 1, printable_byte(one, name, at), stream);
}

const char *paint(FILE *stream, enum paint colour) {
  static const char *const codes[] = {"\x1b[0m", "\x1b[31m", "\x1b[33m",
                                      "\x1b[32m"};
  const char *none = getenv("NO_COLOR");
  return (none && *none) || !os_is_screen(fileno(stream)) ? "" : codes[colour];
}

/* Flushes earlier output first, so that it precedes the line in a log of
 * both. */
int report(const char *file, const char *format, ...) {
  char message[1000], line[sizeof message + 4];
  size_t used = 0;
  if (file) {
    const char *name = strcmp(file, "-") ? file : "standard input";
    /* Of a very long path, the beginning; the reason must find room. */
    used = (size_t)snprintf(message, sizeof message, "%.500s: ", name);
  }
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message + used, sizeof message - used, format, arguments);
  va_end(arguments);
  fflush(stdout);
  fprintf(stderr, "bareprof: %s\n", printable(line, sizeof line, message));
  return 1;
}

int report_memory(const char *file) {
  return report(file, "%s", out_of_memory);
}
