/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A parser that accepts only the grammar.
 */
#include "strict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char *at, *end;

static int wrong(const char *what) {
  fprintf(stderr, "no JSON: %s %zu bytes before the end\n", what,
          (size_t)(end - at));
  exit(1);
}

static void blanks(void) {
  while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
    at++;
}

static int is_next(unsigned char byte) { return at != end && *at == byte; }

static void expect(unsigned char byte) {
  if (!is_next(byte))
    wrong("another character");
  at++;
}

static unsigned digits(void) {
  unsigned count = 0;
  for (; at != end && *at >= '0' && *at <= '9'; at++)
    count++;
  return count;
}

/* Only numbers that we write: whole ones. */
static void check_number(void) {
  const unsigned char *begin = at;
  unsigned count = digits();
  if (!count || (*begin == '0' && count > 1))
    wrong("no whole number");
}

static void check_character(void) {
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned size = *at < 0x80   ? 1
                  : *at < 0xC0 ? 0
                  : *at < 0xE0 ? 2
                  : *at < 0xF0 ? 3
                  : *at < 0xF8 ? 4
                               : 0;
  if (!size || *at < 0x20 || (size_t)(end - at) < size)
    wrong("no UTF-8");
  unsigned long point = size == 1 ? *at : *at & (0x7F >> size);
  for (unsigned i = 1; i < size; i++) {
    if (at[i] >> 6 != 2)
      wrong("no UTF-8");
    point = point << 6 | (at[i] & 63);
  }
  if (point < least[size] || point > 0x10FFFF || point >> 11 == 0x1B)
    wrong("no UTF-8");
  at += size;
}

static void check_string(void) {
  expect('"');
  while (!is_next('"')) {
    if (at == end)
      wrong("an open string");
    if (*at != '\\') {
      check_character();
      continue;
    }
    at++;
    if (at == end || !strchr("\"\\/bfnrtu", *at))
      wrong("no escape");
    if (*at++ == 'u')
      for (unsigned i = 0; i < 4; i++, at++)
        if (at == end || !*at || !strchr("0123456789abcdefABCDEF", *at))
          wrong("no escape");
  }
  at++;
}

static void check_value(void);

static void check_list(unsigned char open, unsigned char close) {
  expect(open);
  blanks();
  for (int first = 1; !is_next(close); first = 0) {
    if (!first)
      expect(',');
    blanks();
    if (open == '{') {
      check_string();
      expect(':');
    }
    check_value();
    blanks();
  }
  at++;
}

static void check_value(void) {
  static const char *const words[] = {"true", "null"};
  if (is_next('{')) {
    check_list('{', '}');
    return;
  }
  if (is_next('[')) {
    check_list('[', ']');
    return;
  }
  if (is_next('"')) {
    check_string();
    return;
  }
  for (unsigned i = 0; i < 2; i++)
    if ((size_t)(end - at) >= 4 && memcmp(at, words[i], 4) == 0) {
      at += 4;
      return;
    }
  check_number();
}

void check_json(struct bytes document) {
  at = document.data;
  end = at + document.size;
  check_value();
  blanks();
  if (at != end)
    wrong("something behind it,");
}
