/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program that does what a word of memory says, and calls another ELF.
 */
#include "shared.h"

#define CHOICE ((volatile unsigned *)0x20300000)
#define OTHER ((unsigned (*)(unsigned))0x20200001)

static volatile unsigned sink;

__attribute__((noinline)) static void first(void) {
  sink += 1;
}

__attribute__((noinline)) static void second(void) {
  sink += 2;
}

int main(void) {
  unsigned choice = *CHOICE;
  if (choice & 1)
    first();
  if (choice & 2)
    second();
  sink += shared(choice);
  if (choice & 4)
    sink += OTHER(5);
  return 0;
}
