/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A weak function that two objects define: compiled twice, with OTHER as the
 * one that is not linked first. The first object's definition runs, 15 times.
 * DIFFERENT: the other definition has another shape, and so another hash.
 */
int other(void);

__attribute__((weak, noinline)) int shared(int n) {
#ifdef DIFFERENT
  if (n > 7)
    return 2;
#endif
  if (n > 3)
    return 1;
  return 0;
}

#ifdef OTHER
static int choose(int n) { return n ? 3 : 4; }

int other(void) {
  int sum = choose(0);
  for (int i = 0; i < 5; i++)
    sum += shared(i);
  return sum;
}
#else
static int choose_another(int n) { return n ? 5 : 6; }

int main(void) {
  int sum = choose_another(1);
  for (int i = 0; i < 10; i++)
    sum += shared(i);
  return sum + other() == 0;
}
#endif
