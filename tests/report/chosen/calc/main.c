/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "calc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calculate(const char *text) {
  struct value value = evaluate(text);
  if (value.error) {
    printf("error: %s\n", value.error);
    return 1;
  }
  printf("%ld\n", value.number);
  return 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 2 ? argv[1] : "";
  if (strcmp(what, "calc") == 0)
    return calculate(argv[2]);
  if (strcmp(what, "roman") == 0)
    return print_roman(atol(argv[2]));
  if (strcmp(what, "words") == 0)
    return print_words(atol(argv[2]));
  if (strcmp(what, "stats") == 0)
    return statistics(argc - 2, argv + 2);
  if (strcmp(what, "base") == 0 && argc > 3) {
    print_base(atol(argv[2]), (unsigned)atoi(argv[3]));
    return 0;
  }
  if (strcmp(what, "convert") == 0 && argc > 4) {
    long result = 0;
    int status = convert(atol(argv[2]), argv[3], argv[4], &result);
    printf("%ld %s\n", result, argv[4]);
    return status;
  }
  puts("calc, roman, words, stats, base or convert");
  return 2;
}
