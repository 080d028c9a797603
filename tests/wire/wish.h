/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Requests as the host tool makes them, for programs compiled as the target
 * is.
 */
#ifndef WISH_H
#define WISH_H

#include <stddef.h>
#include <stdint.h>

struct asked {
  int core, image; /* -1: whoever hears it */
  uint32_t tag;
  uint8_t command, options;
  uint32_t ranges[4][3]; /* piece, first, count */
  unsigned range_count;
  uint16_t name; /* for a start that has none; 0: none */
};

/* The line of at most 80 characters; returns its length. */
size_t make_request(char line[80], const struct asked *asked);

/* Makes so many requests for dumps, as of a long session. Returns how many
 * of them lack a number for a boot that has none. */
unsigned count_unnumbered_requests(unsigned count);

#endif
