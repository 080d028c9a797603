/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Requests as the host tool makes them, for programs compiled as the target is.
 */
#ifndef WISH_H
#define WISH_H

#include <stddef.h>
#include <stdint.h>

struct asked {
  int core, image; /* -1: any core, any image */
  uint32_t tag;
  uint8_t command, options;
  uint32_t ranges[4][3]; /* piece, first, count */
  unsigned range_count;
  uint16_t name; /* number for a boot that lacks one; 0: none */
};

/* Writes the line of a request, at most 80 characters. Returns its length. */
size_t make_request(char line[80], const struct asked *asked);

/* Makes `count` requests for dumps, as in a long session. Returns how many of
 * them do not offer a number to a boot that lacks one. */
unsigned count_unnumbered_requests(unsigned count);

#endif
