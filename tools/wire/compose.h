/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Frames put together, by the runtime's own code: requests to the firmware,
 * and headers as it would have sent them.
 */
#ifndef BAREPROF_TOOLS_COMPOSE_H
#define BAREPROF_TOOLS_COMPOSE_H

#include "frame.h"

/* The frame of a header, as the target would send it in dump number `dump`;
 * returns its size. */
enum { HEADER_FRAME = 256 };
size_t header_frame(unsigned char frame[HEADER_FRAME],
                    const struct header *header, uint16_t dump);

struct wish {
  uint32_t tag;  /* not 0 */
  uint16_t name; /* of a start that has no number; 0: none */
  uint8_t command, options;
  const struct header *to;  /* NULL: to whoever hears it */
  const struct hole *holes; /* bytes of the bitmap as counts: behind counters */
  unsigned hole_count;      /* at most BAREPROF_WIRE_RANGES */
};

/* Makes the line of TEXT that asks for it; returns its length. */
enum { WISH_LINE = 80 };
size_t wish_line(char line[WISH_LINE], const struct wish *wish);

#endif
