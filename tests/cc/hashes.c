/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program whose counts depend on where the linker puts it, as those of
 * interpreters do: it hashes addresses, and counts how often it looks on. With
 * PLAIN it hashes numbers instead.
 */
#include <stdint.h>
#include <stdio.h>

enum { SLOTS = 64 };
static const void *slots[SLOTS];

#define FUNCTION(n) \
  static int f##n(int x) { return x * n + (x ^ n); }
#define EIGHT(n) \
  FUNCTION(n##0) FUNCTION(n##1) FUNCTION(n##2) FUNCTION(n##3) \
  FUNCTION(n##4) FUNCTION(n##5) FUNCTION(n##6) FUNCTION(n##7)
EIGHT(1)
EIGHT(2)
EIGHT(3)
EIGHT(4)
EIGHT(5)

#define NAMES(n) f##n##0, f##n##1, f##n##2, f##n##3, f##n##4, f##n##5, \
  f##n##6, f##n##7
static int (*const functions[])(int) = {NAMES(1), NAMES(2), NAMES(3), NAMES(4),
                                        NAMES(5)};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static unsigned hash(unsigned number) {
#ifdef PLAIN
  uint32_t key = number;
#else
  uint32_t key = (uint32_t)(uintptr_t)functions[number];
#endif
  return key * UINT32_C(2654435761) >> 26;
}

int main(void) {
  int sum = 0, looks = 0;
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    unsigned at = hash(i);
    while (slots[at]) {
      at = (at + 1) % SLOTS;
      looks++;
    }
    slots[at] = functions + i;
    sum += functions[i](looks);
  }
  return sum == 1;
}
