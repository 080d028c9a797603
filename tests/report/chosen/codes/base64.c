/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "codes.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz"
                               "0123456789+/";

int base64_encode(const char *text) {
  size_t size = strlen(text);
  for (size_t i = 0; i < size; i += 3) {
    unsigned long word = (unsigned long)(unsigned char)text[i] << 16;
    size_t left = size - i;
    if (left > 1)
      word |= (unsigned long)(unsigned char)text[i + 1] << 8;
    if (left > 2)
      word |= (unsigned char)text[i + 2];
    putchar(alphabet[word >> 18 & 63]);
    putchar(alphabet[word >> 12 & 63]);
    putchar(left > 1 ? alphabet[word >> 6 & 63] : '=');
    putchar(left > 2 ? alphabet[word & 63] : '=');
  }
  putchar('\n');
  return 0;
}

int base64_decode(const char *text) {
  unsigned long word = 0;
  unsigned bits = 0;
  for (; *text && *text != '='; text++) {
    const char *at = strchr(alphabet, *text);
    if (!at)
      return ERROR("not in the alphabet");
    word = word << 6 | (unsigned long)(at - alphabet);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      putchar((int)(word >> bits & 255));
    }
  }
  putchar('\n');
  return 0;
}
