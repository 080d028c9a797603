/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "calc.h"

#include <stdio.h>
#include <string.h>

static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static const struct {
  int value;
  const char *text;
} romans[] = {
    {1000, "M"},
    {900, "CM"},
    {500, "D"},
    {400, "CD"},
    {100, "C"},
    {90, "XC"},
    {50, "L"},
    {40, "XL"},
    {10, "X"},
    {9, "IX"},
    {5, "V"},
    {4, "IV"},
    {1, "I"},
};

void print_base(long number, unsigned base) {
  char text[80];
  unsigned long rest = number < 0 ? 0ul - (unsigned long)number
                                  : (unsigned long)number;
  size_t at = sizeof text - 1;
  text[at] = 0;
  do {
    text[--at] = letters[rest % base];
    rest /= base;
  } while (rest);
  if (number < 0)
    text[--at] = '-';
  puts(text + at);
}

int print_roman(long number) {
  if (number <= 0 || number >= 4000) {
    puts("no roman number");
    return 1;
  }
  for (size_t i = 0; i < sizeof romans / sizeof *romans; i++)
    while (number >= romans[i].value) {
      fputs(romans[i].text, stdout);
      number -= romans[i].value;
    }
  putchar('\n');
  return 0;
}
