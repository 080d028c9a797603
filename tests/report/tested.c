/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What tests.c tests: each test has lines that no other reaches, and lines that
 * another one reaches too.
 */
#include "tested.h"

int parse(const char *text) {
  int value = 0;
  if (*text == '-')
    return -parse(text + 1);
  for (; *text >= '0' && *text <= '9'; text++)
    value = 10 * value + *text - '0';
  return *text ? ERROR : value;
}

int clamp(int value, int most) {
  if (value < 0)
    return 0;
  if (value > most)
    return most;
  return value;
}

int scale(const char *text, int most) {
  int value = parse(text);
  if (value == ERROR)
    return ERROR;
  return clamp(value, most) * 2;
}

void tick(void) {
  static volatile int ticks;
  ticks++;
}
