/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Machine IR Profile on the target, for code of any compiler: the functions and
 * blocks that ran, the number of calls of each function, the order of first
 * calls, and the callers. `bareprof mip instrument` or `bareprof mip patch`
 * puts a sled, a few instructions, into each function. Sleds write to the raw
 * section in RAM, 1, 8 or 16 bytes a function; on the host, `bareprof mip`
 * reads the data with the map of the ELF.
 *
 *     bareprof_mip_init();              first thing, before instrumented code
 *     ...
 *     bareprof_mip_write(&sink);        whenever you want the raw section
 *
 * Link with --build-id, and with INCLUDE bareprof-mip.ld inside SECTIONS of the
 * linker script, after .bss and before `end`.
 *
 * All functions here:
 * - The contexts and the rules of bareprof.h hold. Stack on a 32-bit target, as
 *   `make lib` compiles it: at most 140 bytes (bareprof_mip_send: 576), plus
 *   the stack of your sink.
 * - Compile them and your sink without sleds, so that the data does not change
 *   while it is sent. Calls that only read (write, size, send) may overlap.
 *   Calls of init and reset must not overlap with any other call.
 * - Errors: E_NO_BOUNDS (the linker script does not INCLUDE bareprof-mip.ld),
 *   E_EMPTY (no instrumented function, no room), E_NOT_INIT, and E_SINK.
 *
 * Some sleds store a byte without a call. The other sleds call a helper, which
 * preserves the flags and each register that code may rely on. Helpers need 16
 * to 32 bytes of stack; with edges at most 80, on 64-bit cores 210.
 *
 * Interrupts of any priority, tasks and, with atomic instructions, other cores
 * may call the same function; only SAMPLED may lose calls. Counts end at 2^32-2
 * (RISC-V with A: near 2^32-2^16; SAMPLED: 2^32-2^20). First calls are numbered
 * from 1.
 *
 * ARMv6-M, v8-M Baseline and RISC-V without A mask interrupts during a count:
 * this needs privileged code, and supports one core only; an NMI that
 * interrupts an update loses its own counts. ARMv7-A and AArch64 use exclusive
 * loads and stores: with several cores these need the MMU on, and cacheable
 * RAM.
 */
#ifndef BAREPROF_MIP_H
#define BAREPROF_MIP_H

#include "bareprof.h"

BAREPROF_BEGIN_C

/* Sets the raw section to its initial value, and clears edges. Call it once
 * after reset, before the first instrumented function runs; if calls are
 * counted, after .bss is cleared. Writes whole, aligned 64-bit words, and reads
 * nothing of the section. Without a raw section it does nothing. */
void bareprof_mip_init(void);

/* Clears all counts, and numbers first calls from 1 again, at any time after
 * init. If an interrupt counts during the call, each of its counts may survive
 * or not. If the call interrupts a count, that count may survive; with SAMPLED
 * the host may refuse the data. */
void bareprof_mip_reset(void);

/* Sends the raw section (.mipraw) as it is in memory, in the byte order of the
 * target; then the edges, if there are any, in the same file. A dump of a
 * running program is not of one instant. A dump that interrupts a function's
 * first count may show its number without a count. If an interrupt counts while
 * bareprof_mip_send, or a sink of single bytes, reads that count, the dump may
 * mix bytes of two counts: 511 instead of 256. If this matters, mask such
 * interrupts during the dump. */
int bareprof_mip_write(const struct bareprof_sink *sink);

/* Returns how many bytes bareprof_mip_write would send, unless an edge is added
 * in between; 0 if bareprof_mip_write would return an error. */
size_t bareprof_mip_size(void);

/* Sends the same data as frames; `bareprof receive` makes the .mipraw. options:
 * as for bareprof_send (bareprof_wire.h); LEAN has no effect. */
int bareprof_mip_send(const struct bareprof_sink *out, unsigned options);

/* For requests of the host: define a struct bareprof_wire with this image and
 * this option. A program that also sends profiles needs a second struct
 * bareprof_wire for them, with another BAREPROF_IMAGE number in one of the two.
 * A reset that the host requests does not restart the numbers of first calls,
 * and no interrupt may count during it: counts would be wrong. Use the image
 * only after bareprof_mip_init: nothing checks this.
 *
 *     #include "bareprof_wire.h"
 *
 *     static struct bareprof_wire wire =
 *         BAREPROF_WIRE_INIT(&bareprof_mip_image, &uart, BAREPROF_MIP);
 */
#define BAREPROF_MIP (1u << 4)
extern const struct bareprof_image bareprof_mip_image;

/* Use the macros below at most once each, at file scope, in C or C++; EDGES and
 * SAMPLED exclude each other.
 *
 * BAREPROF_MIP_ROOM reserves room for `bareprof mip patch`, which instruments
 * the linked ELF. bytes: the size of the raw section in RAM after its header of
 * 24 bytes. A function takes 1 byte for coverage, 8 for counts, 16 for samples;
 * if the room is too small, patch prints the line to write. The macro also
 * links the helpers of patched functions.
 *
 * The macro is not needed if objects have __patchable_function_entries, as
 * clang's have: for these objects bareprof-mip.ld reserves 1 byte a function, 8
 * in a link with BAREPROF_MIP_EDGES or `-u bareprof_mip_count_index`, 16 with
 * BAREPROF_MIP_SAMPLED or `-u bareprof_mip_step_index`. Do not use the macro
 * with `bareprof mip instrument`, whose objects bring their own room. */
#define BAREPROF_MIP_ROOM(bytes)                                        \
  BAREPROF_MIP_C unsigned char bareprof_mip_room[24 + (bytes)];         \
  __attribute__((                                                       \
      section("__llvm_mipraw"),                                         \
      aligned(8))) unsigned char bareprof_mip_room[24 + (bytes)] = {0}; \
  const struct bareprof_mip_room bareprof_mip_room_used = {             \
      bareprof_mip_room, bareprof_mip_cover_index, bareprof_mip_count_index}

/* Records edges. entries: the number of entries, a power of 2, at least 8. Each
 * entry takes 12 bytes of .bss and counts the calls, direct or indirect, from
 * one place in the code to one function. An edge may use 8 of the entries; if
 * all 8 are taken, its calls count as lost. Recommended: 1.5 times the number
 * of edges. On a 64-bit core, code and raw section must be within 2 GB of each
 * other. */
#define BAREPROF_MIP_EDGES(entries) \
  BAREPROF_MIP_TABLE(entries, 64, bareprof_mip_edge_index)

/* Like BAREPROF_MIP_EDGES, for code that `bareprof mip instrument --sampled` or
 * `bareprof mip patch --sampled` has instrumented: one of `interval` calls of a
 * function is sampled, and its edge then counts `interval` calls. interval: a
 * power of 2, up to 4,096; BAREPROF_MIP_EDGES has 64. The distance of two
 * samples varies between 1 and twice the interval. The distance is less for the
 * first samples of a function, and up to 16 times more for a function that was
 * called from one place only.
 *
 * Calls of functions are counted, not estimated. Only on RISC-V with A is each
 * call counted by an atomic instruction: elsewhere a call that interrupts the
 * count of the same function may be lost, and in rare cases an interval is
 * counted twice. `mip patch` uses the helper that the macro has linked into the
 * program. To link the helper of the other macro too, use
 * -u bareprof_mip_edge_index (for EDGES) or -u bareprof_mip_step_index (for
 * SAMPLED). */
#define BAREPROF_MIP_SAMPLED(entries, interval) \
  BAREPROF_MIP_TABLE(entries, interval, bareprof_mip_step_index)

BAREPROF_END_C

#include "bareprof_private.h"

#endif
