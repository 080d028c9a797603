/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CALC_H
#define CALC_H

struct value {
  long number;
  const char *error;
};

struct value evaluate(const char *text);
long apply(char op, long a, long b, const char **error);
int binding(char op);
void print_base(long number, unsigned base);
int print_roman(long number);
int print_words(long number);
int convert(long number, const char *from, const char *to, long *result);
int statistics(int count, char **texts);

#endif
