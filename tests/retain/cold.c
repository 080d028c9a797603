/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A power-on of a board whose RAM has error correction: no byte in the region
 * of the counters was written, and ecc.c watches. Firmware makes all other
 * calls after bareprof_init, which bareprof_preinit has called; or, with
 * -DFORGET, after bareprof_retain_forget, as after a cold start.
 */
#include "bareprof_options.h"
#include "bareprof_semihosting.h"
#include "bareprof_wire.h"
#include "board.h"
#include "work.h"

static int discard(void *context, const void *bytes, size_t size) {
  (void)context, (void)bytes, (void)size;
  return 0;
}

static const struct bareprof_sink nowhere = {discard, NULL};

static int dump(void) {
#ifndef PACKED
  if (bareprof_status() || bareprof_write(&nowhere))
    return 1;
#endif
  return bareprof_send(&nowhere, BAREPROF_TEXT | BAREPROF_LEAN);
}

void board_fault(uintptr_t cause, uintptr_t pc) {
  (void)cause, (void)pc;
  bareprof_semihosting_exit(1);
}

int main(void) {
#ifdef FORGET
  bareprof_retain_forget();
  bareprof_init();
  if (bareprof_reboot_name("reset: not here") || bareprof_retained())
    return 1;
#endif
  for (unsigned i = 0; i < 4; i++)
    visit(i);
  if (dump())
    return 1;
  bareprof_reset();
  visit(0);
#ifdef FORGET
  bareprof_note_reboot("reset: by hand");
#endif
  return dump();
}
