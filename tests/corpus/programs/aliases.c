/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One function under several names, some weak: one record, whose address is
 * that of all names.
 */
static int __attribute__((used)) real(int n) { return n & 1 ? n * 3 : n; }
int strong_alias(int n) __attribute__((alias("real")));
int weak_alias(int n) __attribute__((weak, alias("real")));

static int (*const volatile names[])(int) = {strong_alias, weak_alias, real};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 12; i++)
    sum += names[i % 3](i);
  return sum & 63;
}
