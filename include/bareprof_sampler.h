/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Samples of the program counter and the link register, taken by a timer's
 * interrupt. `bareprof samples` makes a profile of them for clang
 * (-fprofile-sample-use). The code needs no counters, and
 * -fpseudo-probe-for-profiling costs no byte of flash.
 *
 *     #include "bareprof_sampler.h"
 *     BAREPROF_SAMPLER_TABLE(1024);
 *
 *     void bareprof_sampler_timer(void) {
 *       my_timer_clear_and_set(bareprof_sampler_interval());
 *     }
 *     ...
 *     bareprof_sampler_start(10000);
 *     my_timer_clear_and_set(bareprof_sampler_interval());
 *     ...
 *     bareprof_sampler_write(&sink);
 *
 * In the vector table, bareprof_sampler_interrupt is the timer's entry.
 *
 * All functions here:
 * - They use no heap, no division, and no unbounded loop. Stack on a 32-bit
 *   target, as `make lib` compiles it: a sample takes at most 130 bytes,
 *   including the registers that the interrupt saves (210 on Cortex-M with an
 *   FPU); write takes 120 and send 530 bytes, plus the stack of your sink.
 * - One core samples. Interrupts of any priority may take samples, up to 8
 *   nested. A sample that interrupts another is counted as lost.
 * - They need .bss, and run in any context. Calls of start, stop, reset, write,
 *   send and serve must not overlap; samples may interrupt them. A sample
 *   during write or send counts as lost.
 * - Those of type int return values as the functions of bareprof.h do.
 *
 * Choose a period that is not a multiple of a period in the program. A sample
 * of code with interrupts off shows where the interrupt is next accepted; QEMU
 * without -icount accepts interrupts only at the first instruction of a block.
 */
#ifndef BAREPROF_SAMPLER_H
#define BAREPROF_SAMPLER_H

#include "bareprof_wire.h"

BAREPROF_BEGIN_C

/* Storage for samples. Use one of these macros, once, at file scope, in C or
 * C++. Without it no sample is stored, write and send return E_EMPTY, and
 * interval() returns 0.
 *
 * - RING keeps the last `count` samples, in 8 bytes of RAM each (16 on a 64-bit
 *   core). A new sample overwrites the oldest, which is counted as lost. A
 *   sample takes 35 instructions.
 * - CHAIN is RING plus up to `length` callers of each sample (1 to 64), 4 (8)
 *   bytes and some 12 instructions a caller; see bareprof_sampler_stack.
 * - TABLE keeps a count for each pair of PC and LR, 12 (24) bytes a pair; count
 *   is a power of 2. TABLE can run for hours. If there is no entry for a new
 *   pair, the pair is counted without its LR; if there is none for that either,
 *   the sample is lost, or replaces a rare pair. Recommended: twice the number
 *   of pairs. A sample takes 45 to 60 instructions, up to 125 if entries are
 *   taken.
 *
 * Each storage has 60 (72) bytes more, a TABLE also 3 entries. It is in .bss.
 * The _AT forms put it where you like. If that section is not cleared, call
 * stop, reset, and for CHAIN stack(NULL, NULL), before the timer runs:
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

/* Starts sampling, but not the timer: set its first interval, too. period: the
 * average number of timer ticks between two samples, 1 to 2^30, for interval()
 * and the file; 0: unknown: interval() returns 0. Earlier samples stay. */
void bareprof_sampler_start(uint32_t period);

/* Stops sampling: samples are neither taken nor counted. */
void bareprof_sampler_stop(void);

/* Forgets all samples and the number of lost ones; does not start or stop. Do
 * not call it from an interrupt that may interrupt a sample. */
void bareprof_sampler_reset(void);

/* Returns the number of ticks until the next sample: the period plus or minus a
 * random part of it, up to a quarter. Takes 20 instructions. */
uint32_t bareprof_sampler_interval(void);

/* Sends all samples as a file (.samples), and keeps them. A ring is sent oldest
 * first. E_EMPTY: there is no sample. In a fault handler that interrupted a
 * sample, this sample may be half new and half old. */
int bareprof_sampler_write(const struct bareprof_sink *sink);

/* Sends the same samples as frames, which are a third to a half as long as the
 * file; `bareprof receive` makes the file. options: as for bareprof_send
 * (bareprof_wire.h), but LEAN has no effect. */
int bareprof_sampler_send(const struct bareprof_sink *out, unsigned options);

