/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Code with probes of all kinds: what is inlined twice and within another,
 * loops that are unrolled, calls by pointer, and what nobody calls.
 */
extern int input(int number);
int total;

static int clamp(int value, int most) { return value > most ? most : value; }

static int half(int value) {
  if (value & 1)
    total++;
  return clamp(value / 2, 100);
}

__attribute__((noinline)) static int ascending(int a, int b) { return a - b; }

__attribute__((noinline)) static int descending(int a, int b) {
  return half(b) - half(a);
}

int (*const orders[])(int, int) = {ascending, descending};

__attribute__((noinline)) void sort(int *list, int count,
                                    int (*order)(int, int)) {
  for (int i = 1; i < count; i++)
    for (int j = i; j > 0 && order(list[j - 1], list[j]) > 0; j--) {
      int other = list[j];
      list[j] = list[j - 1];
      list[j - 1] = other;
    }
}

int nobody_calls(int value) {
  return value < 3 ? value : nobody_calls(value - 1) + half(value);
}

__attribute__((noinline)) int decide(int value) {
  switch (value & 7) {
  case 0:
    return half(value);
  case 1:
    return clamp(value, 20) + half(value + 1);
  case 2:
  case 3:
    return value * 3;
  default:
    return value > 1000 ? decide(value - 1000) : total;
  }
}

void _start(void) {
  int list[16];
  for (int i = 0; i < 16; i++)
    list[i] = half(input(i));
  sort(list, 16, orders[input(1) & 1]);
  for (int i = 0; i < 16; i++)
    total += decide(list[i]);
  for (;;)
    ;
}

__attribute__((noinline)) int input(int number) {
  volatile int seen = number;
  return seen * 7 % 31;
}
