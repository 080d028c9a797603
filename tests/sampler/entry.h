/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The board's timer takes samples.
 */
#ifndef ENTRY_H
#define ENTRY_H

#include "bareprof_sampler.h"
#include "board.h"

#ifdef __riscv
#define JUMP "j bareprof_sampler_interrupt"
#elif __ARM_ARCH == 6
#define JUMP "ldr r3, =bareprof_sampler_interrupt\n bx r3\n .ltorg"
#else
#define JUMP "b bareprof_sampler_interrupt"
#endif

__attribute__((naked)) void timer_interrupt(void) { __asm__ volatile(JUMP); }

#endif
