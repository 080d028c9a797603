/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decodes the payload of data frames into elements; runtime/wire_coder.c is the
 * encoder.
 */
#ifndef BAREPROF_TOOLS_DECODE_H
#define BAREPROF_TOOLS_DECODE_H

#include "../image/snapshot.h"
#include "frame.h"

struct elements {
  unsigned piece;
  uint32_t first; /* index of the first element */
  uint32_t count; /* 0: none */
};

/* A frame has elements of one piece, or counters and bytes of the bitmap. */
enum { DECODED_PIECES = 2 };

/* Decodes a LEAN, COUNTS or DATA frame of a dump with that header. Writes the
 * elements in the target's byte order to their places in the pieces. to[]
 * points to the pieces, each with header->pieces[].size bytes; NULL: the dump
 * does not have the piece. Returns NULL or the error. After an error some
 * elements may have been written, inside the pieces. */
const char *decode(const struct frame *frame, const struct header *header,
                   unsigned char *const to[BAREPROF_PIECES],
                   struct elements elements[DECODED_PIECES]);

/* Adds the elements of a LEAN, COUNTS or DATA frame to a snapshot. Returns NULL
 * or the error. Settle the snapshot after the last frame. */
const char *decode_into(struct snapshot *snapshot, const struct frame *frame);

/* Returns how many counts are coded in a frame, whose coded bytes counts_read
 * has found; 0: these are damaged. */
uint32_t decode_count(const struct frame *frame, struct bytes coded);

#endif
