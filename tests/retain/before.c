/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Code that runs before resets. The firmware faults, is reset without a note,
 * is reset by its own hand, and finds notes and seals that are broken.
 */
#include "bareprof_options.h"
#include "bareprof_semihosting.h"
#include "bareprof_wire.h"
#include "board.h"
#include "controlled.h"
#include "../uart_sink.h"

/* The linker script has it: the region of the counters, and our story. */
extern struct {
  unsigned char region[1024];
  volatile uint32_t boots;
} retained;

/* As note.c has it, to damage it. */
extern volatile struct {
  const char *name;
  uintptr_t check;
} bareprof_note;

#define CHECK(condition) check((condition) != 0, #condition)

static void check(int holds, const char *condition) {
  if (holds)
    return;
  board_puts("failed: ");
  board_puts(condition);
  board_puts("\n");
  bareprof_semihosting_exit(1);
}

static const struct bareprof_sink uart = {to_uart, NULL};

static void dump(const char *name) {
  if (name)
    CHECK(bareprof_send_name(&uart, BAREPROF_TEXT, name) == 0);
  CHECK(bareprof_send(&uart, BAREPROF_TEXT) == 0);
}

void board_fault(uintptr_t cause, uintptr_t pc) {
  (void)cause, (void)pc;
  bareprof_note_reboot("reset: fault");
  board_reset();
}

/* A note, one of its bits inverted, and a reset by hand. */
__attribute__((noreturn)) static void reset_with(unsigned bit) {
  bareprof_note_reboot("reset: damaged");
  if (bit < 32)
    bareprof_note.name += (uintptr_t)1 << bit;
  else
    bareprof_note.check ^= (uintptr_t)1 << (bit - 32);
  board_reset();
}

__attribute__((noreturn)) static void brown_out(void) {
  bareprof_note_reboot("reset: before a brown-out");
  *bareprof_running.guard ^= 4;
  board_reset();
}

int main(void) {
  static const char watchdog[] = "reset: watchdog";
  unsigned boot = retained.boots++;
  const char *name = bareprof_reboot_name(watchdog);
  CHECK(bareprof_reboot_name(watchdog) == (name ? watchdog : NULL));
  if (boot < 4)
    dump(name);
  switch (boot) {
  case 0:
    CHECK(!name);
    control(50);
    dump(NULL);
    control(-1); /* healthy in boot 1 */
    drift();
  case 1:
    CHECK(name && name != watchdog);
    control(-1);
    dump(NULL);
    control(200);
    board_reset(); /* as a watchdog does */
  case 2:
    CHECK(name == watchdog);
    stall();
    board_reset();
  case 3:
    CHECK(name == watchdog);
    control(1);
    dump(NULL);
    board_reset();
  default:
    CHECK(name == watchdog);
    if (boot < 4 + 64)
      reset_with(boot - 4);
    brown_out();
  case 4 + 64 + 1:
    CHECK(!name);
  }
  board_puts("done\n");
  return 0;
}
