/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program with a C library: its start-up code, printf, files. The profile
 * is written when the program ends, by exit() walking .fini_array, into a
 * stdio file.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bareprof.h"

static FILE *file;

static int to_file(void *context, const void *bytes, size_t size) {
  (void)context;
  return fwrite(bytes, 1, size, file) == size ? 0 : 1;
}

static const struct bareprof_sink sink = {to_file, NULL};

/* 27 takes 111 steps to 1: 41 up, 70 down. */
static int steps(int number) {
  int count = 0;
  while (number != 1) {
    if (number % 2)
      number = 3 * number + 1;
    else
      number /= 2;
    count++;
  }
  return count;
}

/* Counted, though it runs after main. */
static void at_exit(void) { puts("bye"); }

int main(void) {
  file = fopen("libc.profraw", "wb");
  if (!file)
    return 1;
  setvbuf(file, NULL, _IONBF, 0);
  bareprof_write_at_exit(&sink);
  atexit(at_exit);
  printf("%d steps, status %d\n", steps(27), bareprof_status());
  return 0;
}
