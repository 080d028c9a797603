/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions in sections of their own choice, one of them named as C identifiers
 * are: the linker makes bounds for it too.
 */
#define IN(name) __attribute__((section(name), noinline))

IN(".text.elsewhere") static int one(int n) { return n > 1 ? n : 1; }
IN("my_code") static int two(int n) { return n > 2 ? n : one(n); }
static int three(int n) { return n > 3 ? n : two(n); }

static int (*const volatile all[])(int) = {one, two, three};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 9; i++)
    sum += all[i % 3](i);
  return sum;
}
