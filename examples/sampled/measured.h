/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts the instructions of a part of a program, and takes samples of it, or
 * its counters, to compare builds. These options select a build:
 *   (nothing)        counts instructions only
 *   -DPERIOD=TICKS   also takes a sample every TICKS ticks of the board's timer
 *   -DCALLERS=N      stores up to N callers with each sample; the code needs
 *                    frame pointers
 *   -DPLACES=N       reserves room for N samples or, without CALLERS, for N
 *                    different samples (4096)
 *   -DCOUNTED        the program is compiled with -fprofile-generate; link it
 *                    with -u bareprof_preinit, which sets the counters to 0
 */
#ifndef MEASURED_H
#define MEASURED_H

#include <stdint.h>

/* Call each once, from main. measured_end returns the number of instructions in
 * between. The number is exact unless samples were taken, with -icount shift=0
 * on RISC-V, and with shift=6 on Cortex-M. */
void measured_begin(void);
uint32_t measured_end(void);

/* Writes the file samples or profile, whichever there is, on the host, or
 * prints an error. Returns the exit status for main. */
int measured_save(const char *samples, const char *profile);

#endif
