/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The payload of data frames back into elements: the decoder to
 * runtime/coder.c.
 */
#ifndef BAREPROF_TOOLS_DECODE_H
#define BAREPROF_TOOLS_DECODE_H

#include "frame.h"

struct elements {
  uint32_t first; /* place of the first */
  uint32_t count; /* 1 to 65535 */
};

/* Decodes a data frame of a dump with that header. The elements, in the
 * target's byte order, go to where they belong in the piece, which has
 * header->pieces[frame->piece].size bytes at to. Returns NULL, or what is
 * wrong: then elements may have been written, within the piece. */
const char *decode(const struct frame *frame, const struct header *header,
                   unsigned char *to, struct elements *elements);

#endif
