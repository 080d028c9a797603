/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A frame's bytes and its check. docs/wire-format.md describes the format. The
 * sink gets whole lines (TEXT) or up to 76 bytes at once, and what is left at
 * a frame's end: no frame is held back.
 */
#include "wire.h"

void bareprof_line_flush(struct bareprof_stream *stream) {
  if (!stream->error)
    stream->error =
        stream->sink->write(stream->sink->context, stream->line, stream->used);
  stream->used = 0;
}

void bareprof_line_put(struct bareprof_stream *stream, unsigned byte) {
  if (stream->used == sizeof stream->line)
    bareprof_line_flush(stream);
  stream->line[stream->used++] = (unsigned char)byte;
}

void bareprof_frame_byte(struct bareprof_stream *stream, unsigned byte) {
  stream->check = bareprof_crc32_step(stream->check, (unsigned char)byte);
  stream->bytes++;
  stream->encoding(stream, byte & 255);
}

void bareprof_frame_varint(struct bareprof_stream *stream, uintptr_t value) {
  for (; value > 127; value >>= 7)
    bareprof_frame_byte(stream, (unsigned)value | 128);
  bareprof_frame_byte(stream, (unsigned)value);
}

void bareprof_frame_word(struct bareprof_stream *stream, uint32_t value) {
  unsigned bytes = 4;
  do {
    bareprof_frame_byte(stream, value);
    value >>= 8;
  } while (--bytes);
}

void bareprof_frame_begin(struct bareprof_stream *stream, unsigned head) {
  stream->encoding(stream, BAREPROF_ENCODING_BEGIN);
  stream->check = ~stream->seed;
  stream->coded = 1;
  stream->bytes = 0;
  stream->coder = (struct bareprof_coder){0};
  bareprof_frame_word(stream, head | stream->dump << 8 | stream->frames << 24);
}

void bareprof_frame_end(struct bareprof_stream *stream) {
  uint32_t check = ~stream->check;
  stream->sum += check;
  bareprof_frame_word(stream, check);
  stream->frames++;
  stream->encoding(stream, BAREPROF_ENCODING_END);
  bareprof_line_flush(stream);
}
