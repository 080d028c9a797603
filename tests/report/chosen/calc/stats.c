/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "calc.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 32 };

static void sort(long *list, int count) {
  for (int i = 1; i < count; i++) {
    long value = list[i];
    int at = i;
    while (at > 0 && list[at - 1] > value) {
      list[at] = list[at - 1];
      at--;
    }
    list[at] = value;
  }
}

static long median(const long *list, int count) {
  if (count % 2)
    return list[count / 2];
  return (list[count / 2 - 1] + list[count / 2]) / 2;
}

static long root(long square) {
  long low = 0, high = square + 1;
  while (high - low > 1) {
    long middle = low + (high - low) / 2;
    if (middle <= square / middle)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int statistics(int count, char **texts) {
  long list[MOST], sum = 0, squares = 0;
  if (count == 0 || count > MOST) {
    puts("give 1 to 32 numbers");
    return 1;
  }
  for (int i = 0; i < count; i++) {
    struct value value = evaluate(texts[i]);
    if (value.error) {
      printf("%s: %s\n", texts[i], value.error);
      return 1;
    }
    list[i] = value.number;
    sum += value.number;
    squares += value.number * value.number;
  }
  sort(list, count);
  printf("n %d sum %ld mean %ld median %ld\n", count, sum, sum / count,
         median(list, count));
  printf("from %ld to %ld", list[0], list[count - 1]);
  if (count > 1)
    printf(" deviation %ld",
           root((squares - sum * sum / count) / (count - 1)));
  putchar('\n');
  return 0;
}
