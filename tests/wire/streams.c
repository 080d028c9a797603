/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes streams, and knows what must come out. Not for what the scanner may
 * take in two ways: a line that begins with a { or has a ~ just behind a
 * mark's ~; a line spliced in between CR and LF.
 */
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

static uint64_t state;

void seed(uint64_t value) { state = value; }

uint32_t pick(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % below;
}

void put(struct bytes *to, const void *bytes, size_t size) {
  if (size > ROOM - to->size)
    abort();
  memcpy(to->at + to->size, bytes, size);
  to->size += size;
}

void put_string(struct bytes *to, const char *string) {
  put(to, string, strlen(string));
}

bool same(const struct bytes *a, const struct bytes *b) {
  return a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

void put_frame(struct bytes *to, const void *frame, size_t size) {
  const unsigned char head[2] = {(unsigned char)size,
                                 (unsigned char)(size >> 8)};
  put(to, head, 2);
  put(to, frame, size);
}

static int to_bytes(void *context, const void *bytes, size_t size) {
  put(context, bytes, size);
  return 0;
}

/* The bytes of a frame on their way into the encoding. */
static unsigned char raw[1 << 14];
static size_t raw_size;

static void keep(unsigned what) {
  if (what < 256)
    raw[raw_size++] = (unsigned char)what;
}

static struct bareprof_stream *keep_and_text(struct bareprof_stream *stream,
                                             unsigned what) {
  keep(what);
  return bareprof_text(stream, what);
}

static struct bareprof_stream *keep_and_binary(struct bareprof_stream *stream,
                                               unsigned what) {
  keep(what);
  return bareprof_binary(stream, what);
}

void make_frame(struct bytes *encoded, struct bytes *frames, bool binary,
                size_t body) {
  const struct bareprof_sink sink = {to_bytes, encoded};
  struct bareprof_stream stream = {
      .sink = &sink, .encoding = binary ? keep_and_binary : keep_and_text};
  stream.frames = pick(256);
  stream.dump = pick(65536);
  raw_size = 0;
  bareprof_frame_begin(&stream, BAREPROF_FRAME_DATA | pick(6) << 3);
  while (body--)
    bareprof_frame_put_byte(&stream, pick(256));
  bareprof_frame_end(&stream);
  put_frame(frames, raw, raw_size);
}

static const char *line_end(unsigned flags) {
  return flags & CRLF ? "\r\n" : flags & CRCRLF ? "\r\r\n" : "\n";
}

void make_line(struct bytes *to, unsigned flags) {
  static const char *const lines[] = {"[tick %u] all is well",
                                      "tick %u",
                                      "tick",
                                      "%u",
                                      "{\"tick\": %u}",
                                      "/tmp is %u %% full",
                                      "T\xC3\xBCr %u \xE2\x86\x92 offen",
                                      "a }, %u",
                                      "\x1B[31mno %u\x1B[0m",
                                      "temperature/%u",
                                      "Zm9vYmFy+%u",
                                      "~/x %u"};
  char line[80];
  const char *format =
      lines[flags & ALIKE ? 1 : pick(sizeof lines / sizeof *lines)];
  snprintf(line, sizeof line, format, pick(10000));
  if (flags & BROKEN)
    put_string(to, "\n");
  if (flags & BROKEN)
    put_string(to, "\n");
  put_string(to, line);
  put_string(to, line_end(flags));
}

static void put_line(struct stream *stream, unsigned flags) {
  size_t from = stream->wire.size;
  make_line(&stream->wire, flags);
  put(&stream->text, stream->wire.at + from, stream->wire.size - from);
}

static void put_front(struct bytes *to, unsigned flags) {
  char prefix[64];
  unsigned time = pick(86400), thread = pick(1000);
  snprintf(prefix, sizeof prefix,
           "[%02u:%02u:%02u.%03u] <inf> app%u: ", time / 3600, time / 60 % 60,
           time % 60, pick(1000), thread);
  if (flags & COLOUR)
    put_string(to, "\x1B[1;32m");
  if (flags & PREFIX)
    put_string(to, prefix);
}

/* A frame's lines on their way through a logger. What is in front of a frame
 * is dropped only if it is known to be a prefix. */
static void put_lines(struct stream *stream, const struct bytes *encoded,
                      unsigned flags, bool known) {
  struct bytes *wire = &stream->wire;
  for (size_t at = 0; at < encoded->size;) {
    const unsigned char *line = encoded->at + at;
    const unsigned char *end = memchr(line, '\n', encoded->size - at);
    for (unsigned i = at && flags & BETWEEN ? pick(4) : 0; i; i--)
      put_line(stream, flags);
    size_t front = wire->size;
    put_front(wire, flags);
    if (at == 0 && !known)
      put(&stream->text, wire->at + front, wire->size - front);
    put(wire, line, (size_t)(end - line));
    if (flags & COLOUR)
      put_string(wire, "\x1B[0m");
    while (flags & PADDED && wire->size - front < 80)
      put_string(wire, " ");
    if (flags & PADDED)
      put_string(wire, "\t");
    put_string(wire, line_end(flags));
    at = (size_t)(end - encoded->at) + 1;
  }
  if (flags & COLOUR && !known)
    put_string(&stream->text, "\x1B[0m");
}

/* A line into a frame, at a place. */
static size_t splice_line(struct stream *stream, struct bytes *encoded,
                          size_t at, unsigned flags) {
  static struct bytes line, behind;
  bool mark = at == 1 && encoded->at[1] == '{';
  line.size = behind.size = 0;
  do {
    line.size = 0;
    make_line(&line, flags);
  } while (mark && (line.at[0] == '{' || line.at[0] == '~'));
  put(&behind, encoded->at + at, encoded->size - at);
  encoded->size = at;
  put(encoded, line.at, line.size);
  put(encoded, behind.at, behind.size);
  put(&stream->text, line.at, line.size);
  return line.size;
}

/* Lines at random places, from behind its first byte to before its last. */
static void splice(struct stream *stream, struct bytes *encoded, unsigned lines,
                   unsigned flags) {
  for (size_t at = 1; lines; lines--) {
    size_t last = encoded->size - 1;
    last -= encoded->at[last] == '\n';
    at += pick((uint32_t)((last - at) / lines + 1));
    at += splice_line(stream, encoded, at, flags);
  }
}

/* As a terminal does: a new line when one is full. Colours have no width. */
static void wrap(struct bytes *bytes, size_t columns) {
  static struct bytes copy;
  size_t column = 0;
  bool colour = false;
  copy = *bytes;
  bytes->size = 0;
  for (size_t i = 0; i < copy.size; i++) {
    unsigned char byte = copy.at[i];
    colour |= byte == 0x1B;
    if (byte == '\n' || byte == '\r')
      column = 0;
    else if (!colour && column++ == columns) {
      put_string(bytes, "\r\n");
      column = 1;
    }
    colour = colour && byte != 'm';
    put(bytes, &byte, 1);
  }
}

void make_stream(struct stream *stream, unsigned flags, unsigned splices) {
  static struct bytes encoded;
  stream->wire.size = stream->text.size = stream->frames.size = 0;
  for (unsigned i = 0; i < STREAM_FRAMES; i++) {
    bool binary = flags & BINARY || (flags & MIXED && pick(2));
    encoded.size = 0;
    make_frame(&encoded, &stream->frames, binary, i == 0 ? 200 : pick(260));
    for (unsigned k = pick(4); k; k--)
      put_line(stream, flags);
    splice(stream, &encoded, splices, flags);
    if (binary || splices)
      put(&stream->wire, encoded.at, encoded.size);
    else
      put_lines(stream, &encoded, flags, flags & PREFIX && i > 0);
  }
  if (flags & WRAP)
    wrap(&stream->wire, 80);
}
