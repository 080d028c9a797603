/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "work.h"

#define LEAF(name)                                                 \
  __attribute__((noinline)) void name(unsigned turns);             \
  void name(unsigned turns) {                                      \
    do                                                             \
      __asm__ volatile("nop\n nop\n nop\n nop\n nop\n nop\n nop"); \
    while (--turns);                                               \
  }

LEAF(leaf_a)
LEAF(leaf_b)
LEAF(leaf_c)

void via_1(void);
__attribute__((noinline)) void via_1(void) {
  leaf_a(100);
  leaf_b(100);
  __asm__ volatile("" ::: "memory");
}

void via_2(void);
__attribute__((noinline)) void via_2(void) {
  leaf_b(300);
  leaf_c(500);
  __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void work(void) {
  via_1();
  via_2();
  __asm__ volatile("" ::: "memory");
}

#if defined __thumb__
__asm__(".thumb\n .syntax unified\n .thumb_func\n"
        "spin_with_frame:\n push {r7, lr}\n mov r7, r0\n"
        "1: subs r1, r1, #1\n bne 1b\n pop {r7, pc}\n");
#elif defined __arm__
__asm__("spin_with_frame:\n push {r11, lr}\n mov r11, r0\n"
        "1: subs r1, r1, #1\n bne 1b\n pop {r11, pc}\n");
#elif defined __aarch64__
__asm__("spin_with_frame:\n mov x9, x29\n mov x29, x0\n"
        "1: subs x1, x1, #1\n bne 1b\n mov x29, x9\n ret\n");
#elif defined __riscv
__asm__("spin_with_frame:\n mv t0, s0\n mv s0, a0\n"
        "1: addi a1, a1, -1\n bnez a1, 1b\n mv s0, t0\n ret\n");
#endif
__asm__(".globl spin_with_frame\n .type spin_with_frame, %function\n"
        ".size spin_with_frame, . - spin_with_frame\n");
