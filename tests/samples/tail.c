/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A callback that ends in a jump to a helper, which then returns to where only
 * the callback was called; another one, and a direct call of the helper.
 */
typedef unsigned word;
typedef word callback(word);

__attribute__((noinline)) word helper(word a) {
  for (int i = 0; i < 4; i++)
    a = a * 1664525u + 1013904223u;
  return a;
}

__attribute__((noinline)) word jumps(word a) { return helper(a ^ 0x55); }
__attribute__((noinline)) word plain(word a) { return a + 3; }

callback *volatile callbacks[] = {jumps, plain};

word by_pointer(word rounds) {
  word sum = 1;
  while (rounds--)
    sum += callbacks[rounds & 1](sum);
  return sum;
}

word directly(word rounds) {
  word sum = 1;
  while (rounds--)
    sum += helper(sum) + jumps(sum);
  return sum;
}

int main(void) { return by_pointer(9) == directly(9); }
