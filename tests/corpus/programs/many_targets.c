/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A site with 15 targets, first seen in another order than they are hot: the
 * order in the file is that of first sight.
 */
#define F(n) \
  static int f##n(int x) { return x > n ? x - n : x + n; }
F(0)
F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14)

    static int (*const volatile all[])(int) = {
        f3, f14, f1, f0, f7, f9, f2, f5, f4, f8, f13, f12, f11, f10, f6};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 15; i++)
    for (int turns = (i * 7) % 15; turns >= 0; turns--)
      sum = all[i](sum);
  for (int i = 14; i >= 0; i--)
    sum = all[i](sum);
  return sum & 63;
}
