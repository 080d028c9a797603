/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the scanner makes of a stream, kept.
 */
#ifndef HEAR_H
#define HEAR_H

#include "scan.h"
#include "streams.h"

struct heard {
  struct bytes text, frames;
  unsigned count, mended;
  size_t damaged; /* candidates, but for one at the very end */
};

/* A scanner that tells heard, which forgets what it heard before. */
struct frame_scanner *hear_begin(struct heard *heard);
void hear_end(struct frame_scanner *scan, struct heard *heard);

/* All of it, in pieces of up to most bytes, each a block of its own. */
void hear(struct heard *heard, const struct bytes *wire, size_t most);

/* ok or not ok, with a label that is printed. */
bool report(bool holds, const char *label);

#endif
