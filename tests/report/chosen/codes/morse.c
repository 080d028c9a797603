/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "codes.h"

#include <ctype.h>

static const char *const signs[] = {
    ".-",   "-...", "-.-.", "-..",  ".",    "..-.", "--.",
    "....", "..",   ".---", "-.-",  ".-..", "--",   "-.",
    "---",  ".--.", "--.-", ".-.",  "...",  "-",    "..-",
    "...-", ".--",  "-..-", "-.--", "--..",
};

static void put_digit(int digit) {
  for (int i = 0; i < 5; i++)
    putchar(digit <= 5 ? (i < digit ? '.' : '-') : (i < digit - 5 ? '-' : '.'));
}

int morse_encode(const char *text) {
  int first = 1;
  for (; *text; text++) {
    int c = toupper((unsigned char)*text);
    if (!first)
      putchar(' ');
    first = 0;
    if (c >= 'A' && c <= 'Z')
      fputs(signs[c - 'A'], stdout);
    else if (isdigit(c))
      put_digit(c - '0');
    else if (c == '_')
      putchar('/');
    else
      return ERROR("no sign for it");
  }
  putchar('\n');
  return 0;
}
