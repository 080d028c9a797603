/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_options.h: counts that survive a reset. Link with -u
 * bareprof_retained.
 */
#include "bareprof_options.h"
#include "bareprof_wire.h"

#include "api.h"

/* For a cold start, after which RAM is undefined: in place of bareprof_init. */
void init_after_power_on(void) {
  bareprof_retain_forget();
  bareprof_init();
}

/* Dumps the counts of the previous boot, if they survived the reset. */
int dump_earlier(void) {
  int kept = bareprof_retained();
  if (!kept)
    return 0;
  int error = bareprof_write(&uart);
  bareprof_reset(); /* Later dumps have only the counts of this boot. */
  return error;
}

/* At the start of main: sends the counts before the reset, and the reset's
 * name. */
void dump_before_reset(void) {
  const char *name = bareprof_reboot_name("reset: by the watchdog");
  if (name)
    bareprof_send_name(&uart, BAREPROF_TEXT, name);
  bareprof_send(&uart, BAREPROF_TEXT);
}

/* For a fault handler, before it resets the chip. */
void note_fault(void) { bareprof_note_reboot("reset: HardFault"); }
