/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names beyond ASCII, which the file holds as UTF-8.
 */
static int größe(int n) { return n > 2 ? n : 2; }
static int 計算(int n) { return n & 1 ? größe(n) : n; }
int привет_мир(int n);
int привет_мир(int n) { return 計算(n) + 1; }

int main(void) {
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum += привет_мир(i);
  return sum;
}
