/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Escapes quotes, backslashes and control characters, including DEL. A byte
 * that begins no character is a character by itself.
 */
#include "json_string.h"

/* Returns the length of the UTF-8 character at text, 0 if there is none. */
static unsigned utf8_length(const unsigned char *text) {
  unsigned first = text[0];
  unsigned length = first < 0x80    ? 1
                    : first < 0xC2  ? 0
                    : first < 0xE0  ? 2
                    : first < 0xF0  ? 3
                    : first <= 0xF4 ? 4
                                    : 0;
  for (unsigned i = 1; i < length; i++)
    if ((text[i] & 0xC0) != 0x80)
      return 0;
  /* Overlong forms, surrogates, numbers beyond 0x10FFFF. */
  if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F) ||
      (first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] > 0x8F))
    return 0;
  return length;
}

void json_put_string(FILE *stream, const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  fputc('"', stream);
  while (*at) {
    unsigned length = utf8_length(at);
    if (length == 0 || *at < 0x20 || *at == 0x7F) {
      fprintf(stream, "\\u%04x", *at++);
      continue;
    }
    if (*at == '"' || *at == '\\')
      fputc('\\', stream);
    fwrite(at, 1, length, stream);
    at += length;
  }
  fputc('"', stream);
}
