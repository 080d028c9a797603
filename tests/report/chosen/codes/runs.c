/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "codes.h"

#include <ctype.h>

int runs_encode(const char *text) {
  while (*text) {
    int count = 1;
    while (text[count] == *text && count < 99)
      count++;
    if (count > 2 || isdigit((unsigned char)*text))
      printf("%d", count);
    else if (count == 2)
      putchar(*text);
    putchar(*text);
    text += count;
  }
  putchar('\n');
  return 0;
}

int runs_decode(const char *text) {
  while (*text) {
    int count = 0;
    while (isdigit((unsigned char)*text) && count < 100)
      count = count * 10 + (*text++ - '0');
    if (!*text)
      return ERROR("a count without a letter");
    if (count > 99)
      return ERROR("a count above 99");
    if (count == 0)
      count = 1;
    while (count--)
      putchar(*text);
    text++;
  }
  putchar('\n');
  return 0;
}
