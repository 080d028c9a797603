/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Streams for the scanner: frames by the runtime's own encoding, and lines of
 * text, after all that a console does to them.
 */
#ifndef STREAMS_H
#define STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROOM = 1 << 17, STREAM_FRAMES = 6 };

struct bytes {
  unsigned char at[ROOM];
  size_t size;
};

void put(struct bytes *to, const void *bytes, size_t size);
void put_string(struct bytes *to, const char *string);
bool same(const struct bytes *a, const struct bytes *b);

/* A frame without encoding, its size in front. */
void put_frame(struct bytes *to, const void *frame, size_t size);

/* Random numbers, the same everywhere. */
void seed(uint64_t value);
uint32_t pick(uint32_t below);

/* What the lines of a stream go through. */
enum {
  CRLF = 1,
  CRCRLF = 2,
  PREFIX = 4,
  COLOUR = 8,
  BETWEEN = 16, /* lines of text between a frame's lines */
  WRAP = 32,
  BINARY = 64,
  MIXED = 128,
  ALIKE = 512, /* lines of text differ in a number only */
  BROKEN = 256, /* lines of text begin with a LF, too */
  PADDED = 1024 /* blanks up to column 80, and one TAB */
};

struct stream {
  struct bytes wire; /* what the scanner gets */
  struct bytes text; /* and what it must make of it */
  struct bytes frames;
};

/* A frame with a body of random bytes, encoded as it leaves the target; and
 * without, to frames. */
void make_frame(struct bytes *encoded, struct bytes *frames, bool binary,
                size_t body);

/* A line of a log, with some of what could be taken for a frame's. */
void make_line(struct bytes *to, unsigned flags);

/* Frames between lines; into each frame some lines are spliced. */
void make_stream(struct stream *stream, unsigned flags, unsigned splices);

#endif
