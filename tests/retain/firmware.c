/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs into one reset after the other and goes on counting: the machine's own,
 * a watchdog's where there is one, a fault, one in the middle of
 * bareprof_reset. Then tries the seal. A few words after the counters record
 * its progress; `run` judges the files and the text that it leaves.
 */
#include "bareprof_wire.h"
#include "bareprof_options.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "work.h"
#include "../uart_sink.h"

struct story {
  uint32_t starts;
  uint32_t ticks;
};

/* The linker script has them: the region of the counters with our story, and
 * where QEMU loads what another run had there. From there load() copies it:
 * QEMU does not load over a segment of the program. */
extern struct {
  unsigned char region[1024];
  volatile struct story told;
} retained, staged;
#define story retained.told

/* What `starts` is in RAM that comes from another run. */
enum { LOADED = 100 };

static const struct bareprof_image *const image = &bareprof_running;

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static void check(int holds, const char *condition, unsigned line) {
  if (holds)
    return;
  board_puts("failed: ");
  board_puts(condition);
  board_puts(", line ");
  board_put_number(line);
  board_puts(", start ");
  board_put_number(story.starts);
  board_puts("\n");
  bareprof_semihosting_exit(1);
}

/* ---- what it leaves ---- */

/* Counters of 4 bytes: only lean dumps. */
#ifdef PACKED
#define STATUS BAREPROF_E_PACKED
#define SENT BAREPROF_LEAN
#define SEND(sink, options) bareprof_send(sink, (options) | BAREPROF_LEAN)
#else
#define STATUS 0
#define SENT 0
#define SEND(sink, options) bareprof_write(sink)
#endif

static void save_profile(const char *name) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  CHECK(bareprof_semihosting_open(&file, name) == 0);
  CHECK(SEND(&sink, BAREPROF_BINARY) == 0);
  CHECK(bareprof_semihosting_close(&file) == 0);
}

static void save_memory(void) {
  struct bareprof_semihosting file;
  uint32_t starts = story.starts;
  story.starts = LOADED;
  CHECK(bareprof_semihosting_open(&file, "memory") == 0);
  CHECK(bareprof_semihosting_write(&file, &retained, sizeof retained) == 0);
  CHECK(bareprof_semihosting_close(&file) == 0);
  story.starts = starts;
}

/* ---- resets ---- */

static int all_are(const struct bareprof_span *span, unsigned char value) {
  for (const unsigned char *at = span->begin; at != span->end; at++)
    if (*at != value)
      return 0;
  return 1;
}

static int nothing_counted(void) {
  return all_are(&image->counters, BYTES ? 0xFF : 0) &&
         all_are(&image->bitmap, 0);
}

__attribute__((noreturn)) static void tick_on(void) {
  for (;;) {
    story.ticks++;
    tick();
#ifndef WATCHDOG
    if (story.ticks == 1000)
      board_reset();
#endif
  }
}

/* CMSDK: an NMI after a millisecond, and the reset a millisecond later. */
__attribute__((noreturn)) static void be_bitten(void) {
#ifdef WATCHDOG
  volatile uint32_t *watchdog = (volatile uint32_t *)WATCHDOG;
  watchdog[0xc00 / 4] = 0x1acce551; /* LOCK */
  watchdog[0] = 25000;
  watchdog[8 / 4] = 3; /* CTRL: interrupt, reset */
#endif
  tick_on();
}

/* Counters are cleared, and then it faults, where no memory is. */
#ifndef NOWHERE
#define NOWHERE 0xFFFFFFF0
#endif

static void be_reset_in_a_reset(void) {
  struct bareprof_image torn = *image;
  torn.bitmap.begin = (const unsigned char *)(uintptr_t)NOWHERE;
  torn.bitmap.end = torn.bitmap.begin + 8;
  bareprof_reset_image(&torn);
}

void board_fault(uintptr_t cause, uintptr_t pc) {
  const struct bareprof_sink uart = {to_uart, NULL};
  switch (story.starts) {
#ifdef WATCHDOG
  case 2:
    CHECK(cause == 2); /* NMI */
    tick_on();
#endif
  case 3:
    CHECK(bareprof_send(&uart, BAREPROF_TEXT | SENT) == 0);
    board_reset();
  case 4:
    CHECK(all_are(&image->counters, BYTES ? 0xFF : 0));
    board_reset();
  }
  board_puts("fault\n");
  (void)cause, (void)pc;
  bareprof_semihosting_exit(BOARD_FAULT_STATUS);
}

/* ---- the seal ---- */

