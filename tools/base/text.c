/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Formats text like printf, for formats in which each string is escaped: see
 * text.h.
 */
#include "text.h"

#define TEN(a) a "0" a "1" a "2" a "3" a "4" a "5" a "6" a "7" a "8" a "9"

const char text_pairs[201] = TEN("0") TEN("1") TEN("2") TEN("3") TEN("4")
    TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");

void text_write_block(struct text_stream *text) {
  fwrite(text->room, 1, TEXT_BLOCK, text->stream);
  text->written += TEXT_BLOCK;
  text->used -= TEXT_BLOCK;
  memcpy(text->room, text->room + TEXT_BLOCK, text->used);
}

void text_put_format(struct text_stream *to, text_escape *escape,
                     const char *format, va_list values) {
  while (*format) {
    if (*format != '%') {
      const char *mark = format[1] == '%' ? format + 1 : strchr(format, '%');
      size_t size = mark ? (size_t)(mark - format) : strlen(format);
      if (size == 1)
        text_put_char(to, *format);
      else
        text_put_bytes(to, format, size);
      format += size;
    } else if (format[1] == 'u') {
      text_put_decimal(to, va_arg(values, unsigned), 0);
      format += 2;
    } else if (format[1] == 's') {
      escape(to, va_arg(values, const char *));
      format += 2;
    } else if (format[1] == '%') {
      text_put_char(to, '%');
      format += 2;
    } else {
      text_put_decimal(to,
                       format[1] == 'z' ? va_arg(values, size_t)
                                        : va_arg(values, uintmax_t),
                       0);
      format += 3;
    }
  }
}

char *format_hex(char *to, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    snprintf(to + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
  to[2 * size] = 0;
  return to;
}

/* Writes each run of bytes that need no escape at once, because most names are
 * a single run. */
void text_put_printable_name(struct text_stream *to, struct bytes name) {
  char one[PRINTABLE_ROOM];
  for (size_t taken; name.size; name.size -= taken, name.data += taken) {
    taken = utf8_count_unescaped(name.data, name.size);
    if (taken)
      text_put_bytes(to, name.data, taken);
    else
      text_put_bytes(to, one,
                     write_printable_character(one, (const char *)name.data,
                                               name.size, &taken));
  }
}
