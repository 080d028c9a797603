/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * As printf, for forms in which each text is escaped.
 */
#include "text.h"

void text_values(struct text *to, text_escape *escape, const char *format,
                 va_list values) {
  for (const char *mark; (mark = strchr(format, '%')); format = mark + 1) {
    text_bytes(to, format, (size_t)(mark - format));
    if (*++mark == 's')
      escape(to, va_arg(values, const char *));
    else if (*mark == 'u')
      text_decimal(to, va_arg(values, unsigned), 0);
    else if (*mark == '%')
      text_letter(to, '%');
    else if (*mark++ == 'z')
      text_decimal(to, va_arg(values, size_t), 0);
    else
      text_decimal(to, va_arg(values, uintmax_t), 0);
  }
  text_put(to, format);
}

char *hex_of(char *to, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    snprintf(to + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
  to[2 * size] = 0;
  return to;
}
