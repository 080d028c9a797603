/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "codes.h"

#include <ctype.h>
#include <string.h>

/* Digits after they are doubled. */
static const int doubled[10] = {0, 2, 4, 6, 8, 1, 3, 5, 7, 9};

static const struct {
  const char *prefix;
  const char *country;
} countries[] = {
    {"40", "Germany"},
    {"45", "Japan"},
    {"50", "Britain"},
    {"87", "Netherlands"},
    {"978", "books"},
    {"977", "magazines"},
};

int luhn(const char *text) {
  int sum = 0, place = 0;
  for (size_t i = strlen(text); i--;) {
    if (text[i] == '-')
      continue;
    if (!isdigit((unsigned char)text[i]))
      return ERROR("not a number");
    int digit = text[i] - '0';
    sum += place++ % 2 ? doubled[digit] : digit;
  }
  puts(sum % 10 ? "wrong" : "right");
  return sum % 10 != 0;
}

int country_of(const char *text) {
  for (size_t i = 0; i < sizeof countries / sizeof *countries; i++)
    if (strncmp(text, countries[i].prefix, strlen(countries[i].prefix)) == 0) {
      puts(countries[i].country);
      return 0;
    }
  return ERROR("nowhere");
}
