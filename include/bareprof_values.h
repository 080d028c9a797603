/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Value profiling: which functions an indirect call reaches, how long the
 * blocks are that memcpy and memset move, which classes a virtual call meets
 * (clang 19 and later, -mllvm -enable-vtable-value-profiling). With that,
 * -fprofile-use promotes indirect calls to direct ones that can be inlined,
 * and gives the common sizes of memory operations code of their own.
 *
 * Objects compiled with -fprofile-generate call the two hooks below for each
 * such value. All that you do is to give them RAM, once, at file scope:
 *
 *     #include "bareprof_values.h"
 *     BAREPROF_VALUES(128, 8);
 *
 * Without that line the hooks do nothing, and the profile has no values.
 *
 * What it costs: 16 bytes of RAM a slot on a 32-bit core (32 on a 64-bit
 * one), 8 bytes besides, and nothing of the compiler's own pools, which the
 * linker scripts keep off the target. A slot holds one value of one site.
 * Most sites see one or two: twice as many slots as sites that run is plenty.
 *
 * What the hooks do, and do not:
 * - They never touch the record that they are handed. It may be in ROM, or,
 *   in lean and correlated images, in the ELF only.
 * - A site's values are in `ways` neighbouring slots at most, which other
 *   sites may use too. So a call looks at `ways` slots, never more. On a
 *   Cortex-M3 a known value takes 36 instructions, and 6 for each slot before
 *   its own; a new one with 8 ways 330 to 470.
 * - When all of them are taken, a new value replaces the least counted one,
 *   with a probability of about one in that one's count. So values that come
 *   again and again get in and stay, rare ones come and go. A value's count
 *   is how often it was seen since it got its slot: never more than there
 *   were, but for what the next point says.
 * - Interrupts of any priority, tasks and other cores may call the hooks at
 *   the same time. No slot is lost, and every call ends. Cores without
 *   compare-and-swap (ARMv6-M, RISC-V without A) take bareprof_atomic.h's
 *   lock for a few instructions. What may happen: who is interrupted, or
 *   overtaken by another core, after finding its slot, and that slot is freed
 *   or given to another value meanwhile, loses its one count, or has it go to
 *   that value. A slot is freed only when two have taken one each for the
 *   same new value: with two cores that do little else, at most one count in
 *   50,000 was seen to go.
 * - While a profile with values is written, or values are sent, hooks return:
 *   what they see is lost, also by a hook that the dump has interrupted before
 *   it had its slot. Dump at the end, or with the code at rest, if it matters.
 * - Dumps may overlap, in interrupts, tasks, on other cores; hooks go on when
 *   the last has ended. Just then no dump can begin: one that interrupts that,
 *   or is on another core, returns BAREPROF_E_BUSY, before the first byte if it
 *   is a bareprof_write; a bareprof_send may have begun, and is no dump then.
 * - bareprof_reset() sets counts to 0; the values stay in the profile until
 *   others need their slots, as with clang's own runtime.
 * - On a 32-bit core a count stops at 2^31. A function's sites beyond the
 *   65,536th are not recorded there.
 *
 * In the profile sizes of memory operations are as LLVM has them: exact up to
 * 8, and powers of two up to 512; what lies between two of these is the lower
 * one plus 1, and all above 512 is 513.
 */
#ifndef BAREPROF_VALUES_H
#define BAREPROF_VALUES_H

#include "bareprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A host tool holds the slots of other machines. */
#ifdef BAREPROF_FOREIGN
typedef uint64_t bareprof_value_word;
#else
typedef uintptr_t bareprof_value_word;
#endif
#if defined BAREPROF_FOREIGN || UINTPTR_MAX > UINT32_MAX
typedef uint32_t bareprof_value_half;
#else
typedef uint16_t bareprof_value_half;
#endif

/* A value of a site. Private, but for its size. */
struct bareprof_value_slot {
  bareprof_value_word owner; /* the record's address, and the slot's state */
  bareprof_value_word value;
  bareprof_value_word count;
  bareprof_value_half site;
  bareprof_value_half rank; /* what it had to beat, to get in */
};

/* What the hooks need besides. Private. */
struct bareprof_values_state {
  bareprof_value_word dumps; /* under way; all ones: the last one ends */
  uint32_t ticks;
};

/* The storage of an image. In ROM; slots and state are in RAM, and need no
 * initial value: bareprof_init() clears them. */
struct bareprof_values {
  struct bareprof_value_slot *slots;
  struct bareprof_values_state *state;
  size_t homes;   /* slots that the `ways` of a site may begin at */
  uint32_t ways;  /* most values of a site */
  uint32_t count; /* slots */
};

/* Defines the storage of this program: count slots, up to 65,535 on a 32-bit
 * core, and at most ways values a site, 1 to 255 and not more than count. 8
 * ways suit most programs; clang's own runtime has 24. Once, at file scope, in
 * C or C++.
 *
 * BAREPROF_VALUES_AT puts it where you like, in RAM that other cores see, or
 * that survives a reset (bareprof_retain.h):
 *
 *     BAREPROF_VALUES_AT(__attribute__((section(".noinit"))), 128, 8);
 */
#define BAREPROF_VALUES(count, ways) BAREPROF_VALUES_AT(, count, ways)
#define BAREPROF_VALUES_AT(where, count, ways)                             \
  static struct bareprof_value_slot bareprof_value_slots[count] where;     \
  static struct bareprof_values_state bareprof_values_state where;         \
  typedef char bareprof_values_fit                                         \
      [(ways) >= 1 && (ways) <= 255 && (ways) <= (count) &&                \
               (count) <= (bareprof_value_half)~0u                         \
           ? 1                                                             \
           : -1];                                                          \
  const struct bareprof_values bareprof_values = {                         \
      bareprof_value_slots, &bareprof_values_state, (count) - (ways) + 1,  \
      ways, sizeof(bareprof_values_fit) * (count)}

/* The storage of this program: yours, or one without slots. */
extern const struct bareprof_values bareprof_values;

/* The hooks, for the instrumented code to call. value: what was seen; record:
 * the address of the function's record; site: a number among all of the
 * function's value sites. */
void __llvm_profile_instrument_target(uint64_t value, void *record,
                                      uint32_t site);
void __llvm_profile_instrument_memop(uint64_t size, void *record,
                                     uint32_t site);

#ifdef __cplusplus
}
#endif
#endif
