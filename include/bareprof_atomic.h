/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The lock behind -fprofile-update=atomic, for users who want to replace it.
 *
 * Code that interrupts, other tasks or other cores run too loses counts, unless
 * it is compiled with -fprofile-update=atomic. A task that is preempted within
 * an increment still holds the old value. On resuming, it overwrites the
 * counter and discards every count that others made meanwhile, with an RTOS
 * during a whole time slice. A counter has 64 bits: ARMv6-M, v7-M, v8-M and
 * 32-bit RISC-V cannot add to it atomically. ARMv6-M, and RISC-V without A,
 * cannot set bits of an MC/DC bitmap either. For these cores the compiler calls
 * functions that libbareprof.a has:
 *
 *     __atomic_fetch_add_8, __atomic_fetch_or_1, __atomic_fetch_or_8
 *     __atomic_load_8, __sync_fetch_and_add_8, __sync_val_compare_and_swap_8
 *     (clang 13 and 14)
 *
 * For counters of 32 bits (`bareprof cc`), on ARMv6-M and RISC-V without A,
 * there are the same functions with 4 in the place of 8.
 *
 * Code that counts with 32 bits needs functions only on ARMv6-M and RISC-V
 * without A: __atomic_fetch_add_4, __sync_fetch_and_add_4,
 * __sync_val_compare_and_swap_4.
 *
 * Each function takes the lock below, does its few loads and stores, and
 * releases the lock. Functions that are not called are not linked. If the
 * program has a libatomic that its own code uses too, name libatomic first on
 * the link line: two locks do not exclude each other.
 *
 * The link line selects the lock:
 *
 * 1. Nothing added: the archive's lock. It saves, sets and restores the core's
 *    interrupt mask (PRIMASK on Arm, mstatus.MIE on RISC-V). Exact on one core,
 *    between code and interrupts of any priority.
 * 2. bareprof-lock-spin.o, which `make lib` leaves beside the archive: the mask
 *    and a spin lock. Exact on several cores that share memory. For RISC-V with
 *    A, and Arm with LDREX. The lock has 4 bytes of .bss: before .bss is
 *    cleared, count nothing, and start no other core.
 * 3. An object of your own with both functions: for a chip's hardware spin lock
 *    (the cores of the RP2040 lack LDREX), or for a kernel's lock.
 *
 * Notes on 1 and 2:
 * - They are for privileged code. In an unprivileged thread of a Cortex-M,
 *   cpsid does nothing and does not fault: counts are lost as without a lock.
 *   In user or supervisor mode of RISC-V, access to mstatus traps. In the build
 *   that measures, run these tasks privileged, or write a lock that asks the
 *   kernel. Handlers are privileged anyway: use SVC from threads only.
 * - Not masked: NMI and HardFault of a Cortex-M, NMI of RISC-V. If their
 *   handlers run counted code, some of these counts may be lost. With the spin
 *   lock they may wait forever for the code they interrupted. Give these
 *   handlers, and all functions they call,
 *   __attribute__((no_profile_instrument_function)).
 * - A kernel that uses BASEPRI is not affected, because PRIMASK is independent
 *   of BASEPRI. However, PRIMASK also delays interrupts that the kernel never
 *   delays. If these run no counted code, this lock spares them, on ARMv7-M and
 *   v8-M Mainline:
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
 * - For each count, interrupts are off for at most 14 instructions, without a
 *   loop. A count takes about 20 instructions in all on Arm and 40 on RISC-V,
 *   and 32 bytes of stack. The spin lock adds barriers. While it waits,
 *   interrupts keep the caller's state.
 * - clang instruments naked functions too (front end: 13 to 22; IR PGO: 13 to
 *   16). The call then destroys their link register, and a kernel's context
 *   switch hangs. Exempt each naked function by a line such as
 *   !fun:xPortPendSVHandler in the file of -fprofile-list=FILE, or compile its
 *   source file without instrumentation.
 * - Memory order: sequentially consistent, whatever the caller asked for. One
 *   core needs no barrier for this order; the spin lock has full barriers on
 *   both sides.
 * - If another core counts while a profile is written, the profile may show a
 *   half-done carry between the halves of a counter, once in 2^32 counts.
 */
#ifndef BAREPROF_ATOMIC_H
#define BAREPROF_ATOMIC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* lock excludes all other counting code, on other cores and in interrupts of
 * this core, until unlock gets the value that lock returned. The calls come in
 * pairs, and pairs never nest. They may come from any context that counts, also
 * before main.
 *
 * If you write your own: define both functions, otherwise the link fails with a
 * duplicate symbol. Do not instrument them or functions they call: a count
 * would call itself. No memory access of the caller may move across them: use a
 * "memory" clobber for the compiler, and barriers for other cores. */
uintptr_t bareprof_atomic_lock(void);
void bareprof_atomic_unlock(uintptr_t state);

#ifdef __cplusplus
}
#endif
#endif
