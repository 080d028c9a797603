/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Work whose calls are known: patch.sh has the counts. Functions that call
 * each other directly, through pointers, by a tail call; one that calls
 * itself; ones whose many arguments are in registers that a sled must leave
 * alone; one with a second name; one that is never called, and one
 * that nobody can call, which the linker drops.
 */
#include "patch_work.h"

#define KEPT __attribute__((noinline, noclone))

static uint32_t sum;

KEPT static void note(uint32_t value) { sum = sum * 31 + value; }

KEPT static uint32_t eight(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                           uint32_t e, uint32_t f, uint32_t g, uint32_t h) {
  return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + 17 * g + 19 * h;
}

KEPT uint64_t wide(uint64_t a, uint32_t b) { return (a << 7) ^ (a >> 3) ^ b; }

KEPT static uint32_t twice(uint32_t a) { return 2 * a; }
KEPT static uint32_t thrice(uint32_t a) { return 3 * a; }

/* Behind a volatile pointer no compiler sees who is called. */
static uint32_t (*volatile const pointers[])(uint32_t) = {twice, thrice, twice};

/* 41 calls for 7: no compiler makes a loop of some. */
static uint32_t fibonacci(uint32_t n);
static uint32_t (*volatile const again)(uint32_t) = fibonacci;
KEPT static uint32_t fibonacci(uint32_t n) {
  return n < 2 ? n : again(n - 1) + again(n - 2);
}

KEPT static void tail(uint32_t value) { note(value ^ 0x55); }

KEPT void named(uint32_t value) { tail(value + 1); }
void also_named(uint32_t value) __attribute__((weak, alias("named")));

KEPT void never(void) { note(99); }
KEPT void dead(void) { note(98); }
static volatile uint32_t zero;

uint32_t work(void) {
  for (uint32_t i = 0; i < 3; i++)
    note(pointers[i](i + 5));
  note(again(7));
  note(eight(1, 2, 3, 4, 5, 6, 7, sum));
  note((uint32_t)wide(0x123456789abcdef0u, sum));
  named(1);
  also_named(2);
  if (zero)
    never();
  return sum;
}
