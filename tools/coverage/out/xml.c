/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Texts from ELFs, and names of files, may have any bytes.
 */
#include "formats.h"

#include <string.h>

#include "../../base/text.h"

/* XML has no other controls, nor the last two numbers of the first plane. */
static bool is_xml(const struct utf8 *one) {
  return !one->broken && (one->code & ~1u) != 0xFFFE &&
         (one->code >= 0x20 || (one->code && strchr("\t\n\r", (int)one->code)));
}

/* How many of the bytes are as they are in XML. */
static size_t plain(const char *text, size_t length) {
  size_t size = 0;
  while (size < length && text[size] >= ' ' && text[size] < 0x7F &&
         !strchr("&<>\"'", text[size]))
    size++;
  return size;
}

void xml_put(struct text *to, const char *text, size_t length) {
  size_t begin = plain(text, length);
  struct utf8 one;
  text_bytes(to, text, begin);
  text += begin;
  length -= begin;
  for (; length; text += one.size, length -= one.size) {
    one = utf8_read(text, length);
    if (!is_xml(&one))
      text_letter(to, '?');
    else if (one.hidden || (one.size == 1 && strchr("&<>\"'", *text)))
      text_print(to, "&#%u;", (unsigned)one.code);
    else
      text_bytes(to, text, one.size);
  }
}

static void escape(struct text *to, const char *text) {
  xml_put(to, text, strlen(text));
}

void xml_print(struct text *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  text_values(to, escape, format, values);
  va_end(values);
}
