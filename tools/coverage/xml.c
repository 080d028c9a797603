/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Texts from ELFs, and names of files, may have any bytes.
 */
#include "xml.h"

#include <string.h>

/* Returns the length of the UTF-8 character at `at`. 0: there is none, or XML
 * does not have the character. */
static size_t character(const unsigned char *at) {
  unsigned byte = *at;
  size_t size = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
  if ((byte < 0x20 && !strchr("\t\n\r", (int)byte)) ||
      (byte >= 0x80 && (byte < 0xC2 || byte > 0xF4)))
    return 0;
  for (size_t i = 1; i < size; i++)
    if (at[i] >> 6 != 2)
      return 0;
  if ((byte == 0xE0 && at[1] < 0xA0) || (byte == 0xED && at[1] > 0x9F) ||
      (byte == 0xEF && at[1] == 0xBF && at[2] > 0xBD) ||
      (byte == 0xF0 && at[1] < 0x90) || (byte == 0xF4 && at[1] > 0x8F))
    return 0;
  return size;
}

void xml_put(FILE *stream, const char *text, size_t length) {
  const unsigned char *at = (const unsigned char *)text, *end = at + length;
  while (at < end) {
    size_t size = character(at);
    if (size == 0)
      fputc('?', stream);
    else if (size == 1 && strchr("&<>\"'\t\n\r", *at))
      fprintf(stream, "&#%u;", *at);
    else
      fwrite(at, 1, size, stream);
    at += size ? size : 1;
  }
}

void xml_put_attribute(FILE *stream, const char *name, const char *value,
                       size_t length) {
  fprintf(stream, " %s=\"", name);
  xml_put(stream, value, length);
  fputc('"', stream);
}
