/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs the scanner over a stream, and keeps the text and the frames.
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

/* Returns a scanner whose results go to *heard, which is emptied. */
struct frame_scanner *hear_begin(struct heard *heard);
void hear_end(struct frame_scanner *scan, struct heard *heard);

/* Scans the whole stream in pieces of up to `most` bytes. Each piece is in
 * memory of its own, so that sanitizers see accesses beyond its end. */
void hear(struct heard *heard, const struct bytes *wire, size_t most);

/* Prints `ok` or `not ok` with the label. Returns `holds`. */
bool report(bool holds, const char *label);

#endif
