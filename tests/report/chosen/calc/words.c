/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "calc.h"

#include <stdio.h>

static const char *const small[] = {
    "zero",    "one",     "two",       "three",    "four",
    "five",    "six",     "seven",     "eight",    "nine",
    "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
};

static const char *const tens[] = {
    "",      "",      "twenty",  "thirty", "forty",
    "fifty", "sixty", "seventy", "eighty", "ninety",
};

static void below_thousand(long number) {
  if (number >= 100) {
    printf("%s hundred", small[number / 100]);
    number %= 100;
    if (!number)
      return;
    fputs(" and ", stdout);
  }
  if (number < 20) {
    fputs(small[number], stdout);
    return;
  }
  fputs(tens[number / 10], stdout);
  if (number % 10)
    printf("-%s", small[number % 10]);
}

int print_words(long number) {
  if (number < 0) {
    fputs("minus ", stdout);
    number = -number;
  }
  if (number >= 1000000) {
    puts("many");
    return 1;
  }
  if (number >= 1000) {
    below_thousand(number / 1000);
    fputs(" thousand", stdout);
    number %= 1000;
    if (number)
      putchar(' ');
    else {
      putchar('\n');
      return 0;
    }
  }
  below_thousand(number);
  putchar('\n');
  return 0;
}
