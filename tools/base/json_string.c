/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Escapes quotes, backslashes and what does not show as it is. A byte that
 * begins no character is a character by itself.
 */
#include "json_string.h"

#include <string.h>

#include "utf8.h"

void json_put_string(FILE *stream, const char *text) {
  struct utf8 one;
  fputc('"', stream);
  for (size_t left = strlen(text); left; left -= one.size, text += one.size) {
    one = utf8_read(text, left);
    if (one.hidden && one.code >= 0x10000)
      fprintf(stream, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (one.code >> 10)),
              (unsigned)(0xDC00 + (one.code & 0x3FF)));
    else if (one.hidden)
      fprintf(stream, "\\u%04x", (unsigned)one.code);
    else if (*text == '"' || *text == '\\')
      fprintf(stream, "\\%c", *text);
    else
      fwrite(text, 1, one.size, stream);
  }
  fputc('"', stream);
}
