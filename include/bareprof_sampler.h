/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where the program is, noted by a timer's interrupt: samples of the program
 * counter and the link register. `bareprof samples` makes a profile of them
 * for clang (-fprofile-sample-use). The code needs no counters for it, and
 * loses no byte of flash to -fpseudo-probe-for-profiling.
 *
 *     #include "bareprof_sampler.h"
 *     BAREPROF_SAMPLER_TABLE(1024);
 *
 *     void bareprof_sampler_timer(void) {
 *       my_timer_clear_and_set(bareprof_sampler_interval());
 *     }
 *     ...
 *     bareprof_sampler_start(10000);
 *     ...
 *     bareprof_sampler_write(&sink);
 *
 * with bareprof_sampler_interrupt as the timer's entry in the vector table.
 *
 * What every function here has in common:
 * - No heap, no loop without a bound, no division. Stack on a 32-bit target,
 *   as `make lib` compiles it: a sample at most 130 bytes with what the
 *   interrupt saves, write 110, send 530, besides your sink's.
 * - One core samples. Interrupts of any priority may take samples, up to 8 of
 *   them one within another: who interrupts the taking of a sample is counted
 *   as lost, never stored, and nothing of the other's is harmed.
 * - start, stop, reset, write and send are for one caller at a time, which
 *   may be interrupted by samples. What comes while write or send is at work
 *   is counted as lost.
 * - 0 is success, a negative value one of enum bareprof_error (bareprof.h), a
 *   positive one your sink's own.
 *
 * How good samples are. Choose a period that is no multiple of what the
 * program does periodically: interval() varies it by a quarter each way. Code
 * that runs with interrupts off, or at a higher priority than the timer's, is
 * seen where these are let in again. QEMU without -icount lets interrupts in at
 * the first instruction of a block only; such samples tell little.
 */
#ifndef BAREPROF_SAMPLER_H
#define BAREPROF_SAMPLER_H

#include "bareprof_wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where samples go. One of these, once, at file scope, in C or C++. Without
 * it nothing is kept, and write says E_EMPTY.
 *
 * RING: the last `count` samples, 8 bytes of RAM each (16 on a 64-bit core);
 * older ones are overwritten, and counted as lost. 35 instructions.
 * CHAIN: the same with up to `length` callers of each, 1 to 64, 4 (8) bytes
 * a caller; see bareprof_sampler_stack. Some 12 instructions a caller.
 * TABLE: how often each pair of PC and LR was seen, 12 (24) bytes a pair;
 * count is a power of 2. It runs for hours. A new pair looks at 4 places.
 * If others have these, it is counted without its LR, at 4 other places. If
 * those are taken, too, it is lost, and with it one count of the last of them,
 * so that pairs that are no longer seen make room. Twice as many as pairs that
 * are seen is plenty; `lost` in the file says what did not fit. 45 to 60
 * instructions, 70 at the fourth place, 85 without LR, 125 if it is lost.
 *
 * They are in .bss, which the start-up code clears. The _AT forms put them
 * where you like; if that is not cleared, call bareprof_sampler_reset() before
 * the first sample:
 *
 *     BAREPROF_SAMPLER_RING_AT(__attribute__((section(".noinit"))), 256);
 */
#define BAREPROF_SAMPLER_RING(count) BAREPROF_SAMPLER_RING_AT(, count)
#define BAREPROF_SAMPLER_CHAIN(count, length) \
  BAREPROF_SAMPLER_CHAIN_AT(, count, length)
#define BAREPROF_SAMPLER_TABLE(count) BAREPROF_SAMPLER_TABLE_AT(, count)

#define BAREPROF_SAMPLER_RING_AT(where, count) \
  BAREPROF_SAMPLER_MADE(where, count, (count) >= 1, 0, 0, bareprof_sampler_ring)
#define BAREPROF_SAMPLER_CHAIN_AT(where, count, length)                      \
  BAREPROF_SAMPLER_MADE(                                                     \
      where, count, (count) >= 1 && (length) >= 1 && (length) <= 64, length, \
      BAREPROF_SAMPLES_CHAINS, bareprof_sampler_chain)
