/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof: counts that survive a system reset, a watchdog reset, a fault, or
 * deep sleep with the RAM on.
 *
 * Link with -u bareprof_retained, or call bareprof_retained. bareprof_init (and
 * bareprof_preinit) then keeps the counters and bitmaps that it finds in RAM,
 * if they are sealed for exactly this build. Otherwise it initialises them as
 * always. RAM: the word behind the guard word, 8 bytes, which it shares with
 * -u bareprof_boot_number; with bareprof_note_reboot two pointers more. (If you
 * compile the files of runtime/ with your own sources, instead of the archive,
 * add those of runtime/retain/.)
 *
 * Checks: a hash of the build id and of all addresses in bareprof_running; no
 * counter, without its two highest bits (bareprof_fold.h), is above 2^56; a
 * counter of one byte holds 0 or 0xFF. Random contents pass once in 2^64 boots.
 * Counts of another build, whose counters end at the same address, pass once in
 * 2^32. An image without a build id keeps nothing. A boot that keeps the counts
 * also keeps the boot number, and goes on numbering its dumps.
 *
 * Your part:
 * - RAM: no start-up code may clear BAREPROF_RAM, no boot loader may use it
 *   (the boot loader's own counters need another place), and no debugger may
 *   fill it. In a region of its own, BAREPROF_RAM can lie in a bank that deep
 *   sleep retains, and can be protected: linker-scripts/README.md.
 * - Power loss: after a short power loss RAM may still hold most of its
 *   contents, including the seal. Read your chip's reset-cause register, and
 *   call bareprof_retain_forget() after a power-on or brown-out reset.
 * - ECC and parity: reading RAM that was never written may fault, and
 *   bareprof_init reads the seal. At a cold start, call
 *   bareprof_retain_forget() first: it only writes.
 * - Caches: a reset discards the contents of a write-back cache or a store
 *   buffer. Put the counters into tightly coupled or uncached memory.
 * - Counts in registers: with -fprofile-generate a loop keeps its count in a
 *   register until the loop ends. With -mllvm -do-counter-promotion=false each
 *   round is stored.
 * - A reset during an increment loses that count. A 32-bit core writes a 64-bit
 *   counter in two halves: if that increment carries, once in 2^32 counts, this
 *   counter may be 2^32 off.
 * - A reset during bareprof_merge leaves a part of the profile added. Merge
 *   only if bareprof_retained() is 0, otherwise the profile is counted twice.
 * - Dumps: a dump after a reset contains the counts of the dump before it. Take
 *   the last dump, do not add them up; or call bareprof_reset after each dump.
 *   After a reset during bareprof_reset, counting starts from zero.
 * - Temporal profiles: functions are numbered anew after each reset.
 * - Counters of 4 bytes may have any value, so only the seal tells counts from
 *   what decayed RAM holds; of other counters the top byte tells, too.
 *
 * A fault handler may call bareprof_write or bareprof_send, and then reset. The
 * handler needs a working stack, and a sink that waits for no interrupt.
 */
#ifndef BAREPROF_RETAIN_H
#define BAREPROF_RETAIN_H

#include "bareprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The result of the last bareprof_init: 1 if it kept the earlier counts, 0 if
 * it initialised. Only valid after bareprof_init. */
int bareprof_retained(void);

/* Breaks the seal, so that the next bareprof_init initialises. For a cold
 * start: call it before bareprof_init; with -u bareprof_preinit, before
 * .preinit_array is walked. Needs a stack only, not .data or .bss. Writes one
 * 64-bit word, reads none. */
void bareprof_retain_forget(void);

/* ---- what ran before a reset ----
 *
 * The first dump of a boot that kept the counts has what ran between the last
 * dump and the reset. Give that dump a name that begins with "reset: ", at the
 * start of main, before other code counts:
 *
 *     const char *name = bareprof_reboot_name("reset: by the watchdog");
 *     if (name)
 *       bareprof_send_name(&uart, BAREPROF_TEXT, name);
 *     bareprof_send(&uart, BAREPROF_TEXT);
 *
 * `bareprof report --before-reset` then shows the lines that ran before resets
 * alone. Without a call of these functions they take no byte. */

/* Notes why the firmware is about to be reset: for a fault handler, a
 * watchdog's early interrupt, an assertion. name: a text of the firmware's
 * constant data, which the next boot still has, such as "reset: HardFault"; of
 * bareprof_send_name's length. Writes a word and its check behind the guard,
 * which a later call replaces. May be called from any context, also before
 * bareprof_init. Calls nothing. */
void bareprof_note_reboot(const char *name);

/* The name of the dump after a reset. Call it after bareprof_init. Returns the
 * name that the boot before this one has noted, and forgets it; or, if that
 * noted none, `otherwise`, such as what the chip's reset-cause register means.
 * Returns NULL if this boot did not keep the counts of the one before: then
 * the seal is broken, and what RAM holds means nothing. */
const char *bareprof_reboot_name(const char *otherwise);

#ifdef __cplusplus
}
#endif
#endif
