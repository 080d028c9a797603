/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Measures the cost of instrumentation for the store (loads/store.h): prints
 * its result and the number of instructions, or of ticks under -icount. All
 * images have the same runtime, so that they differ by their sleds alone.
 */
#include "bareprof.h"
#include "bareprof_mip.h"
#include "bareprof_semihosting.h"
#include "board.h"
#ifdef LOAD
#include "forms.h"
static uint32_t run(void) {
  work();
  return work_result();
}
#else
#include "store.h"
#define run work
#endif

#ifdef ROOM
BAREPROF_MIP_ROOM(ROOM);
#endif
#ifndef INTERVAL
#define INTERVAL 64
#endif
BAREPROF_MIP_SAMPLED(512, INTERVAL);

#if defined(__riscv) /* shift=0 */
static uint32_t now(void) {
  unsigned long count;
  __asm__ volatile("csrr %0, minstret" : "=r"(count)::"memory");
  return (uint32_t)count;
}
static void begin(void) {}
#elif defined(__aarch64__)      /* shift=0 */
static uint32_t now(void) {
  uint64_t count;
  __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(count)::"memory");
  return (uint32_t)count;
}
static void begin(void) {
  __asm__ volatile(
      "msr pmcr_el0, %0\n msr pmcntenset_el0, %1" ::"r"(UINT64_C(1)),
      "r"(UINT64_C(1) << 31));
}
#elif __ARM_ARCH_PROFILE == 'A' /* shift=0 */
static uint32_t now(void) {
  uint32_t count;
  __asm__ volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(count)::"memory");
  return count;
}
static void begin(void) {
  __asm__ volatile(
      "mcr p15, 0, %0, c9, c12, 0\n mcr p15, 0, %1, c9, c12, 1" ::"r"(1),
      "r"(1u << 31));
}
#elif defined LOAD              /* the timer of mps2, at shift=6: ticks */
#define TIMER ((volatile uint32_t *)0x40000000)
static uint32_t now(void) { return UINT32_MAX - TIMER[1]; }
static void begin(void) {
  TIMER[2] = TIMER[1] = UINT32_MAX;
  TIMER[0] = 1;
}
#else /* SysTick, at shift=6: ticks, up to 2^24 */
#define SYSTICK ((volatile uint32_t *)0xE000E010)
static uint32_t now(void) { return 0xFFFFFF - SYSTICK[2]; }
static void begin(void) {
  SYSTICK[1] = 0xFFFFFF;
  SYSTICK[2] = 0;
  SYSTICK[0] = 5;
  while (!SYSTICK[2])
    continue;
}
#endif

/* What was recorded, if anything. */
static int save(void) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (!bareprof_mip_size())
    return 0;
  int error = bareprof_semihosting_open(&file, "mip.mipraw");
  if (!error)
    error = bareprof_mip_write(&sink);
  return bareprof_semihosting_close(&file) || error;
}

int main(void) {
  bareprof_mip_init();
  bareprof_init();
  begin();
  uint32_t before = now();
  uint32_t result = run();
  uint32_t after = now();
  board_put_number(result);
  board_putc(' ');
  board_put_number(after - before);
  board_putc('\n');
  return save();
}