/* Sends samples when the host requests them (`bareprof receive --request
 * --samples`). Samples have their own struct bareprof_wire, which gets the same
 * received bytes as the struct for profiles:
 *
 *     static struct bareprof_wire samples = BAREPROF_WIRE_INIT(
 *         NULL, &uart, BAREPROF_SAMPLER_WIRE | BAREPROF_TEXT);
 *
 *     while ((byte = uart_getc()) >= 0)
 *       if (bareprof_wire_feed(&samples, (uint8_t)byte))
 *         bareprof_sampler_serve(&samples);
 *
 * Sends the samples as bareprof_sampler_send does; or, if the host asks for a
 * reset, calls bareprof_sampler_reset and answers: call it only where a reset
 * may happen. Ignores requests for profiles. SAMPLER_WIRE is image number 15:
 * do not give that number to a profile. Returns 0, also if the sink refuses the
 * answer to a reset; otherwise as bareprof_sampler_send, whose error is also
 * sent to the host. */
#define BAREPROF_SAMPLER_WIRE BAREPROF_IMAGE(15)
int bareprof_sampler_serve(struct bareprof_wire *wire);

/* ---- taking samples ---- */

/* An interrupt's entry, for the vector table. Takes a sample of the interrupted
 * code, calls bareprof_sampler_timer, and returns from the interrupt. Besides
 * the sample it takes 15 to 45 instructions. It uses no floating-point
 * registers.
 *
 * Cortex-M: may be in several vectors; reads the stack that EXC_RETURN selects.
 * RISC-V: machine mode; jump here with all registers unchanged, including
 *   mepc and mstatus. Uses the interrupted stack.
 * AArch64: branch here from the IRQ vector of EL1 for code in EL1 that uses
 *   SP_EL1. Uses the interrupted stack.
 * ARMv7-A: branch here from the IRQ vector. Uses the stack of supervisor mode.
 *   Samples of user, system and supervisor mode have their own link register;
 *   samples of other modes have 0. */
void bareprof_sampler_interrupt(void);

/* You write this function; bareprof_sampler_interrupt calls it. It must clear
 * the timer's interrupt and set the timer again. Compile it so that it uses no
 * floating-point register (-mgeneral-regs-only or similar), except on Cortex-M,
 * which saves these registers in hardware. It may enable interrupts: the
 * registers needed to return have been saved. */
void bareprof_sampler_timer(void);

/* Takes a sample. Call it if your own code or a kernel has the interrupt's
 * entry. The arguments are registers of the interrupted code: program counter
 * (not 0), link register (lr, ra, x30) and frame pointer (r7 in Thumb state,
 * r11 in ARM state, s0, x29). lr and fp may be 0, if you do not know them. Only
 * CHAIN uses fp. Clear bit 0 (Thumb) of pc always or never: a TABLE counts both
 * as two pairs. On Cortex-M, pass 0 for an even lr. */
void bareprof_sampler_take(uintptr_t pc, uintptr_t lr, uintptr_t fp);

/* For CHAIN: the stack that holds the frames, from begin up to, not including,
 * end. No other byte is read; these must be readable until the next call. An
 * operating system's hook for a task switch sets it for each task; a sample may
 * interrupt the call. If begin equals end, without this call, or on another
 * stack, samples lack callers. Compile the code with clang and
 * -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer. A chain ends if the
 * next frame is not above the one before. In the first and last instructions of
 * a function the frame is still the caller's, and only LR shows the caller. */
void bareprof_sampler_stack(const void *begin, const void *end);

/* ---- the file ----
 *
 * The file is this header, then the entries, in the byte order and word size of
 * the target. taken is the number of samples, at most 2^32-1. lost is how many
 * of them are not in the file. taken - lost is the number of entries, or in a
 * table the sum of the counts. An entry is:
 *
 * - ring, oldest first: PC, LR, then `chain` callers, innermost first; 0: none
 * - table: PC, LR, count; a free entry has count 0
 *
 * LR is the register's value: on Arm bit 0 is the Thumb state. On Cortex-M an
 * even LR is not a return address, and bareprof_sampler_interrupt stores 0. */
struct bareprof_samples {
  unsigned char magic[4]; /* FA 'B' 'P' 'S' */
  uint16_t version;       /* 1 */
  uint16_t flags;         /* BAREPROF_SAMPLES_... */
  uint32_t period;        /* ticks; 0: unknown */
  uint32_t entries;
  uint32_t lost;
  uint32_t taken;
  uint32_t chain; /* words for callers in each entry */
  uint32_t build; /* FNV-1a of the build id, offset basis 0; 0: no id. Link
                     with --build-id and bareprof-id.ld, or with a fragment
                     that includes bareprof-id.ld. */
};
#define BAREPROF_SAMPLES_VERSION 1
#define BAREPROF_SAMPLES_BIG_ENDIAN 1u
#define BAREPROF_SAMPLES_WIDE 2u   /* 8-byte words, else 4-byte words */
#define BAREPROF_SAMPLES_FOLDED 4u /* a table, not a list of samples */
#define BAREPROF_SAMPLES_CHAINS 8u /* entries have callers */

BAREPROF_END_C

#include "bareprof_private.h"

#endif
