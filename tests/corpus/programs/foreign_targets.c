/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls through pointers to code that no record knows: functions without
 * instrumentation, at addresses that are the same in both runs.
 */
int plain(int n);
int plain_too(int n);

static int counted(int n) { return n > 2 ? n : 2; }
static int (*const volatile all[])(int) = {plain, counted, plain_too};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 30; i++)
    sum += all[i % 3](i) + all[i % 2 * 2](i);
  return sum & 63;
}
