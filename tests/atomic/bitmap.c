/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * main and an interrupt set bits of the same MC/DC bitmap, the interrupt
 * after each of main's instructions in turn. Each time all bits must be set.
 */
#include "bareprof.h"
#include "common.h"
#include "profile/instr_prof_interface.h"
#include "sweep.h"

static char expected[16];

/* These calls are an independence pair of the first of three conditions. */
static void from_main(void) {
  decide(0, 0, 0);
  decide(1, 1, 0);
}

/* And with them this one that of the second; of the third, nothing does. */
static void from_interrupt(void) { decide(1, 0, 0); }

static int wrong(void) {
  unsigned difference = 0;
  const char *bits = __llvm_profile_begin_bitmap();
  for (unsigned i = 0; bits + i != __llvm_profile_end_bitmap(); i++)
    difference |= (unsigned)(bits[i] ^ expected[i]);
  return difference != 0;
}

int main(void) {
  const struct sweep all = {bareprof_reset, from_main, from_interrupt, wrong};
  const char *bits = __llvm_profile_begin_bitmap();

  from_main();
  from_interrupt();
  for (unsigned i = 0; bits + i != __llvm_profile_end_bitmap(); i++) {
    if (i == sizeof expected)
      return 1;
    expected[i] = bits[i];
  }
  struct sweep_result result = sweep(&all);
  print_result("bitmap", result.runs, result.wrong);
  return write_profile();
}
