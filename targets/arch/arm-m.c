/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Cortex-M, ARMv6-M to v8.1-M: the vector table, entry, faults, SysTick. The
 * core loads the stack pointer from the table before start runs. SysTick has a
 * vector, the other exceptions of the core are faults, and the table has no
 * interrupts of a chip. The entry calls board_prepare and board_run (start.c).
 */
#include "board.h"
#include "start.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYST_CSR REGISTER(0xe000e010)
#define SYST_RVR REGISTER(0xe000e014)
#define SYST_CVR REGISTER(0xe000e018)
#define AIRCR REGISTER(0xe000ed0c)
#define CPACR REGISTER(0xe000ed88)

enum { SYST_ENABLE = 1, SYST_INTERRUPT = 2, SYST_CORE_CLOCK = 4 };

__attribute__((noreturn)) void start(void);
void fault(void);

static void (*volatile timer_handler)(void);

__attribute__((section(".vectors"), used)) void (*const vectors[16])(void) = {
    (void (*)(void))stack_top,
    start,
    fault, /* NMI */
    fault, /* HardFault */
    fault, /* MemManage */
    fault, /* BusFault */
    fault, /* UsageFault */
    fault, /* SecureFault */
    fault,
    fault,
    fault,
    fault, /* SVCall */
    fault, /* Debug monitor */
    fault,
    fault, /* PendSV */
    timer_interrupt};

void start(void) {
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  /* Coprocessors 10 and 11 are FPU and MVE, and off after reset. */
  CPACR |= 0xfu << 20;
  __asm__ volatile("dsb\n isb" ::: "memory");
#endif
  board_prepare();
  board_run();
}

/* Reports the number of an exception, and the address of the instruction that
 * caused it. The address is 0 if frame, the stack at the exception, is not in
 * RAM. */
__attribute__((noreturn, used)) static void report_fault(uintptr_t exception,
                                                   const uint32_t *frame) {
  uintptr_t address = (uintptr_t)frame;
  int valid = address >= (uintptr_t)data_start &&
              address <= (uintptr_t)stack_top - 32 && address % 4 == 0;
  board_fault(exception, valid ? frame[6] : 0);
}

/* A bad stack may be the reason for the fault, so the stack pointer is set to
 * the top again. */
__attribute__((naked)) void fault(void) {
  __asm__ volatile("mrs r0, ipsr\n"
                   "mov r1, sp\n"
                   "ldr r2, =stack_top\n"
                   "mov sp, r2\n"
                   "bl %0\n" ::"i"(report_fault));
}

void board_reset(void) {
  __asm__ volatile("dsb" ::: "memory");
  AIRCR = 0x05fa0004; /* SYSRESETREQ, with the key that allows it */
  for (;;) {
  }
}

__attribute__((weak)) void timer_interrupt(void) {
  if (timer_handler)
    timer_handler();
}

void board_timer_start(uint32_t interval, void (*handler)(void)) {
  timer_handler = handler;
  SYST_RVR = interval - 1;
  SYST_CVR = 0;
  SYST_CSR = SYST_ENABLE | SYST_INTERRUPT | SYST_CORE_CLOCK;
}

/* A write to SYST_CVR makes the counter load SYST_RVR: the interval begins
 * now. */
void board_timer_next(uint32_t interval) {
  SYST_RVR = interval - 1;
  SYST_CVR = 0;
}

void board_timer_stop(void) { SYST_CSR = 0; }
