/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The example's use of the sampler, of the counters, and of QEMU's clock.
 */
#include "measured.h"

#include "bareprof.h"
#include "bareprof_sampler.h"
#include "bareprof_semihosting.h"
#include "bareprof_values.h"
#include "board.h"

/* ---- the sampler ---- */

#ifndef PLACES
#define PLACES 4096
#endif

#ifdef PERIOD
#ifdef CALLERS
BAREPROF_SAMPLER_CHAIN(PLACES, CALLERS);

/* Symbols of the linker script: the stack lies between the two. */
extern unsigned char end[], stack_top[];
#else
BAREPROF_SAMPLER_TABLE(PLACES);
#endif

#ifdef __riscv
#define JUMP "j bareprof_sampler_interrupt"
#else
#define JUMP "b bareprof_sampler_interrupt"
#endif

/* Replaces the board's own function. */
__attribute__((naked)) void timer_interrupt(void) { __asm__ volatile(JUMP); }

void bareprof_sampler_timer(void) {
  board_timer_next(bareprof_sampler_interval());
}

static void start(void) {
#ifdef CALLERS
  bareprof_sampler_stack(end, stack_top);
#endif
  bareprof_sampler_start(PERIOD);
  board_timer_start(PERIOD, NULL);
}

static void stop(void) {
  bareprof_sampler_stop();
  board_timer_stop();
}
#else
static void start(void) {}
static void stop(void) {}
#endif

/* ---- instructions ---- */

#ifdef __riscv
/* The number is exact with QEMU's -icount shift=0. */
static uint32_t retired(void) {
  uint32_t count;
  __asm__ volatile("csrr %0, minstret" : "=r"(count)::"memory");
  return count;
}
#else
/* In QEMU the core's own counters do not count. With shift=6 an instruction
 * takes 64 ns: 1.6 ticks of a timer at 25 MHz, 1.28 ticks at 20 MHz
 * (mps2-an505, in secure state). The timer counts down. */
#if TIMER_HZ == 20000000
enum { TIMER = 0x50000000, FACTOR = 25, SHIFT = 5 };
#else
enum { TIMER = 0x40000000, FACTOR = 5, SHIFT = 3 };
#endif
#define TIMER_CONTROL (*(volatile uint32_t *)TIMER)
#define TIMER_VALUE (*(volatile uint32_t *)(TIMER + 4))
#define TIMER_RELOAD (*(volatile uint32_t *)(TIMER + 8))

static uint32_t retired(void) {
  if (TIMER_CONTROL == 0) {
    TIMER_RELOAD = TIMER_VALUE = UINT32_MAX;
    TIMER_CONTROL = 1;
  }
  return (uint32_t)((uint64_t)(UINT32_MAX - TIMER_VALUE) * FACTOR >> SHIFT);
}
#endif

static uint32_t begin;

void measured_begin(void) {
  start();
  begin = retired();
}

uint32_t measured_end(void) {
  uint32_t instructions = retired() - begin;
  stop();
  return instructions;
}

/* ---- the files that the program writes ---- */

#if defined(PERIOD) || defined(COUNTED)
static int save(const char *name, int (*write)(const struct bareprof_sink *)) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  int error = bareprof_semihosting_open(&file, name);
  if (error)
    return error;
  error = write(&sink);
  int close_error = bareprof_semihosting_close(&file);
  return error ? error : close_error;
}

static int judge(int error) {
  if (error == 0)
    return 0;
  board_puts(error < 0 ? "no profile: error -" : "no profile: error ");
  board_put_number(error < 0 ? 0u - (unsigned)error : (unsigned)error);
  board_puts(", see bareprof.h\n");
  return 1;
}
#endif

#ifdef PERIOD
int measured_save(const char *samples, const char *profile) {
  (void)profile;
  return judge(save(samples, bareprof_sampler_write));
}
#elif defined(COUNTED)
/* Records which functions the program's pointers reach. */
BAREPROF_VALUES(256, 8);

int measured_save(const char *samples, const char *profile) {
  (void)samples;
  return judge(save(profile, bareprof_write));
}
#else
int measured_save(const char *samples, const char *profile) {
  (void)samples, (void)profile;
  return 0;
}
#endif
