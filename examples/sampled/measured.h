/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How many instructions a piece of a program takes, and samples of it, or its
 * counters: what builds of it are compared by. One source for all builds:
 *   (nothing)        it is measured only
 *   -DPERIOD=TICKS   and sampled, that many ticks of the board's timer apart
 *   -DCALLERS=N      samples are with up to N callers; of code that has frame
 *                    pointers
 *   -DPLACES=N       room for so many samples or, without CALLERS, for so many
 *                    that are different (4096)
 *   -DCOUNTED        the program is compiled with -fprofile-generate; link it
 *                    with -u bareprof_preinit, which sets the counters to 0
 */
#ifndef MEASURED_H
#define MEASURED_H

#include <stdint.h>

/* Once each, from main. measured_end returns how many instructions there were
 * in between; exact under -icount shift=0 on RISC-V, on Cortex-M shift=6,
 * unless it was sampled. */
void measured_begin(void);
uint32_t measured_end(void);

/* Writes the file samples or profile, whichever there is, on the host; or says
 * what went wrong. Returns the status that main ends with. */
int measured_save(const char *samples, const char *profile);

#endif
