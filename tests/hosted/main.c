/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The smallest program that has something to count; with LIBRARY one that
 * calls library.c.
 */
#ifdef LIBRARY
int work(int times);
#else
static int work(int times) { return times > 1 ? times : 0; }
#endif

int main(int count, char **arguments) {
  (void)arguments;
  return work(count + 4) == 0;
}
