/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A frame's bytes and its check. docs/wire-format.md describes the format. The
 * sink gets whole lines (TEXT) or up to 76 bytes at once, and what is left at
 * a frame's end: no frame is held back.
 */
#include "wire.h"
#include "sink.h"

struct bareprof_stream *bareprof_line_flush(struct bareprof_stream *stream) {
  if (!stream->error)
    stream->error = bareprof_sink_put(stream->sink, stream->line, stream->used);
  stream->used = 0;
  BAREPROF_KEEP(stream);
  return stream;
}

struct bareprof_stream *bareprof_line_put(struct bareprof_stream *stream,
                                          unsigned byte) {
  if (stream->used == sizeof stream->line)
    stream = bareprof_line_flush(stream);
  stream->line[stream->used++] = (unsigned char)byte;
  return stream;
}

struct bareprof_stream *bareprof_frame_byte(struct bareprof_stream *stream,
                                            unsigned byte) {
  stream->check = bareprof_crc32_step(stream->check, (unsigned char)byte);
  stream->bytes++;
  return stream->encoding(stream, byte & 255);
}

struct bareprof_stream *bareprof_frame_varint(struct bareprof_stream *stream,
                                              uintptr_t value) {
  uintptr_t rest;
  do {
    rest = value >> 7;
    stream = bareprof_frame_byte(stream, (unsigned)value | (rest ? 128 : 0));
    value = rest;
  } while (rest);
  return stream;
}

struct bareprof_stream *bareprof_frame_word(struct bareprof_stream *stream,
                                            uint32_t value) {
  unsigned bytes = 4;
  do {
    stream = bareprof_frame_byte(stream, value);
    value >>= 8;
    BAREPROF_KEEP(bytes);
  } while (--bytes);
  return stream;
}

struct bareprof_stream *bareprof_frame_begin(struct bareprof_stream *stream,
                                             unsigned head) {
  stream = stream->encoding(stream, BAREPROF_ENCODING_BEGIN);
  stream->check = ~stream->seed;
  stream->coded = 1;
  stream->bytes = 0;
  stream->coder = (struct bareprof_coder){0};
  return bareprof_frame_word(stream,
                             head | stream->dump << 8 | stream->frames << 24);
}

struct bareprof_stream *bareprof_frame_end(struct bareprof_stream *stream) {
  uint32_t check = ~stream->check;
  stream->sum += check;
  stream = bareprof_frame_word(stream, check);
  stream->frames++;
  stream = stream->encoding(stream, BAREPROF_ENCODING_END);
  return bareprof_line_flush(stream);
}
