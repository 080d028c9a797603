/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of a C library that the workloads need. No package has a C
 * library for some boards. Compile with -fno-builtin.
 */
#include <stddef.h>

/* The bits of picolibc's <ctype.h>: upper 1, lower 2, digit 4, space 8,
 * punctuation 16, control 32, hexadecimal 64, blank 128. */
const char _ctype_[1 + 256] = {
    [1 + 0 ... 1 + 8] = 32,         [1 + '\t' ... 1 + '\r'] = 32 | 8,
    [1 + 14 ... 1 + 31] = 32,       [1 + ' '] = 8 | (char)128,
    [1 + '!' ... 1 + '/'] = 16,     [1 + '0' ... 1 + '9'] = 4,
    [1 + ':' ... 1 + '@'] = 16,     [1 + 'A' ... 1 + 'F'] = 1 | 64,
    [1 + 'G' ... 1 + 'Z'] = 1,      [1 + '[' ... 1 + '`'] = 16,
    [1 + 'a' ... 1 + 'f'] = 2 | 64, [1 + 'g' ... 1 + 'z'] = 2,
    [1 + '{' ... 1 + '~'] = 16,     [1 + 127] = 32};

size_t strlen(const char *text) {
  size_t size = 0;
  while (text[size])
    size++;
  return size;
}

int strcmp(const char *a, const char *b) {
  for (; *a && *a == *b; a++)
    b++;
  return (unsigned char)*a - (unsigned char)*b;
}

char *strcpy(char *to, const char *from) {
  for (size_t i = 0;; i++)
    if (!(to[i] = from[i]))
      return to;
}

char *strchr(const char *text, int byte) {
  for (; *text != (char)byte; text++)
    if (!*text)
      return NULL;
  return (char *)text;
}

static size_t span(const char *text, const char *set, int within) {
  size_t size = 0;
  while (text[size] && (strchr(set, text[size]) != NULL) == within)
    size++;
  return size;
}

size_t strspn(const char *text, const char *set) { return span(text, set, 1); }

size_t strcspn(const char *text, const char *set) { return span(text, set, 0); }
