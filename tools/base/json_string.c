/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Escapes quotes, backslashes and what does not show as it is. A byte that
 * begins no character is a character by itself.
 */
#include "text.h"

#include <string.h>

static size_t put_character(struct text *to, const char *text, size_t left) {
  struct utf8 one = utf8_read(text, left);
  if (one.hidden && one.code >= 0x10000)
    text_print(to, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (one.code >> 10)),
               (unsigned)(0xDC00 + (one.code & 0x3FF)));
  else if (one.hidden)
    text_print(to, "\\u%04x", (unsigned)one.code);
  else if (*text == '"' || *text == '\\')
    text_print(to, "\\%c", *text);
  else
    text_bytes(to, text, one.size);
  return one.size;
}

void json_text_string(struct text *to, const char *text) {
  if (!text) {
    text_put(to, "null");
    return;
  }
  text_letter(to, '"');
  for (size_t left = strlen(text), size; left; left -= size, text += size) {
    size = utf8_plain(text, left);
    if (size)
      text_bytes(to, text, size);
    else
      size = put_character(to, text, left);
  }
  text_letter(to, '"');
}

void json_put_string(FILE *stream, const char *text) {
  struct text to;
  text_begin(&to, stream);
  json_text_string(&to, text);
  text_flush(&to);
}

void json_text_print(struct text *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  text_values(to, json_text_string, format, values);
  va_end(values);
}

void json_print(FILE *stream, const char *format, ...) {
  struct text to;
  va_list values;
  va_start(values, format);
  text_begin(&to, stream);
  text_values(&to, json_text_string, format, values);
  text_flush(&to);
  va_end(values);
}
