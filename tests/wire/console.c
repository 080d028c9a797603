/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The UART as a sink, and the reference by semihosting. Not instrumented, so
 * that a dump changes no count.
 */
#include "bareprof.h"
#include "bareprof_semihosting.h"
#include "board.h"
#include "parts.h"

#if defined(__riscv)
#define INTERRUPTS_OFF "csrci mstatus, 8"
#define INTERRUPTS_ON "csrsi mstatus, 8"
#elif __ARM_ARCH_PROFILE == 'M'
#define INTERRUPTS_OFF "cpsid i"
#define INTERRUPTS_ON "cpsie i"
#else /* No timer there. */
#define INTERRUPTS_OFF ""
#define INTERRUPTS_ON ""
#endif

int to_uart(void *context, const void *bytes, size_t size) {
  const char *next = bytes;
  if (context)
    __asm__ volatile(INTERRUPTS_OFF ::: "memory");
  while (size--) {
    board_putc(*next++);
    for (unsigned i = context ? 0 : 300; i; i--)
      __asm__ volatile("");
  }
  if (context)
    __asm__ volatile(INTERRUPTS_ON ::: "memory");
  return 0;
}

static void nothing(void) {}

void keep_qemu_awake(void) {
#ifdef TIMER_HZ
  board_timer_start(TIMER_HZ / 100, nothing);
#else
  (void)nothing;
#endif
}

int write_reference(const char *name) {
  struct bareprof_semihosting file;
  const struct bareprof_sink sink = {bareprof_semihosting_write, &file};
  if (bareprof_semihosting_open(&file, name))
    return 1;
  int error = bareprof_write(&sink);
  return bareprof_semihosting_close(&file) || error;
}
