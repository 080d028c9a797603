/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "codes.h"

#include <string.h>

static const char digits[] = "0123456789abcdef";

int hex_encode(const char *text) {
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    putchar(digits[c >> 4]);
    putchar(digits[c & 15]);
  }
  putchar('\n');
  return 0;
}

static int digit_of(char c) {
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

int hex_decode(const char *text) {
  char out[ROOM];
  size_t used = 0;
  while (*text) {
    int high = digit_of(text[0]);
    int low = high < 0 ? -1 : digit_of(text[1]);
    if (low < 0)
      return ERROR("two digits expected");
    if (used == sizeof out - 1)
      return ERROR("too long");
    out[used++] = (char)(high << 4 | low);
    text += 2;
  }
  out[used] = 0;
  puts(out);
  return 0;
}
