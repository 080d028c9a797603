/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tail calls: functions that end in jumps leave no frame. One way of jumps
 * leads from t2 to leaf, and one from t0, whose cold part the jump is in; from
 * `either` two ways do, from even to odd any number, and `pointed` jumps by a
 * register. `apart` is far away: a veneer of the linker leads there.
 */
typedef unsigned word;
typedef word callback(word);

#define APART __attribute__((noinline))

APART word leaf(word a) {
  for (int i = 0; i < 5; i++)
    a = (a ^ a >> 7) * 0x9E3779B1u + 1;
  return a;
}

APART word t1(word a) {
  for (int i = 0; i < 3; i++)
    a = a * 5 + (a >> 3);
  return leaf(a);
}

APART word t2(word a) {
  if (a % 11 == 3)
    a ^= 0x55;
  return t1(a + 1);
}

APART word either(word a) {
  if (a & 1)
    return t1(a);
  return leaf(a + 1);
}

APART word even(word a, word left);
APART word odd(word a, word left) {
  a = a * 3 + 1;
  return left ? even(a ^ 9, left - 1) : a;
}
word even(word a, word left) {
  a = a * 5 + (a >> 2);
  return left ? odd(a + left, left - 1) : a;
}

callback *volatile pointer = leaf;
APART word pointed(word a) { return pointer(a + 4); }

__attribute__((noinline, section(".text.apart"))) word apart(word a) {
  for (int i = 0; i < 4; i++)
    a = (a ^ a >> 5) * 0x85EBCA77u;
  return a;
}
APART word to_apart(word a) { return apart(a + 2); }

APART word workload(word rounds) {
  word sum = 1;
  do {
    sum += t2(sum);
    sum ^= t1(sum);
    sum += leaf(sum);
    sum ^= to_apart(sum) + apart(sum);
    if (rounds % 64 == 7)
      sum += either(sum) + even(sum, 3) + pointed(sum);
  } while (--rounds);
  return sum;
}

int main(void) { return workload(128) == 0; }
