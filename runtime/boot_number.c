/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts boots in the word after the guard word, which nothing initialises. The
 * linker option -u bareprof_boot_number links this file. bareprof_init
 * (counters.c) then stores the number in the guard's upper half (image.h).
 */
#include "image.h"
#include "weak_hooks.h"

BAREPROF_LINKS_DATA(bareprof_boot_word);

/* For counters.c. Counts a boot in the boot word's lower half (image.h).
 * Returns the number, which has 16 bits, or 0 without a guard word. */
uint32_t bareprof_boot_number(void);

uint32_t bareprof_boot_number(void) {
  volatile bareprof_any64 *at = bareprof_running.guard;
  uint32_t number = 0; /* 0 means that the number is not known */
  if (at++) {
    number = (uint16_t)(*at + 1);
    number += !number;
    *at = *at >> 32 << 32 | number;
  }
  return number;
}