#define BAREPROF_SAMPLER_TABLE_AT(where, count)                          \
  BAREPROF_SAMPLER_MADE(where, (count) + BAREPROF_SAMPLER_WAYS - 1,      \
                        (count) >= 1 && ((count) & ((count)-1)) == 0, 0, \
                        BAREPROF_SAMPLES_FOLDED, bareprof_sampler_table)

/* Samples are taken from now on. period: ticks of your timer between two of
 * them on average, 1 to 2^30; it is what interval() is made of, and is noted in
 * the file; 0 if you do not know it: interval() returns 0 then, and the file
 * says that nobody knows. What was sampled before stays. */
void bareprof_sampler_start(uint32_t period);

/* From now on a sample is neither taken nor counted. */
void bareprof_sampler_stop(void);

/* Forgets all samples and what was lost; does not start or stop. Not from an
 * interrupt that may come within a sample. */
void bareprof_sampler_reset(void);

/* How many ticks the next sample shall be away: the period give or take up
 * to a quarter, from a shift register with linear feedback. 20 instructions. */
uint32_t bareprof_sampler_interval(void);

/* Sends what there is as a file (.samples) to sink, and keeps it. sink and
 * sink->write must not be NULL; its contract is in bareprof.h. The ring goes
 * out oldest first. E_EMPTY: there is no sample. In a fault handler that came
 * in the middle of a sample, one may be half of it and half of an older one. */
int bareprof_sampler_write(const struct bareprof_sink *sink);

/* The same as frames: `bareprof receive` makes the file of them. A third to
 * a half as long as write, less if a table has free places. options as for
 * bareprof_send (bareprof_wire.h): BAREPROF_TEXT or BAREPROF_BINARY, and who
 * sends; LEAN changes nothing. It cannot be asked for (bareprof_wire_serve):
 * send it from time to time. */
int bareprof_sampler_send(const struct bareprof_sink *out, unsigned options);

/* ---- taking samples ---- */

/* An interrupt's entry, for the vector table. Takes a sample of what was
 * interrupted, calls bareprof_sampler_timer, and returns from the interrupt.
 * 15 to 45 instructions of its own, and no use of floating-point registers.
 *
 * Cortex-M: for any number of vectors; reads the stack that EXC_RETURN names.
 * RISC-V: machine mode; jump here with all registers as they were, mepc and
 *   mstatus included. On the interrupted stack.
 * AArch64: branch here from the IRQ vector of EL1 for EL1 with its own stack
 *   pointer. On the interrupted stack.
 * ARMv7-A: branch here from the IRQ vector. On the stack of supervisor mode;
 *   samples of user, system and supervisor mode have their own link register,
 *   of other modes 0. */
void bareprof_sampler_interrupt(void);

/* Yours, called by it: makes the timer quiet and sets it anew. Compile it with
 * -mgeneral-regs-only, or the like, where interrupts do not save
 * floating-point registers; of Cortex-M the hardware does. It may let
 * interrupts in again: what returning needs has been saved. */
void bareprof_sampler_timer(void);

/* A sample, for an interrupt's entry of your own, such as a kernel's: the
 * interrupted code's program counter, link register (lr, ra, x30) and frame
 * pointer (r7 in Thumb state, r11 in ARM state, s0, x29), which only CHAIN
 * looks at. pc is not 0. From any context. */
void bareprof_sampler_take(uintptr_t pc, uintptr_t lr, uintptr_t fp);

/* For CHAIN: the stack on which frames may be, from begin up to, not
 * including, end: no other byte is read. An operating system's hook for a task
 * switch sets it for each task. Without it, or on another stack, there are no
 * callers. Code is to be compiled with -fno-omit-frame-pointer
 * -mno-omit-leaf-frame-pointer, by clang. A chain ends where the next frame
 * is not above the one before. In the first and last instructions of a
 * function the frame is still or again its caller's: only LR tells then. */
void bareprof_sampler_stack(const void *begin, const void *end);

/* ---- the file ----
 * This header, then the entries, in the byte order and word size of the
 * target. taken is how many samples there were while it was started, lost how
 * many of these are not in the file: overwritten, no room, or come while
 * another was taken. It stops at 2^32 - 1. taken - lost is the number of
 * entries, or the sum of the counts.
 *   ring   PC, LR, then chain words: callers, innermost first, 0: none
 *   table  PC, LR, count; of a free place the count is 0
 * LR is as it was in the register: on Arm bit 0 is the Thumb state. On
 * Cortex-M bareprof_sampler_interrupt has 0 instead of an even one, which is
 * no return address. */
