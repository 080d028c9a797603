/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Value profiling counts the functions that an indirect call reaches, the sizes
 * of memcpy and memset, and the classes that a virtual call meets (clang 19 and
 * later, -mllvm -enable-vtable-value-profiling). With values, -fprofile-use
 * promotes indirect calls to direct calls that can be inlined, and generates
 * code for the common sizes of memory operations.
 *
 * Objects compiled with -fprofile-generate call the two hooks below for each
 * value. You only reserve RAM, once, at file scope:
 *
 *     #include "bareprof_values.h"
 *     BAREPROF_VALUES(128, 8);
 *
 * Without that line the hooks do nothing, and the profile has no values. A slot
 * holds one value of one site. It takes 16 bytes of RAM on a 32-bit core (32 on
 * a 64-bit one), plus 8 (16) in all. Recommended: twice as many slots as sites
 * that run.
 *
 * The hooks:
 * - They never access the record that they get. The record may be in ROM or, in
 *   lean and correlated images, in the ELF only.
 * - A site's values are in at most `ways` neighbouring slots, which other sites
 *   may use too. On a Cortex-M3 a known value takes 36 instructions, plus 6 for
 *   each slot before its own; a new value with 8 ways takes 330 to 470.
 * - If all these slots are taken, a new value replaces the one of the lowest
 *   rank, with a probability of about 1 / rank. A value's rank is its count,
 *   plus the rank of the value that it replaced. So frequent values get a slot
 *   and keep it; rare values come and go. A value's count is how often it
 *   occurred since it got its slot.
 * - Interrupts of any priority, tasks and other cores may call the hooks at the
 *   same time. Every call ends. Cores without compare-and-swap (ARMv6-M, RISC-V
 *   without A) take the lock of bareprof_options.h for a few instructions. If a
 *   hook is interrupted, or overtaken by another core, in the few instructions
 *   between finding and updating its slot, it may lose one count, or credit it
 *   to the slot's new value. Measured with two cores that do little else: at
 *   most one count in 50,000.
 * - While a profile with values is written, bareprof_size runs, or values are
 *   sent, hooks return without recording. If this matters, dump while the code
 *   is at rest.
 * - Dumps may overlap, in interrupts, in tasks, on other cores. While the last
 *   of them is ending, no dump can begin: a dump in an interrupt or on another
 *   core returns BAREPROF_E_BUSY. bareprof_write returns this error before the
 *   first byte; bareprof_send may have sent the beginning, which the host
 *   cannot use.
 * - bareprof_reset() sets counts to 0. The values stay in the profile until
 *   others need their slots, as with clang's own runtime.
 * - On a 32-bit core a count stops at 2^31, and a function's sites after the
 *   65,536th are not recorded.
 *
 * In the profile, sizes of memory operations are grouped as LLVM does: sizes up
 * to 8 and powers of two up to 512 are exact. A size between two of these
 * becomes the lower one plus 1; a size above 512 becomes 513.
 */
#ifndef BAREPROF_VALUES_H
#define BAREPROF_VALUES_H

#include "bareprof.h"

BAREPROF_BEGIN_C

/* Defines the storage of this program, in C or C++. count: slots, up to 65,535
 * on a 32-bit core. ways: the most values of a site, 1 to 255, at most count; 8
 * suits most programs.
 *
 * BAREPROF_VALUES_AT puts the storage where you like: in RAM that other cores
 * share, or that survives a reset (bareprof_options.h):
 *
 *     BAREPROF_VALUES_AT(__attribute__((section(".noinit"))), 128, 8);
 *
 * If counts survive, nothing checks the slots: clear their RAM at each boot, or
 * put them into RAM that keeps its contents as long as BAREPROF_RAM does. */
#define BAREPROF_VALUES(count, ways) BAREPROF_VALUES_AT(, count, ways)
#define BAREPROF_VALUES_AT(where, count, ways) \
  BAREPROF_VALUES_MADE(where, count, ways)

/* The macro defines this object. Programs do not use it. */
extern const struct bareprof_values bareprof_values;

/* The hooks, which only measured code calls. site: the index of the site among
 * all value sites of the function. */
void __llvm_profile_instrument_target(uint64_t value, void *record,
                                      uint32_t site);
void __llvm_profile_instrument_memop(uint64_t size, void *record,
                                     uint32_t site);

BAREPROF_END_C

#include "bareprof_private.h"

#endif
