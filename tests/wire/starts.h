/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes damaged logs of two boots, and keeps the undamaged dumps.
 */
#ifndef STARTS_H
#define STARTS_H

#include <stdint.h>

#include "starts_send.h"

enum { STARTS = 2, DUMPS_MOST = 6, LEFT_LEAST = 48 };

/* A dump before it was damaged. */
struct moment {
  unsigned start, number, ordinal;
  struct memory memory;
  size_t size; /* size of the dump in the log, before damage */
  size_t left; /* the longest run of its bytes that stayed undamaged */
};

struct log {
  enum form form;
  bool numbered, counts; /* counts: MIP has counts instead of bytes */
  struct moment moments[DUMPS_MOST];
  size_t moment_count;
  bool reordered;       /* a dump comes after a later one, without any sign */
  unsigned char *bytes; /* the damaged log; valid until the next call */
  size_t size;
};

/* Makes a log, which depends only on the arguments, not on the machine. */
void starts_make(struct log *log, enum form form, bool numbered, uint64_t seed);

#endif