/* Whether a start keeps the counts. If not there must be none. */
static int keeps(void) {
  bareprof_init();
  CHECK(bareprof_status() == STATUS);
  if (!bareprof_retained())
    CHECK(nothing_counted());
  return bareprof_retained();
}

static void try_seals(void) {
  CHECK(keeps());
  /* The upper half is the number of the start, what bareprof_retained says, and
   * the ordinal of the last dump: these are kept as they are. */
  for (uint64_t bit = 1; bit; bit += bit) {
    int number = bit >> 32 != 0;
    visit(0);
    *image->guard ^= bit;
    uint64_t kept = *image->guard << 16 >> 48;
    CHECK(keeps() == number);
    CHECK(!number || *image->guard << 16 >> 48 == kept);
    visit(0);
    CHECK(keeps() && !nothing_counted());
  }
  /* Behind the guard is what tells the build. */
  enum { HIGH = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
  volatile uint32_t *built = (volatile uint32_t *)(image->guard + 1) + HIGH;
  for (uint32_t bit = 1; bit; bit += bit) {
    visit(0);
    *built ^= bit;
    CHECK(!keeps());
    visit(0);
    CHECK(keeps() && !nothing_counted());
  }
  uint32_t random = 1;
  for (unsigned i = 0; i < 200; i++) {
    uint32_t upper = random = random * 1664525 + 1013904223;
    random = random * 1664525 + 1013904223;
    *image->guard = (uint64_t)upper << 32 | random;
    CHECK(!keeps());
  }
  *image->guard = 0;
  CHECK(!keeps());
  *image->guard = UINT64_MAX;
  CHECK(!keeps());
  visit(0);
  bareprof_retain_forget();
  CHECK(bareprof_status() == (STATUS ? STATUS : BAREPROF_E_NOT_INIT));
  CHECK(!keeps());
}

/* Counters that hold what cannot be a count; timestamps among bytes can. */
static void try_counters(void) {
#if defined PACKED
  uint32_t *at = (uint32_t *)(uintptr_t)image->counters.begin;
  CHECK(keeps());
  for (; at != (const uint32_t *)(const void *)image->counters.end; at++) {
    *at = 0x12345678;
    CHECK(keeps());
  }
#elif !defined STAMPS
  unsigned char *at = (unsigned char *)(uintptr_t)image->counters.begin;
  for (; at != image->counters.end; at += BYTES ? 1 : 8) {
    CHECK(keeps());
    if (BYTES)
      *at = 0x40;
    else
      *(uint64_t *)(uintptr_t)at = UINT64_C(1) << 56;
    CHECK(!keeps());
    if (BYTES)
      continue;
    *(uint64_t *)(uintptr_t)at = (UINT64_C(1) << 56) - 1;
    CHECK(keeps());
    *(uint64_t *)(uintptr_t)at = UINT64_MAX;
    CHECK(keeps());
    bareprof_reset();
  }
#endif
}

static void try_reset(void) {
  visit(0);
  bareprof_reset();
  CHECK(nothing_counted());
  CHECK(keeps() && nothing_counted());
  visit(0);
  CHECK(keeps() && !nothing_counted());
}

/* ---- the order of things ---- */

static void load(void) {
  __builtin_memcpy(&retained, &staged, sizeof retained);
  board_reset();
}

static void loaded(void) {
  board_puts(bareprof_retained() ? "kept\n" : "anew\n");
  CHECK(bareprof_retained() || nothing_counted());
  save_profile("loaded.profraw");
}

static void last_start(void) {
  CHECK(!bareprof_retained() && nothing_counted());
  try_seals();
  try_counters();
  try_reset();
  board_puts("done\n");
}

int main(void) {
#ifdef NO_ID
  if (story.starts++ == 0) {
    visit(0);
    board_reset();
  }
  CHECK(!bareprof_retained() && nothing_counted());
  board_puts("done\n");
  return 0;
#endif
  if (story.starts == 0 && staged.told.starts == LOADED)
    load();
  switch (story.starts++) {
  case 0: /* RAM of a machine just switched on: zeros. */
    CHECK(!bareprof_retained() && nothing_counted());
    visit(0);
    board_reset();
  case 1:
    CHECK(bareprof_retained());
    visit(1);
    be_bitten();
  case 2:
    CHECK(bareprof_retained());
    visit(2);
    crash();
  case 3:
    CHECK(bareprof_retained());
    visit(3);
    board_puts("ticks ");
    board_put_number(story.ticks);
    board_puts("\n");
    save_profile("counts.profraw");
    save_memory();
    be_reset_in_a_reset();
  case 4:
    last_start();
    return 0;
  case LOADED:
    loaded();
    return 0;
  }
  return 1;
}
