/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The firmware: runs the logger and prints what came of it and how many
 * instructions that took. One source for all builds: with PERIOD, in ticks of
 * the board's timer, it is sampled and leaves logger.samples; compiled with
 * -fprofile-generate it leaves logger.profraw.
 *
 * The counters are set to 0 before main: the link has -u bareprof_preinit.
 */
#include "bareprof.h"
#include "bareprof_sampler.h"
#include "bareprof_semihosting.h"
#include "bareprof_values.h"
#include "board.h"
#include "logger.h"

/* For -fprofile-generate: which functions its pointers reach. */
BAREPROF_VALUES(64, 8);

enum { ROUNDS = 128 };

/* ---- the sampler ---- */

#ifdef PERIOD
BAREPROF_SAMPLER_TABLE(4096);

#ifdef __riscv
#define JUMP "j bareprof_sampler_interrupt"
#else
#define JUMP "b bareprof_sampler_interrupt"
#endif

/* In the place of the board's. */
__attribute__((naked)) void timer_interrupt(void) { __asm__ volatile(JUMP); }

void bareprof_sampler_timer(void) {
  board_timer_next(bareprof_sampler_interval());
}

static void start(void) {
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

/* ---- instructions: exact under -icount, the same in each run ---- */

#ifdef __riscv
/* With shift=0. */
static uint32_t retired(void) {
  uint32_t count;
  __asm__ volatile("csrr %0, minstret" : "=r"(count)::"memory");
  return count;
}
#else
/* No counter of the core's counts in QEMU. With shift=6 an instruction takes
 * 64 ns, 1.6 ticks of a timer at 25 MHz, which counts down. */
#define TIMER_CONTROL (*(volatile uint32_t *)0x40000000)
#define TIMER_VALUE (*(volatile uint32_t *)0x40000004)
#define TIMER_RELOAD (*(volatile uint32_t *)0x40000008)

static uint32_t retired(void) {
  if (TIMER_CONTROL == 0) {
    TIMER_RELOAD = TIMER_VALUE = UINT32_MAX;
    TIMER_CONTROL = 1;
  }
  return (uint32_t)((uint64_t)(UINT32_MAX - TIMER_VALUE) * 5 >> 3);
}
#endif

/* ---- what it leaves ---- */

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

static int save_profile(void) {
#ifdef PERIOD
  return save("logger.samples", bareprof_sampler_write);
#else
  if (bareprof_status() == BAREPROF_E_EMPTY)
    return 0;
  return save("logger.profraw", bareprof_write);
#endif
}

static void print(const char *what, uint32_t number) {
  board_puts(what);
  board_put_number(number);
}

int main(void) {
  start();
  uint32_t begin = retired();
  struct logger_result result = logger_run(ROUNDS);
  uint32_t instructions = retired() - begin;
  stop();

  print("telegrams ", result.telegrams);
  print(", records ", result.records);
  print(", errors ", result.errors);
  print(", checksum ", result.checksum);
  print("\ninstructions ", instructions);
  board_puts("\n");
  if (result.errors != ROUNDS / 16) {
    board_puts("wrong result\n");
    return 1;
  }
  int error = save_profile();
  if (error == 0)
    return 0;
  print(error < 0 ? "no profile: error -" : "no profile: error ",
        error < 0 ? 0u - (unsigned)error : (unsigned)error);
  board_puts(", see bareprof.h\n");
  return 1;
}
