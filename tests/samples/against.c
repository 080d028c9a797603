/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A loop that clang 22 makes a table of, unless there is a probe in it; inlined
 * into two functions, beside code that probes leave as it is.
 */
typedef unsigned word;

static unsigned short step(unsigned short crc, unsigned char byte) {
  crc ^= byte;
  for (int i = 0; i < 8; i++)
    crc = (unsigned short)(crc & 1 ? crc >> 1 ^ 0xA001 : crc >> 1);
  return crc;
}

__attribute__((noinline)) word narrow(word value, word crc) {
  return step((unsigned short)crc, (unsigned char)value);
}

__attribute__((noinline)) word wide(word value, word crc) {
  for (int i = 0; i < 4; i++)
    crc = step((unsigned short)crc, (unsigned char)(value >> 8 * i));
  return crc;
}

__attribute__((noinline)) word other(word value) {
  for (int i = 0; i < 16; i++)
    value = (value ^ value >> 7) * 0x9E3779B1u + 1;
  return value;
}

int main(void) {
  word sum = 1;
  for (word i = 0; i < 60; i++)
    sum = other(narrow(sum, i) + wide(sum, i));
  return sum == 0;
}
