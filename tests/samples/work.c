/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Something to sample: loops of several depths, calls of calls, comparisons by
 * pointers to functions, a switch, recursion, and code that hardly ever runs.
 * main gives 0 if the sums are right.
 */
typedef unsigned word;

static word bytes[64], seed = 1;

static word next(void) {
  seed = seed * 1103515245u + 12345u;
  return seed >> 16 & 0x7FFF;
}

__attribute__((noinline)) static word crc(const word *list, int count) {
  word sum = ~0u;
  for (int i = 0; i < count; i++) {
    sum ^= list[i] & 255;
    for (int k = 0; k < 8; k++)
      sum = sum & 1 ? sum >> 1 ^ 0xEDB88320u : sum >> 1;
  }
  return ~sum;
}

/* ---- whom it calls, only samples tell ---- */

typedef int order(word, word);
static int up(word a, word b) { return a < b ? -1 : a > b; }
static int down(word a, word b) { return a < b ? 1 : -(a > b); }
static int low(word a, word b) {
  a = (a ^ a >> 3) & 63;
  b = (b ^ b >> 3) & 63;
  return a < b ? -1 : a > b;
}

__attribute__((noinline)) void sort(word *list, int count, order *by) {
  for (int i = 1; i < count; i++) {
    word value = list[i];
    int k = i;
    for (; k > 0 && by(list[k - 1], value) > 0; k--)
      list[k] = list[k - 1];
    list[k] = value;
  }
}

/* ---- a machine with four instructions ---- */

__attribute__((noinline)) static word machine(const word *code, int steps) {
  word a = 1, b = 2;
  for (int at = 0; steps-- > 0; at = (at + 1) & 31)
    switch (code[at] & 3) {
    case 0:
      a += b;
      break;
    case 1:
      b ^= a << 1;
      break;
    case 2:
      if (a & 4)
        at = (at + 2) & 31;
      break;
    default:
      a = a >> 1 | b << 31;
    }
  return a ^ b;
}

__attribute__((noinline)) static word twice(word n) {
  if (n < 2)
    return n;
  return twice(n - 1) + twice(n - 2);
}

static word mixed(word value) {
  if (value % 61 == 0)
    return crc(bytes, 2);
  return value * 7 ^ value >> 5;
}

__attribute__((noinline)) static word unlikely(word value) {
  word sum = 0;
  while (value--)
    sum += value * value;
  return sum;
}

int main(void) {
  static order *const orders[] = {up, down, up, low};
  word sum = 0;
  for (int round = 0; round < 8; round++) {
    for (int i = 0; i < 64; i++)
      bytes[i] = next();
    sum += crc(bytes, 64);
    sort(bytes, 48, orders[round & 3]);
    sum ^= machine(bytes, 900);
    sum += twice(9);
    for (int i = 0; i < 64; i++)
      sum += mixed(bytes[i] + (word)i);
    if (sum == 0x12345678)
      sum += unlikely(sum);
  }
  return sum == 0;
}
