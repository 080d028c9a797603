/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two ways to one function: `often` has step take the digest of nearly all
 * values, `seldom` of nearly none, and both call step as often. Summed up over
 * both, step takes the digest of half of them. main gives 0 if the sums are
 * right.
 */
typedef unsigned word;

static word words[32];

/* Too much to be inlined without a reason. */
static word digest(word value) {
  word a = value, b = ~value, c = value << 3, d = value >> 5;
  for (int i = 0; i < 4; i++) {
    a = (a + ((b & c) | (~b & d)) + words[i * 8]) * 0x9E3779B1u;
    d = (d + ((a & b) | (~a & c)) + words[i * 8 + 1]) * 0x85EBCA77u;
    c = (c + ((d & a) | (~d & b)) + words[i * 8 + 2]) * 0xC2B2AE3Du;
    b = (b + ((c & d) | (~c & a)) + words[i * 8 + 3]) * 0x27D4EB2Fu;
    words[i * 8 + 4] ^= a >> 7 | a << 25;
    words[i * 8 + 5] ^= b >> 9 | b << 23;
    words[i * 8 + 6] ^= c >> 11 | c << 21;
    words[i * 8 + 7] ^= d >> 13 | d << 19;
    if (a % 7 == 3)
      words[b & 31] += c;
    else if (c % 5 == 1)
      words[d & 31] -= a;
  }
  return a ^ b ^ c ^ d;
}

/* APART in the build that is sampled, where both call one step. */
#ifdef APART
__attribute__((noinline))
#endif
static word step(word value, word whole) {
  if (whole)
    return digest(value);
  return (value ^ value >> 3) * 5 + 1;
}

__attribute__((noinline)) word often(word value) {
  for (word i = 0; i < 16; i++)
    value += step(value + i, i != 9);
  return value;
}

__attribute__((noinline)) word seldom(word value) {
  for (word i = 0; i < 16; i++)
    value ^= step(value + i, i == 9 && value % 509 == 0);
  return value;
}

/* So that digest is never inlined because its last call is. */
__attribute__((noinline)) word once(word value) { return digest(value); }

int main(void) {
  word sum = once(1);
  for (int i = 0; i < 60; i++) {
    sum += often(sum);
    for (int k = 0; k < 12; k++)
      sum += seldom(sum + (word)i);
  }
  return sum == 0;
}
