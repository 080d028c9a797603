/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions that ask not to be instrumented, between others: their neighbours
 * keep their records, a value that points to them has no name.
 */
#define PLAIN __attribute__((no_profile_instrument_function, noinline))

PLAIN static int plain(int n) { return n > 3 ? n : 3; }
static int counted(int n) { return n > 4 ? n : plain(n); }
PLAIN static int plain_too(int n) { return counted(n) + 1; }

static int (*const volatile steps[])(int) = {plain, counted, plain_too};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 9; i++)
    sum += steps[i % 3](i);
  return sum & 63;
}
