/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The payload of data frames back into elements: the decoder to
 * runtime/wire_coder.c.
 */
#ifndef BAREPROF_TOOLS_DECODE_H
#define BAREPROF_TOOLS_DECODE_H

#include "../image/snapshot.h"
#include "frame.h"

struct elements {
  unsigned piece;
  uint32_t first; /* place of the first */
  uint32_t count; /* 0: none */
};

/* A frame has elements of one piece, or counters and bytes of the bitmap. */
enum { DECODED_PIECES = 2 };

/* Decodes a LEAN, COUNTS or DATA frame of a dump with that header. The
 * elements, in the target's byte order, go to where they belong in the pieces,
 * each of which has header->pieces[].size bytes at to[]; NULL: the dump has
 * none of it. Returns NULL, or what is wrong: then elements may have been
 * written, within the pieces. */
const char *decode(const struct frame *frame, const struct header *header,
                   unsigned char *const to[BAREPROF_PIECES],
                   struct elements elements[DECODED_PIECES]);

/* Adds the elements of such a frame to a snapshot. NULL, or what is wrong with
 * it. Settle the snapshot behind the last one. */
const char *decode_into(struct snapshot *snapshot, const struct frame *frame);

/* How many numbers have been coded; 0: they are damaged. */
uint32_t decode_count(struct bytes coded);

#endif
