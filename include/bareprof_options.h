/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Options of the runtime. An option is linked only if you call its functions,
 * or use the linker option that its paragraph names. docs/reference/options.md
 * says what each needs from your board and your build, and what it costs.
 */
#ifndef BAREPROF_OPTIONS_H
#define BAREPROF_OPTIONS_H

#include "bareprof.h"

BAREPROF_BEGIN_C

/* ---- counts that survive a reset ----
 *
 * Link with -u bareprof_retained; a call of a function of this section has the
 * same effect. bareprof_init then keeps the counters and bitmaps that it finds
 * in RAM, if the seal in the same RAM proves that they are from exactly this
 * build, and if they are plausible. Otherwise bareprof_init initialises them as
 * always, and always without a build id (--build-id) or without bareprof.ld. No
 * start-up code may clear BAREPROF_RAM, and no write-back cache may hold it,
 * because a reset discards the cache. */

/* Returns 1 if the last bareprof_init kept the earlier counts, 0 if it
 * initialised them. Only valid after bareprof_init. Call bareprof_init once a
 * boot: a second call keeps the counts of this boot, and the result is 1. */
int bareprof_retained(void);

/* Breaks the seal: until the next bareprof_init, which initialises the
 * counters, dumps return E_NOT_INIT. Use it for a cold start, after which RAM
 * is undefined: call it before bareprof_init (with -u bareprof_preinit, before
 * the start-up code walks .preinit_array). It needs a stack, no .data or .bss,
 * and only writes, one 64-bit word. With bareprof-relocate.o, call it after
 * bareprof_relocate, and then call bareprof_init again. */
void bareprof_retain_forget(void);

/* Notes why the firmware is about to reboot: for a fault handler, a watchdog's
 * early interrupt, an assertion. name: a string constant of the firmware, which
 * the next boot still has, such as "reset: HardFault"; at most 200 bytes, not
 * NULL. Writes two pointers after the guard; a later call replaces them. May be
 * called from any context, also before bareprof_init, but not before
 * bareprof_relocate if the counters move. Calls no other function. */
void bareprof_note_reboot(const char *name);

/* Returns the name for the first dump of a boot that kept its counts, so that
 * `bareprof report --before-reset` can show what ran before the reset:
 *
 *     const char *name = bareprof_reboot_name("reset: by the watchdog");
 *     if (name)
 *       bareprof_send_name(&uart, BAREPROF_TEXT, name);
 *     bareprof_send(&uart, BAREPROF_TEXT);
 *
 * Call it once after bareprof_init, before other code counts. Returns the
 * constant that the boot before this one has noted, and deletes the note. If
 * that boot noted no name, returns `otherwise`, which may be the meaning of the
 * chip's reset-cause register. Returns NULL if this boot kept no counts. A boot
 * that ends before this call, without a note of its own, leaves the note of the
 * boot before it. */
const char *bareprof_reboot_name(const char *otherwise);

/* ---- counts beyond 2^32 of code that counts with 32 bits ---- */

/* Objects of `bareprof cc --counters=32-atomic` count in the lower half of
 * their 64-bit counters. bareprof_fold notices that a lower half has wrapped,
 * and adds the carry to the upper half: counts are exact up to 2^62-1. A 4-byte
 * counter (32-packed) has no upper half: above 2^31 its count becomes "at least
 * 2^31". If you never call bareprof_fold, counters are modulo 2^32, and each
 * dump of bareprof_send says so; the profile of bareprof_write cannot.
 *
 * Call it, in a timer's interrupt or a task, so often that no counter counts
 * more than 2^31 times from the start of one call to the end of the next, nor
 * between bareprof_init, bareprof_reset or bareprof_merge and the next call. If
 * increments are not atomic, the limit is 2^27, because a call that interrupts
 * an increment misses this counter. A call each second is safe up to 10^8
 * counts a second. If calls are too rare, a counter may be 2^32 too low;
 * nothing reports it.
 *
 * Does nothing for byte counters, and before bareprof_init. Code may count
 * meanwhile, in interrupts and on other cores. For each counter it takes 6 to 9
 * instructions on a 32-bit core, and some 15 more if there is something to do.
 * Stack: 24 bytes.
 *
 * Call it in any context that may read and write the counters; with
 * bareprof-relocate.o after .data is set. A call may interrupt bareprof_fold,
 * _write, _send, _merge and _reset, but not bareprof_relocate. On another core,
 * it may overlap with bareprof_fold, _write and _send. None of bareprof_init,
 * _reset and _merge may interrupt it, or run on another core meanwhile. */
void bareprof_fold(void);

/* ---- counters in another RAM than the linked one ---- */

/* For external RAM that works only after its controller is set up, or backup
 * RAM that a boot loader hands over. If the address is known at link time, use
 * REGION_ALIAS instead. Name bareprof-relocate.o on the link line, compile
 * every object with -mllvm -runtime-counter-relocation, and call, before the
 * first measured function runs:
 *
 *     if (bareprof_relocate((void *)0x60000000, 0x4000))
 *       bareprof_init();
 *
 * Moves counters, bitmaps and guard word to ram, and sets their initial value
 * there, as bareprof_init does. Call it once, after .data and .bss are set.
 * Before the call the running image is empty: bareprof_init does nothing, and
 * dumps return E_NO_BOUNDS. Measure neither the caller nor the caller's
 * callers. During the call no interrupt may run measured code or a function of
 * the runtime. ram: aligned to 8, size at least bareprof_relocate_size() bytes,
 * reserved from then on. Writes whole, aligned 64-bit words. Reads guard, seal
 * and counters if counts are retained, and the count of boots with
 * -u bareprof_boot_number.
 *
 * Returns 0 if done. BAREPROF_E_NOT_MOVABLE: no object was compiled with the
 * option, or there are bitmaps from a clang before 20. E_NO_ROOM: ram is NULL,
 * not aligned, or too small. After an error nothing was moved, and
 * bareprof_init() initialises the counters at their linked place. */
int bareprof_relocate(void *ram, size_t size);

/* Returns the number of bytes that bareprof_relocate needs: counters, bitmaps,
 * and up to 16 bytes and two pointers more. Reads no memory. */
size_t bareprof_relocate_size(void);

/* ---- the lock of -fprofile-update=atomic ----
 *
 * Where a core cannot add 64 bits atomically, clang calls functions that the
 * archive has. They take this lock. The lock in the archive masks interrupts,
 * so counts are exact on one core. For several cores, put bareprof-lock-spin.o
 * on the link line. Or define both functions, to use the hardware lock of a
 * chip or the lock of a kernel.
 *
 * lock excludes all other counting code, on other cores and in interrupts of
 * this core, until unlock gets the value that lock returned. The calls come in
 * pairs, never nested, from any context that counts, also before main. If you
 * define the functions, do not measure them or functions that they call: a
 * count would call itself. No memory access of the caller may move across them:
 * use a "memory" clobber for the compiler, and barriers for other cores.
 * docs/reference/options.md has the limits of the two locks, such as
 * unprivileged code, NMIs, and the time before .bss is cleared. */
uintptr_t bareprof_atomic_lock(void);
void bareprof_atomic_unlock(uintptr_t state);

BAREPROF_END_C
#endif
