/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers of starts: a count in RAM that nothing initialises. Linked on
 * request; bareprof_init then asks for the number.
 */
#include "image.h"

/* bareprof.ld places it behind the guard word, which no start-up code clears
 * either. */
static uint32_t count __attribute__((section(".bareprof_start")));

/* For counters.c. */
uint32_t bareprof_start_number(void);

uint32_t bareprof_start_number(void) {
  volatile uint32_t *at = &count;
  uint32_t number = (*at + 1) & 0xFFFF;
  *at = number ? number : 1; /* 0 is for "cannot tell" */
  return *at;
}
