/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The smallest sender of a dump, for bootloaders and small flash: lean dumps of
 * the running image, in one frame, on a link of their own or among log output.
 * `bareprof receive`, `report` and `run` need no option for them.
 *
 *     bareprof_tiny_init();              first thing, before instrumented code
 *     ...
 *     bareprof_tiny_send(put, NULL);     whenever you want a dump
 *
 * Link as for other lean dumps: bareprof.ld or one of its variants, --build-id.
 * The archive has all of this. Or copy tiny*.h, image_bounds.h, shared.h,
 * sink.h, wire_coder.h, tiny_init.c and the tiny_*.c that you call out of
 * runtime/, with this header and bareprof.h: they need no other file, and no
 * function of a C library. gcc may compile them, too; for RV64 with
 * -mcmodel=medany, add -fpie.
 *
 * What it does: counters of 8, 4 and 1 byte, flags, MC/DC bitmaps, the build
 * id, ordinals, a CRC, the guard word. What it leaves out: requests, values,
 * names, retained counts, numbers of starts of its own, several images. The
 * frame has all counts, so one damaged byte loses a dump: use bareprof_wire.h
 * for large images on poor lines. docs/sizes.md has the bytes of each.
 */
#ifndef BAREPROF_TINY_H
#define BAREPROF_TINY_H

#include "bareprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the next byte, in order. Returns 0, or a positive value: the sender
 * stops, and returns that value; for a negative one it returns BAREPROF_E_SINK.
 * context: what the sender was given. */
typedef int bareprof_tiny_put(void *context, unsigned char byte);

/* As bareprof_init: gives counters and bitmaps their initial value, and sets
 * the guard word. Writes whole words, needs little stack, and may run before
 * .data and .bss are set. Replaces bareprof_init: do not call both.
 * init_flags: for flags of a byte (`bareprof cc --counters=byte`, single-byte
 * coverage). */
void bareprof_tiny_init(void);
void bareprof_tiny_init_flags(void);

/* Sends a lean dump of counters of 8 bytes, as BINARY or TEXT. put is called
 * once for each byte, from the caller's context; context is handed to it. May
 * run with interrupts off. Counts may go on meanwhile: each counter is read
 * untorn. Calls must not overlap. Stack: at most 170 bytes on Cortex-M, 190 on
 * RISC-V, and put's.
 *
 * Returns 0; put's positive value; BAREPROF_E_SINK; or an error before put is
 * called. BAREPROF_E_NOT_INIT: no init, or overwritten RAM, or nothing is
 * instrumented. BAREPROF_E_NO_BUILD_ID: link with --build-id. The host, which
 * compares the dump with the ELF, refuses counters of another width than the
 * function's. */
int bareprof_tiny_send(bareprof_tiny_put *put, void *context);
int bareprof_tiny_send_text(bareprof_tiny_put *put, void *context);

/* The same for counters of 4 bytes (`bareprof cc --counters=32-packed`). */
int bareprof_tiny_send_packed(bareprof_tiny_put *put, void *context);
int bareprof_tiny_send_text_packed(bareprof_tiny_put *put, void *context);

/* The same for flags of a byte. */
int bareprof_tiny_send_flags(bareprof_tiny_put *put, void *context);
int bareprof_tiny_send_text_flags(bareprof_tiny_put *put, void *context);

/* The smallest sender, of flags alone: a bit for each flag, one BINARY frame,
 * without bitmaps; the bytes of `bareprof cc --mcdc=bytes` are flags, too. put:
 * called once for each byte, from the caller's context; it cannot refuse.
 * bareprof_tiny_init_bits replaces bareprof_init for it, as above. Interrupts,
 * build id, guard and ordinal are as with the other senders. Stack: at most 100
 * bytes, and put's. Files: tiny_bits.c, tiny.h, image_bounds.h, shared.h.
 *
 * Returns 0, or an error as above. The host refuses dumps of images that have a
 * bitmap, counters of another width, or more than 65,535 flags. */
typedef void bareprof_tiny_byte(unsigned char byte);
void bareprof_tiny_init_bits(void);
int bareprof_tiny_send_bits(bareprof_tiny_byte *put);

#ifdef __cplusplus
}
#endif
#endif
