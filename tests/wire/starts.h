/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Logs of two starts, damaged, and what is known of them.
 */
#ifndef STARTS_H
#define STARTS_H

#include <stdint.h>

#include "starts_send.h"

enum { STARTS = 2, DUMPS_MOST = 6, LEFT_LEAST = 48 };

/* A dump as the firmware made it. */
struct moment {
  unsigned start, number, ordinal;
  struct memory memory;
  size_t size; /* of it on the wire */
  size_t left; /* the longest run of its bytes that the damage left */
};

struct log {
  enum form form;
  bool numbered, counts; /* MIP: of bytes or of counts */
  struct moment moments[DUMPS_MOST];
  size_t moment_count;
  bool reordered;       /* a dump comes behind a later one: nothing tells */
  unsigned char *bytes; /* damaged; valid until the next */
  size_t size;
};

/* The same seed makes the same log on each machine. */
void starts_make(struct log *log, enum form form, bool numbered, uint64_t seed);

#endif
