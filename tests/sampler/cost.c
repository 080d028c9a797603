/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Instructions of a sample, exact under -icount: by minstret at shift 0, by
 * SysTick at shift 6, where 1.6 ticks are an instruction. Each kind REPEATS
 * times, less a call that does nothing. Prints `KIND TICKS`.
 */
#include <stdbool.h>

#include "bareprof_sampler.h"
#include "board.h"

ROOM;

enum { REPEATS = 32 };

void timer_interrupt(void) {}
void bareprof_sampler_timer(void) {}

#ifdef __riscv
static uint32_t now(void) {
  uint32_t count;
  __asm__ volatile("csrr %0, minstret" : "=r"(count)::"memory");
  return count;
}
#else
/* SYST_CVR counts down. */
static uint32_t now(void) { return 0 - *(volatile uint32_t *)0xe000e018; }
#endif

__attribute__((noinline)) static void nothing(uintptr_t pc, uintptr_t lr,
                                              uintptr_t fp) {
  __asm__ volatile("" ::"r"(pc), "r"(lr), "r"(fp));
}

static void (*volatile none)(uintptr_t, uintptr_t, uintptr_t) = nothing;
static void (*volatile take)(uintptr_t, uintptr_t,
                             uintptr_t) = bareprof_sampler_take;

static uint32_t sum;

__attribute__((noinline)) static void measure(uintptr_t pc, uintptr_t lr) {
  uint32_t begin = now();
  take(pc, lr, 0);
  uint32_t end = now();
  none(pc, lr, 0);
  sum += (2 * end - begin - now()) & 0xFFFFFF;
}

static void say(const char *kind) {
  board_puts(kind);
  board_putc(' ');
  board_put_number(sum);
  board_putc('\n');
  sum = 0;
}

/* Of the pair that is measured; and whether the row of its PC without LR is
 * full, too. */
static uintptr_t link;
static bool both;

/* The known pairs before it are those of the same row: a place's number does
 * not depend on the highest bit of a PC. */
static void kind(const char *name, unsigned known, unsigned which) {
  for (unsigned i = 0; i < REPEATS; i++) {
    bareprof_sampler_reset();
    for (unsigned other = 0; other < known; other++)
      take(0x1000 + 2 * i + 0x10000000 * other, link, 0);
    for (unsigned other = 0; both && other < known; other++)
      take(0x1000 + 2 * i + 0x10000000 * (8 + other), 0, 0);
    measure(0x1000 + 2 * i + 0x10000000 * which, link);
  }
  say(name);
}

/* Pairs that take up half of the table: eight functions for three callers
 * each, of which any instruction may be running. */
static void typical(void) {
  uint32_t random = 1;
  uint32_t total = 0;
  bareprof_sampler_reset();
  for (unsigned i = 0; i < 64 * REPEATS; i++) {
    random = random * 1664525u + 1013904223u;
    uintptr_t function = 0x4000 + 200 * (random >> 29);
    uintptr_t caller = 0x6001 + 0x40 * ((random >> 24 & 15) % 3);
    measure(function + 4 * (random >> 8 & 15), caller);
    total += sum;
    sum = 0;
  }
  sum = total / 64;
  say("average");
}

int main(void) {
  board_timer_start(1 << 24, NULL);
  for (unsigned i = 0; i < REPEATS; i++)
    measure(1, 2);
  say("stopped");
  bareprof_sampler_start(1);
  typical();
  kind("first", 1, 0);
  kind("second", 2, 1);
  kind("third", 3, 2);
  kind("fourth", 4, 3);
  kind("new", 0, 0);
  kind("new-fourth", 3, 3);
  kind("full", 4, 4);
  link = 0x2001;
  kind("without", 4, 4);
  both = true;
  kind("lost", 4, 4);
  link = 0;
  bareprof_sampler.state->level = 2;
  for (unsigned i = 0; i < REPEATS; i++)
    measure(1, 2);
  say("within");
  return 0;
}
