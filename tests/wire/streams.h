/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes streams for the scanner: frames in the runtime's encoding, and lines of
 * text, changed as consoles change them.
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

/* Appends the size of a frame, and the frame without encoding. */
void put_frame(struct bytes *to, const void *frame, size_t size);

/* Random numbers, which depend only on the seed. */
void seed(uint64_t value);
uint32_t pick(uint32_t below);

/* The changes to the lines of a stream. */
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
  struct bytes wire; /* input of the scanner */
  struct bytes text; /* expected output: this text, and `frames` */
  struct bytes frames;
};

/* Appends a frame with a random body of `body` bytes to `encoded`, as the
 * target sends it, and to `frames`, without encoding. */
void make_frame(struct bytes *encoded, struct bytes *frames, bool binary,
                size_t body);

/* Appends a line of a log. Parts of it look like a frame. */
void make_line(struct bytes *to, unsigned flags);

/* Makes a stream of frames between lines of text. Splices up to `splices` lines
 * into each frame. */
void make_stream(struct stream *stream, unsigned flags, unsigned splices);

#endif
