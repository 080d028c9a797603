/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Code as firmware has it, with storage for values and a sink of its own, on
 * the host: its profile on standard output, and another one at exit.
 */
#include <unistd.h>

#include "bareprof.h"
#include "bareprof_values.h"

BAREPROF_VALUES(128, 8);

static int put(void *context, const void *bytes, size_t size) {
  (void)context;
  return write(STDOUT_FILENO, bytes, size) != (ssize_t)size;
}

static int down(int number) { return number - 1; }
static int up(int number) { return number + 1; }

int main(void) {
  int (*const both[])(int) = {down, up};
  const struct bareprof_sink sink = {put, NULL};
  int sum = 0;
  for (int i = 0; i < 7; i++)
    sum += both[i & 1](i);
  if (bareprof_status() || sum == 0)
    return 1;
  return bareprof_write(&sink);
}
