/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Symbols that the program names itself, with characters that no identifier
 * has: the name in the profile and the one of the record differ.
 */
int dotted(int n) __asm__("dotted.name$1");
int underlined(int n) __asm__("_main");

int dotted(int n) { return n & 1 ? n : 4; }
int underlined(int n) { return n & 2 ? dotted(n) : 5; }

static int (*const volatile both[])(int) = {dotted, underlined};

int main(void) {
  int sum = 0;
  for (int i = 0; i < 8; i++)
    sum += both[i % 2](i);
  return sum;
}
