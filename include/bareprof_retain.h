/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof: counts that survive a reset. A system reset, a watchdog's bite, a
 * fault, deep sleep with the RAM on: what was counted before is not lost.
 *
 * Link with -u bareprof_retained, or call it: bareprof_init (and
 * bareprof_preinit) then keeps the counters and bitmaps that it finds in RAM,
 * if they are sealed for exactly this build, and initialises them else, as it
 * always does. Nothing else changes, and no RAM is added: the seal is the
 * guard word. (With the files of runtime/ among your own sources, in place of
 * the archive, add runtime/retain/retain.c.)
 *
 * What is checked: a hash of the build id and of the addresses of all that
 * bareprof_running describes; that no counter is beyond 2^56, which no program
 * reaches, and that a counter of one byte holds 0 or 0xFF. Random contents
 * pass once in 2^47 starts, counts of another build whose counters end at the
 * same address once in 2^15. An image without a build id keeps nothing. A start
 * that keeps the counts keeps the number of the start, too.
 *
 * What you see to:
 * - The RAM. No start-up code may clear BAREPROF_RAM, no boot loader use it
 *   (its own counters need a place of their own), no debugger fill it. In a
 *   region of its own it can lie in a bank that deep sleep retains, and be
 *   protected: linker-scripts/README.md.
 * - Power loss. RAM that was without power for a moment may hold most of what
 *   it did, the seal too. Your chip's reset-cause register knows: call
 *   bareprof_retain_forget() after a power-on or brown-out reset.
 * - ECC and parity. Reading RAM that was never written may fault, and
 *   bareprof_init reads the seal: call bareprof_retain_forget() first at a
 *   cold start, which only writes.
 * - Caches. What a write-back cache or a store buffer holds is lost in a
 *   reset. Put the counters into tightly coupled or uncached memory.
 * - Counts in registers. With -fprofile-generate a loop keeps its count in one
 *   until it ends; -mllvm -do-counter-promotion=false has each round stored.
 * - An increment that the reset interrupts is lost. A 64-bit counter of a
 *   32-bit core is written in two halves: if just that increment carries, once
 *   in 2^32 counts, that one counter may be 2^32 off.
 * - A reset in the middle of bareprof_merge leaves a part of it added. Merge
 *   only where bareprof_retained() is 0, or what you merge is counted twice.
 * - Dumps. One after a reset contains the one before it: take the last, do not
 *   add them up; or call bareprof_reset when one has been sent. A reset in the
 *   middle of bareprof_reset leads to a start anew.
 * - Temporal profiles: functions are numbered anew after each reset.
 *
 * A fault handler may call bareprof_write or bareprof_send, and reset then. It
 * needs a stack that works, and a sink that waits for no interrupt.
 */
#ifndef BAREPROF_RETAIN_H
#define BAREPROF_RETAIN_H

#include "bareprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the last bareprof_init did: 1, it kept the counts of before; 0, it
 * initialised. Only valid after it. */
int bareprof_retained(void);

/* Breaks the seal, so that the next bareprof_init initialises. For a cold
 * start: call it before bareprof_init, where -u bareprof_preinit calls that
 * before .preinit_array is walked. Needs a stack only, not .data or .bss.
 * Writes one 64-bit word, reads none. */
void bareprof_retain_forget(void);

#ifdef __cplusplus
}
#endif
#endif
