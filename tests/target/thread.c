/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One thread's storage, for thread-local variables that are zero at first: what
 * an RTOS sets up, or start-up code for its only thread. The ABIs put the
 * variables at the thread pointer (RISC-V), or after two words there (Arm,
 * AArch64). If no code has used it, the program ends with 80.
 */
#include "bareprof_semihosting.h"

static struct { _Alignas(16) unsigned char bytes[64]; } storage;

#ifdef __arm__
/* Must change r0 only. */
void *__aeabi_read_tp(void);
void *__aeabi_read_tp(void) { return &storage; }
#else
static void begin(void) {
#ifdef __riscv
  __asm__ volatile("mv tp, %0" ::"r"(&storage));
#else
  __asm__ volatile("msr tpidr_el0, %0" ::"r"(&storage));
#endif
}

__attribute__((section(".preinit_array"),
               used)) void (*const first)(void) = begin;
#endif

static void check(void) {
  for (unsigned i = 0; i < sizeof storage.bytes; i++)
    if (((volatile unsigned char *)storage.bytes)[i])
      return;
  bareprof_semihosting_exit(80);
}

__attribute__((section(".fini_array"), used)) void (*const last)(void) = check;
