/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "codes.h"

#include <ctype.h>

/* By letter: vowels end a group, h and w do not. */
enum { VOWEL = 0, SILENT = 9 };
static const unsigned char groups[26] = {
    VOWEL, 1, 2, 3, VOWEL,
    1, 2, SILENT, VOWEL, 2,
    2, 4, 5, 5, VOWEL,
    1, 2, 6, 2, 3,
    VOWEL, 1, SILENT, 2, VOWEL,
    2,
};

int soundex(const char *text) {
  if (!isalpha((unsigned char)*text))
    return ERROR("a letter must begin");
  int first = toupper((unsigned char)*text);
  int last = groups[first - 'A'], count = 1;
  putchar(first);
  for (text++; *text && count < 4; text++) {
    if (!isalpha((unsigned char)*text))
      continue;
    int group = groups[toupper((unsigned char)*text) - 'A'];
    if (group == SILENT)
      continue;
    if (group != VOWEL && group != last) {
      putchar('0' + group);
      count++;
    }
    last = group;
  }
  for (; count < 4; count++)
    putchar('0');
  putchar('\n');
  return 0;
}
