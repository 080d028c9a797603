/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Nested conditions of && || and !: MC/DC bitmaps of several sizes, a
 * decision that is never reached, and one whose bitmap ends within a byte.
 */
static int two(int a, int b) { return a && b; }

static int five(int a, int b, int c, int d, int e) {
  if ((a && b) || (!c && (d || e)))
    return 1;
  return 0;
}

static int never(int a, int b) { return a || b; }

int main(int argc, char **argv) {
  int n = 0;
  (void)argv;
  for (int i = 0; i < 32; i += 3)
    n += five(i & 1, i & 2, i & 4, i & 8, i & 16);
  for (int i = 0; i < 3; i++)
    n += two(i & 1, i & 2);
  if (argc > 9)
    n += never(argc, n);
  return (n > 3 && argc) || n == 77 ? 0 : n;
}
