/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lock behind -fprofile-update=atomic, for who wants to replace it.
 *
 * Code that interrupts or several cores run too loses counts, unless it is
 * compiled with -fprofile-update=atomic. A counter has 64 bits, which ARMv6-M,
 * v7-M, v8-M and 32-bit RISC-V cannot add to atomically; RISC-V without A and
 * ARMv6-M cannot set a bit of an MC/DC bitmap either. There the compiler calls
 * functions of these names, which libbareprof.a has:
 *
 *     __atomic_fetch_add_8, __atomic_fetch_or_1, __atomic_fetch_or_8
 *     __sync_fetch_and_add_8, __sync_val_compare_and_swap_8  (clang 13, 14)
 *
 * Each takes the lock below, does its few loads and stores, and releases it.
 * Nothing is to be configured: what is not called is not linked. If the
 * program has a libatomic whose operations its own code shares with these,
 * put that one first on the link line: two locks do not exclude each other.
 *
 * Which lock it is, is decided by what is linked:
 *
 * 1. Nothing said: the interrupt mask of the core (PRIMASK on Arm, mstatus.MIE
 *    on RISC-V), saved, set and restored. Exact on one core, between code and
 *    interrupts of any priority.
 * 2. bareprof-lock-spin.o, which `make lib` leaves beside the archive, on the
 *    link line: the same, and a spin lock. Exact on several cores that share
 *    memory. It costs 4 bytes of .bss; let no other core start before that is
 *    cleared, and count nothing before. For cores with A, or LDREX.
 * 3. Two functions of your own, always both: a chip's hardware spin lock, as
 *    on the RP2040, whose cores have no LDREX; an operating system's.
 *
 * What to know of 1 and 2:
 * - Privileged code only. In an unprivileged thread of a Cortex-M, cpsid is
 *   ignored without a fault: counts are lost as without the lock. In user or
 *   supervisor mode of RISC-V, the access to mstatus traps. Run such tasks
 *   privileged in the build that measures, or write a lock that asks the
 *   kernel; an SVC may do so from threads, not from handlers, which are
 *   privileged anyway.
 * - NMI and HardFault of a Cortex-M, and a RISC-V NMI, are not masked. If
 *   their handlers run counted code, a count may be lost, one in the code
 *   they interrupt; with the spin lock they may wait forever for it. Declare
 *   them __attribute__((no_profile_instrument_function)), or compile them
 *   without instrumentation, with what they call.
 * - A kernel that uses BASEPRI does not notice: PRIMASK is above it, and is
 *   put back as it was. But interrupts above the kernel's, which it never
 *   delays, are delayed too. If they run no counted code, spare them:
 *
 *       uintptr_t bareprof_atomic_lock(void) {
 *         uintptr_t old;
 *         __asm__ volatile("mrs %0, basepri\n msr basepri_max, %1"
 *                          : "=&r"(old) : "r"(LEVEL) : "memory");
 *         return old;
 *       }
 *       void bareprof_atomic_unlock(uintptr_t old) {
 *         __asm__ volatile("msr basepri, %0" :: "r"(old) : "memory");
 *       }
 *
 * - Interrupts are off for 8 instructions of a count on Arm and 13 on RISC-V,
 *   always the same few, without a loop; a count takes 20 and 37 in all, and
 *   24 and 32 bytes of stack. The spin lock adds its barriers, and waits with
 *   interrupts as they were.
 * - Memory order: whatever the caller asked for, an operation is sequentially
 *   consistent: on one core without any barrier, with the spin lock by the
 *   full barriers on both sides.
 * - A profile written while another core counts may show a carry from the low
 *   half of a counter half done, once in 2^32 counts.
 */
#ifndef BAREPROF_ATOMIC_H
#define BAREPROF_ATOMIC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps everybody else who counts away: other cores, and interrupts on this
 * one, until unlock, which gets what lock returned. Never nested: nothing is
 * called in between. Called from any context that counts, before main too.
 *
 * Who writes them: no instrumentation in either function or in what it calls,
 * else each count calls itself; no memory access of the caller may move
 * across, so asm needs a "memory" clobber and another core a barrier. Defined
 * in an object of the program they take the place of the archive's; only one
 * of them defined is a duplicate symbol at link time. */
uintptr_t bareprof_atomic_lock(void);
void bareprof_atomic_unlock(uintptr_t state);

#ifdef __cplusplus
}
#endif
#endif
