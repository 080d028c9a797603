/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "calc.h"

#include <stddef.h>

static const struct {
  char op;
  int power;
} powers[] = {
    {'|', 1},
    {'&', 2},
    {'+', 3},
    {'-', 3},
    {'*', 4},
    {'/', 4},
    {'%', 4},
    {'^', 6},
};

int binding(char op) {
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
    if (powers[i].op == op)
      return powers[i].power;
  return 0;
}

static long power_of(long base, long exponent) {
  long result = 1;
  while (exponent > 0) {
    if (exponent & 1)
      result *= base;
    base *= base;
    exponent >>= 1;
  }
  return result;
}

long apply(char op, long a, long b, const char **error) {
  switch (op) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  case '|':
    return a | b;
  case '&':
    return a & b;
  case '^':
    if (b < 0 || b > 30) {
      *error = "exponent out of range";
      return 0;
    }
    return power_of(a, b);
  default:
    break;
  }
  if (b == 0) {
    *error = "division by zero";
    return 0;
  }
  return op == '/' ? a / b : a % b;
}
