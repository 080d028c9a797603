/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plant.h"

#include <stdio.h>

/* A low pass of four, and a window. */
static const int weights[4] = {
    1,
    3,
    3,
    1,
};
static const int window[2] = {2, 7};

int run_filter(const char *events) {
  int last[4] = {0, 0, 0, 0}, inside = 0, count = 0, peak = 0;
  for (; *events; events++) {
    if (*events < '0' || *events > '9')
      continue;
    for (int i = 3; i > 0; i--)
      last[i] = last[i - 1];
    last[0] = *events - '0';
    int sum = 0;
    for (int i = 0; i < 4; i++)
      sum += last[i] * weights[i];
    sum /= 8;
    if (sum > peak)
      peak = sum;
    if (sum >= window[0] && sum <= window[1])
      inside++;
    count++;
    printf("%d ", sum);
  }
  if (count == 0) {
    puts("nothing to filter");
    return 1;
  }
  printf("peak %d, %d of %d inside\n", peak, inside, count);
  return 0;
}
