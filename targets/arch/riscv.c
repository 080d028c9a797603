/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RISC-V, 32 and 64 bits, machine mode: the start of the other harts, and
 * the machine timer. riscv.S has the entry.
 */
#include "riscv.h"

#include "board.h"
#include "start.h"

#define WORD(offset) (*(volatile uint32_t *)((uintptr_t)CLINT + (offset)))

void release_harts(void);

_Alignas(16) unsigned char hart_stacks[(HART_MAX - 1) * HART_STACK];

static uint32_t timer_interval;
static void (*volatile timer_handler)(void);

/* Programs that use other harts define their own board_secondary. */
__attribute__((weak)) void board_secondary(unsigned hart) { (void)hart; }

/* Sends the software interrupt to the other harts. The fence lets them see the
 * data that constructors wrote. A store for a hart that the machine does not
 * have does nothing. */
void release_harts(void) {
  __asm__ volatile("fence" ::: "memory");
  for (unsigned hart = 1; hart < HART_MAX; ++hart)
    WORD(hart * 4) = 1;
}

void board_reset(void) {
  *(volatile uint32_t *)FINISHER = FINISHER_RESET;
  for (;;) {
  }
}

static uint64_t read_mtime(void) {
  uint32_t high;
  uint32_t low;
  do {
    high = WORD(CLINT_MTIME + 4);
    low = WORD(CLINT_MTIME);
  } while (high != WORD(CLINT_MTIME + 4));
  return (uint64_t)high << 32 | low;
}

/* Between the writes of the upper and the lower half, the compare register has
 * one new and one old half. A lower half of all ones prevents an early
 * interrupt meanwhile. */
void board_timer_next(uint32_t interval) {
  unsigned long hart;
  __asm__ volatile("csrr %0, mhartid" : "=r"(hart));
  uintptr_t compare = CLINT_MTIMECMP + 8 * hart;
  uint64_t next = read_mtime() + interval;
  WORD(compare) = UINT32_MAX;
  WORD(compare + 4) = (uint32_t)(next >> 32);
  WORD(compare) = (uint32_t)next;
}

__attribute__((weak, interrupt("machine"))) void timer_interrupt(void) {
  board_timer_next(timer_interval);
  if (timer_handler)
    timer_handler();
}

void board_timer_start(uint32_t interval, void (*handler)(void)) {
  timer_interval = interval;
  timer_handler = handler;
  board_timer_next(interval);
  __asm__ volatile("csrs mie, %0\n csrsi mstatus, 8" ::"r"(MTIE) : "memory");
}

void board_timer_stop(void) {
  __asm__ volatile("csrc mie, %0" ::"r"(MTIE) : "memory");
}
