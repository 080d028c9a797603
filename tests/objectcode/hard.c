/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What breaks the flow of a Cortex-M's code: a timer's interrupt among
 * branches, faults whose handler continues after the instruction or elsewhere,
 * an svc that never continues, and a reset in the middle.
 */
#include "board.h"

#include <stdint.h>

#define VECTORS ((void (**const *)(void))0xE000ED08)
#define BOOTED ((volatile unsigned *)0x20300000) /* A reset leaves it. */

static volatile unsigned sink, ticks, faults, asked;

/* A table's jump makes the plugin watch all branches of a function. */
__attribute__((noinline)) static void choose(unsigned n) {
  switch (n & 7) {
  case 0:
    sink += 3;
    break;
  case 1:
    sink ^= 5;
    break;
  case 2:
    sink -= 7;
    break;
  case 4:
    sink = sink * 3;
    break;
  case 5:
    sink = ~sink;
    break;
  default:
    if (n & 16)
      sink++;
  }
}

static void tick(void) {
  ticks++;
  choose(ticks);
}

__attribute__((noinline)) static void busy(unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    choose(i);
    if (sink & 4)
      sink += i;
    else
      sink ^= i;
  }
}

extern char elsewhere[];

/* The even ones return after their instruction of 2 bytes, the odd ones
 * elsewhere. */
__attribute__((used)) static void on_fault(uint32_t *frame) {
  faults++;
  if (faults & 1)
    frame[6] = (uint32_t)(uintptr_t)elsewhere & ~1U;
  else
    frame[6] += 2;
}

__attribute__((naked)) static void fault_entry(void) {
  __asm__ volatile("mov r0, sp\n b %0" ::"i"(on_fault));
}

__attribute__((noinline)) static unsigned broken(unsigned n) {
  unsigned result;
  __asm__ volatile("movs %0, #1\n"
                   "cmp %1, #3\n"
                   "bhi 1f\n"
                   "adds %0, #2\n"
                   ".inst.n 0xde00\n" /* udf: a fault */
                   "adds %0, #4\n"
                   "1: adds %0, #8\n"
                   "cmp %1, #6\n"
                   "bne 2f\n"
                   "adds %0, #16\n"
                   ".thumb_func\n"
                   ".global elsewhere\n"
                   "elsewhere: adds %0, #32\n"
                   "2:\n"
                   : "=&r"(result)
                   : "r"(n)
                   : "cc");
  return result;
}

/* The third one never continues: the caller does, as after a task's end. */
__attribute__((used)) static void on_svc(uint32_t *frame) {
  if (++asked == 3)
    frame[6] = frame[5] & ~1U;
}

__attribute__((naked)) static void svc_entry(void) {
  __asm__ volatile("mov r0, sp\n b %0" ::"i"(on_svc));
}

/* A branch leads to where an svc falls through to. */
__attribute__((naked, noinline)) static unsigned
asks(__attribute__((unused)) unsigned n) {
  __asm__ volatile("movs r1, #1\n"
                   "cmp r0, #4\n"
                   "bhi 1f\n"
                   "svc #0\n"
                   "1: adds r1, #2\n"
                   "cmp r0, #6\n"
                   "bne 2f\n"
                   "adds r1, #4\n"
                   "2: mov r0, r1\n"
                   "bx lr\n");
}

int main(void) {
  static void (*vectors[16])(void) __attribute__((aligned(128)));
  for (int i = 0; i < 16; i++)
    vectors[i] = (*VECTORS)[i];
  vectors[3] = fault_entry;
  vectors[11] = svc_entry;
  *(void *volatile *)0xE000ED08 = vectors;
  board_timer_start(300, tick);
  busy(3000);
  board_timer_stop();
  for (unsigned i = 0; i < 8; i++)
    sink += broken(i) + asks(i);
  if (*BOOTED != 0x600D) {
    *BOOTED = 0x600D;
    board_reset();
  }
  return !ticks || faults != 4 || asked != 5;
}
