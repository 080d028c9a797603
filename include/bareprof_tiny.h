/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The smallest sender of dumps, for boot loaders and small flash: lean dumps of
 * the running image, in one frame, on a link of their own or among log output.
 * `bareprof receive`, `report` and `run` need no option for them.
 *
 *     bareprof_tiny_init();              first thing, before measured code
 *     ...
 *     bareprof_tiny_send(put, NULL);     whenever you want a dump
 *
 * Link as for other lean dumps: bareprof.ld or one of its variants, --build-id.
 * The archive has all of this. Or copy from runtime/ tiny*.h, image_sections.h,
 * shared.h, wire_coder.h, abi_objects.c, tiny_init.c and the tiny_*.c that you
 * call; and this header, bareprof.h and bareprof_image.h. They need no other
 * file, and no function of a C library. gcc may compile them, too. On RV64 with
 * -mcmodel=medany, gcc and clang 13 to 16 need -fpie.
 *
 * The tiny sender supports counters of any width, and MC/DC bitmaps. It does
 * not support requests, values, names, retained counts, boot numbers and other
 * images. If one byte of a dump is damaged, the dump is lost: use
 * bareprof_wire.h for large images on poor links. The host cannot read a dump
 * that has more than 16,000 bytes in its encoding.
 */
#ifndef BAREPROF_TINY_H
#define BAREPROF_TINY_H

#include "bareprof.h"

BAREPROF_BEGIN_C

/* You write this function: it takes the next byte, and returns 0. If it returns
 * another value, the sender stops, and returns a positive value unchanged, and
 * BAREPROF_E_SINK instead of a negative one. context is the pointer that you
 * gave to the sender, or NULL. */
typedef int bareprof_tiny_put(void *context, unsigned char byte);

/* Call one of these instead of bareprof_init, with its effect and contexts:
 * bareprof_tiny_init_flags for byte counters (`bareprof cc --counters=byte`,
 * single-byte coverage), else bareprof_tiny_init. */
void bareprof_tiny_init(void);
void bareprof_tiny_init_flags(void);

/* Sends a lean dump of the program's counters, as BINARY or TEXT, byte by byte.
 * You may call the senders in the contexts of bareprof.h, such as a fault
 * handler, but calls must not overlap. Counts may go on meanwhile: each counter
 * is read untorn. Stack: at most 170 bytes on Cortex-M, 190 on RISC-V, and
 * put's.
 *
 * Returns 0; put's positive value; BAREPROF_E_SINK; or an error before put is
 * called. BAREPROF_E_NOT_INIT: init was not called, RAM was overwritten,
 * nothing is measured, or the linker script lacks bareprof.ld.
 * BAREPROF_E_NO_BUILD_ID: link with --build-id. */
int bareprof_tiny_send(bareprof_tiny_put *put, void *context);
int bareprof_tiny_send_text(bareprof_tiny_put *put, void *context);

/* The smallest sender is for byte counters only. It sends a bit for each
 * counter, in one BINARY frame, without bitmaps; the bytes of `bareprof cc
 * --mcdc=bytes` are such counters, too. put cannot refuse. In all other
 * respects this sender is like the other senders. Call bareprof_tiny_init_bits
 * instead of bareprof_init. Stack: at most 100 bytes, plus the stack of put.
 * Files: tiny_bits.c, abi_objects.c, tiny.h, image_sections.h, shared.h,
 * bareprof_tiny.h, bareprof.h, bareprof_image.h.
 *
 * Returns 0, or an error as above. The host refuses dumps of images that have a
 * bitmap, counters of another width, or more than 65,535 counters. */
typedef void bareprof_tiny_byte(unsigned char byte);
void bareprof_tiny_init_bits(void);
int bareprof_tiny_send_bits(bareprof_tiny_byte *put);

BAREPROF_END_C
#endif