struct bareprof_samples {
  unsigned char magic[4]; /* FA 'B' 'P' 'S' */
  uint16_t version;       /* 1 */
  uint16_t flags;         /* BAREPROF_SAMPLES_... */
  uint32_t period;        /* ticks; 0: unknown */
  uint32_t entries;
  uint32_t lost;
  uint32_t taken;
  uint32_t chain; /* words for callers in each entry */
  uint32_t build; /* hash of the build id: FNV-1a, from 0; 0: none */
};
#define BAREPROF_SAMPLES_VERSION 1
#define BAREPROF_SAMPLES_BIG_ENDIAN 1u
#define BAREPROF_SAMPLES_WIDE 2u /* words of 8 bytes, else 4 */
#define BAREPROF_SAMPLES_FOLDED 4u
#define BAREPROF_SAMPLES_CHAINS 8u

/* ---- below: not for you to use ---- */

#define BAREPROF_SAMPLER_WAYS 4
#define BAREPROF_SAMPLER_LEVELS 8

/* All 0 is a sampler that is stopped and empty. What reset clears is last, and
 * the entries follow it. */
struct bareprof_sampler_state {
  volatile uint8_t level; /* samples, dumps being taken, one within another */
  volatile uint8_t running;
  uint32_t period;
  uint32_t random;
  uintptr_t stack, stack_end;
  struct {         /* since the last reset */
    uint32_t next; /* byte of the ring where the next entry goes */
    uint32_t kept; /* samples that are or were there */
    uint32_t lost[BAREPROF_SAMPLER_LEVELS]; /* by level */
  } since;
};

/* In ROM. */
struct bareprof_sampler {
  struct bareprof_sampler_state *state;
  unsigned char *entries;
  uint32_t size;   /* bytes */
  uint32_t places; /* entries that there is room for */
  uint16_t width;  /* bytes of an entry */
  uint16_t chain;  /* those for callers */
  uint16_t flags;  /* of the header */
  void (*take)(uintptr_t pc, uintptr_t lr, uintptr_t fp);
};
extern const struct bareprof_sampler bareprof_sampler;

void bareprof_sampler_ring(uintptr_t pc, uintptr_t lr, uintptr_t fp);
void bareprof_sampler_chain(uintptr_t pc, uintptr_t lr, uintptr_t fp);
void bareprof_sampler_table(uintptr_t pc, uintptr_t lr, uintptr_t fp);

#if UINTPTR_MAX > UINT32_MAX
#define BAREPROF_SAMPLER_WIDE BAREPROF_SAMPLES_WIDE
#else
#define BAREPROF_SAMPLER_WIDE 0
#endif
#define BAREPROF_SAMPLER_HERE                                            \
  ((__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? BAREPROF_SAMPLES_BIG_ENDIAN \
                                           : 0) |                        \
   BAREPROF_SAMPLER_WIDE)

/* PC and LR, and a count or callers. */
#define BAREPROF_SAMPLER_MADE(where, places, fits, chain, flags, take)    \
  enum {                                                                  \
    bareprof_sampler_words =                                              \
        (flags) == BAREPROF_SAMPLES_FOLDED ? 3 : 2 + (chain)              \
  };                                                                      \
  static struct {                                                         \
    struct bareprof_sampler_state state;                                  \
    uintptr_t words[(places)*bareprof_sampler_words];                     \
  } bareprof_sampler_made where;                                          \
  typedef char bareprof_sampler_fit[(fits) ? 1 : -1];                     \
  const struct bareprof_sampler bareprof_sampler = {                      \
      &bareprof_sampler_made.state,                                       \
      (unsigned char *)bareprof_sampler_made.words,                       \
      sizeof(bareprof_sampler_fit) * sizeof(bareprof_sampler_made.words), \
      (places),                                                           \
      bareprof_sampler_words * sizeof(uintptr_t),                         \
      (chain),                                                            \
      (flags) | BAREPROF_SAMPLER_HERE,                                    \
      take}

#ifdef __cplusplus
}
#endif
#endif
