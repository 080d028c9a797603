/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lock behind -fprofile-update=atomic, for who wants to replace it.
 *
 * Code that interrupts, other tasks or other cores run too loses counts,
 * unless it is compiled with -fprofile-update=atomic: who is preempted within
 * an increment writes the old value back later, and what all others have
 * counted meanwhile is gone, with an RTOS a time slice of it. A counter has 64
 * bits, to which ARMv6-M, v7-M, v8-M and 32-bit RISC-V cannot add atomically;
 * ARMv6-M, and RISC-V without A, cannot set bits of an MC/DC bitmap either.
 * There the compiler calls these functions, which libbareprof.a has:
 *
 *     __atomic_fetch_add_8, __atomic_fetch_or_1, __atomic_fetch_or_8
 *     __sync_fetch_and_add_8, __sync_val_compare_and_swap_8 (clang 13 and 14)
 *
 * Each takes the lock below, does its few loads and stores, and releases it.
 * What is not called is not linked. If the program has a libatomic that its
 * own code uses too, name that one first on the link line: two locks do not
 * exclude each other.
 *
 * The lock is what the program is linked with:
 *
 * 1. Nothing: the archive's, the interrupt mask of the core (PRIMASK on Arm,
 *    mstatus.MIE on RISC-V), which is saved, set and restored. Exact on one
 *    core, between code and interrupts of any priority.
 * 2. bareprof-lock-spin.o, which `make lib` leaves beside the archive: the
 *    mask, and a spin lock. Exact on several cores that share memory. For
 *    RISC-V with A, and Arm with LDREX. It has 4 bytes of .bss: count
 *    nothing, and start no other core, before .bss is cleared.
 * 3. Both functions in an object of your own: for a chip's hardware spin
 *    lock, as the RP2040 has, whose cores lack LDREX, or a kernel's.
 *
 * What to know of 1 and 2:
 * - They are for privileged code. In an unprivileged thread of a Cortex-M,
 *   cpsid does nothing, without a fault: counts are lost as without a lock.
 *   In user or supervisor mode of RISC-V, mstatus traps. Run such tasks
 *   privileged in the build that measures, or write a lock that asks the
 *   kernel: by SVC from threads only, since handlers are privileged anyway.
 * - Not masked: NMI and HardFault of a Cortex-M, NMI of RISC-V. If their
 *   handlers run counted code, some of these counts may be lost, and with the
 *   spin lock they may wait forever for the code they interrupted. Give them
 *   __attribute__((no_profile_instrument_function)), with all they call.
 * - Of a kernel that uses BASEPRI nothing changes: PRIMASK is independent of
 *   it. But interrupts that the kernel never delays are delayed now. To spare
 *   those, if they run no counted code, on ARMv7-M and v8-M Mainline:
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
 * - Interrupts are off for at most 14 instructions of a count, without a loop.
 *   A count takes about 20 instructions in all on Arm and 40 on RISC-V, and
 *   32 bytes of stack. The spin lock has barriers besides; while it waits,
 *   interrupts are as they were.
 * - clang instruments naked functions too (front end: 13 to 22; IR PGO: 13 to
 *   16), and such a call destroys their link register: a kernel's context
 *   switch hangs. Exempt them by -fprofile-list=FILE with a line as
 *   !fun:xPortPendSVHandler for each, or compile their file without.
 * - Memory order: sequentially consistent, whatever the caller asked for. One
 *   core needs no barrier for that; the spin lock has full ones on both sides.
 * - A profile written while another core counts may show the carry between
 *   the halves of a counter half done, once in 2^32 counts.
 */
#ifndef BAREPROF_ATOMIC_H
#define BAREPROF_ATOMIC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* lock keeps away who else counts, other cores and the interrupts of this
 * one, until unlock gets what lock returned. They come in pairs, never one
 * pair within another, from any context that counts, also before main.
 *
 * If you write them: always both, or the link ends in a duplicate symbol. No
 * instrumentation, neither of them nor of what they call: a count would call
 * itself. No memory access of the caller may move across: a "memory" clobber
 * for the compiler, barriers for other cores. */
uintptr_t bareprof_atomic_lock(void);
void bareprof_atomic_unlock(uintptr_t state);

#ifdef __cplusplus
}
#endif
#endif
