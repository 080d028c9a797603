/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The one place that prints errors. File names, and strings that come from a
 * file, reach the terminal as text only.
 */
#include "error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* C0, DEL and C1. In UTF-8 the latter are 0xC2 and 0x80 to 0x9F, and these
 * bytes are parts of other characters elsewhere; alone, some terminals take
 * them for C1. */
static bool is_control(unsigned char previous, unsigned char byte) {
  if (byte < 0x80)
    return byte < 0x20 || byte == 0x7F;
  return byte < 0xA0 && (previous < 0x80 || previous == 0xC2);
}

char *printable(char *to, size_t room, const char *text) {
  char *at = to;
  unsigned char previous = 0;
  for (; *text && (size_t)(at - to) + 5 <= room; text++) {
    unsigned char byte = (unsigned char)*text;
    if (is_control(previous, byte))
      at += snprintf(at, 5, "\\x%02X", byte);
    else
      *at++ = *text;
    previous = byte;
  }
  *at = 0;
  return to;
}

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
  fprintf(stderr, "bareprof: %s\n", printable(line, sizeof line, message));
  return 1;
}
