/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls through pointers from the program into a library and back: targets that
 * the other one has the record of.
 */
int call(int (*target)(int), int n);
int theirs(int n);

static int mine(int n) { return n > 2 ? n : 2; }
static int (*const volatile targets[])(int) = {mine, theirs};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 9; i++)
    sum += targets[i % 2](i) + call(i % 3 ? mine : theirs, i);
  return sum & 63;
}
