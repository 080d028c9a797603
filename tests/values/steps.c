/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a call of a hook takes on a board, summed up over REPEATS of each
 * kind: by minstret, or by SysTick, which under -icount counts instructions
 * as well. Prints `KIND TICKS`; first TICKS a second, or 0 for instructions.
 * Also whether counts and sites end where the header says.
 */
#include "print.h"
#include "table.h"

BAREPROF_VALUES(64, 8);

enum { REPEATS = 32, VALUE = 0x1000 };

#ifdef __riscv
enum { TICKS_A_SECOND = 0 };
static void start(void) {}
static uint32_t now(void) {
  uint32_t count;
  __asm__ volatile("csrr %0, minstret" : "=r"(count)::"memory");
  return count;
}
#else
enum { TICKS_A_SECOND = TIMER_HZ, MOST = 1 << 24 };
static void ignore(void) {}
static void start(void) { board_timer_start(MOST, ignore); }
/* SYST_CVR counts down. */
static uint32_t now(void) { return MOST - *(volatile uint32_t *)0xe000e018; }
#endif

static void nothing(uint64_t value, void *record, uint32_t site) {
  __asm__ volatile("" ::"r"((uintptr_t)value), "r"(record), "r"(site));
}

typedef void (*volatile hook_t)(uint64_t, void *, uint32_t);
static hook_t none = nothing;
static hook_t memop = __llvm_profile_instrument_memop;

static void one_repeat(hook_t *hook, unsigned known, uint64_t value,
                       uint32_t *sum) {
  table_clear();
  for (unsigned i = 0; i < known; i++)
    see(0, 0, VALUE + i);
  start();
  uint32_t begin = now();
  (*hook)(value, &records[0], 0);
  uint32_t end = now();
  (*none)(value, &records[0], 0);
  *sum += 2 * end - begin - now();
}

static void kind(const char *name, hook_t *hook, unsigned known,
                 uint64_t value) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < REPEATS; i++)
    one_repeat(hook, known, value, &sum);
  print(name, sum);
}

/* All of the window is there more often than once: most newcomers go. */
static void one_refused(void) {
  uint32_t sum = 0;
  table_clear();
  for (unsigned i = 0; i < 8; i++)
    for (unsigned times = 20000; times; times--)
      see(0, 0, VALUE + i);
  start();
  for (unsigned i = 0; i < REPEATS; i++) {
    uint32_t begin = now();
    (*table_hook)(1, &records[0], 0);
    uint32_t end = now();
    (*none)(1, &records[0], 0);
    sum += 2 * end - begin - now();
  }
  print("refused", sum);
}

static void limits(void) {
  table_clear();
  see(0, 0, VALUE);
  for (uint32_t i = 0; i < bareprof_values.count; i++)
    if (bareprof_values.slots[i].owner)
      bareprof_values.slots[i].count = 0x7FFFFFFE;
  for (unsigned times = 9; times; times--)
    see(0, 0, VALUE);
  print("limit-count", table_count(0, 0, VALUE));
  see(0, 65535, VALUE);
  see(0, 65536, VALUE);
  see(0, 65537, VALUE);
  print("limit-sites", table_used());
}

int main(void) {
  print("ticks-a-second", TICKS_A_SECOND);
  print("repeats", REPEATS);
  kind("hit-1", &table_hook, 4, VALUE);
  kind("hit-2", &table_hook, 4, VALUE + 1);
  kind("hit-4", &table_hook, 4, VALUE + 3);
  kind("free", &table_hook, 4, VALUE + 4);
  kind("replaced", &table_hook, 8, VALUE + 8);
  one_refused();
  table_clear();
  uint32_t sum = 0;
  for (unsigned i = 0; i <= REPEATS; i++) {
    start();
    uint32_t begin = now();
    (*memop)(100, &records[0], 0);
    uint32_t end = now();
    (*none)(100, &records[0], 0);
    sum += i ? 2 * end - begin - now() : 0;
  }
  print("memop", sum);
  limits();
  return 0;
}
