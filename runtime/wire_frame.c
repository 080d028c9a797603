/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns numbers into the bytes that the sink gets. Numbers are coded in a
 * prefix code and put into a frame with a CRC; the frame's bytes are encoded as
 * TEXT or BINARY. wire_dump.c and wire_full.c call these functions. The sink
 * gets whole lines (TEXT) or up to 76 bytes at once (BINARY), and the rest at
 * the end of a frame. The page docs/reference/wire-format.md describes the
 * format.
 */
#include "wire.h"
#include "shared.h"

/* ---- the line buffer of a stream ---- */

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

/* ---- TEXT: lines of base64 ---- */

/* Puts the base64 character for the lower six bits of value into the line. */
static struct bareprof_stream *put_sixth(struct bareprof_stream *stream,
                                         unsigned value) {
  value &= 63;
  if (stream->column == BAREPROF_TEXT_COLUMNS) {
    stream = bareprof_line_put(stream, '\n');
    stream = bareprof_line_flush(stream);
    stream = bareprof_line_put(stream, BAREPROF_TEXT_MARK);
    stream->column = 0;
  }
  stream->column++;
  return bareprof_line_put(stream, bareprof_base64_character(value));
}

/* Encodes bytes as base64. A character has 6 bits, so 0, 2 or 4 bits of a byte
 * wait for the next byte (stream->waiting). */
struct bareprof_stream *bareprof_text(struct bareprof_stream *stream,
                                      unsigned what) {
  unsigned waiting = stream->waiting;
  if (what == BAREPROF_ENCODING_BEGIN) {
    stream = bareprof_line_put(stream, BAREPROF_TEXT_MARK);
    stream = bareprof_line_put(stream, BAREPROF_TEXT_BEGIN);
    stream->column = stream->waiting = 0;
  } else if (what == BAREPROF_ENCODING_END) {
    if (waiting)
      stream = put_sixth(stream, (unsigned)stream->last << (6 - waiting));
    stream = bareprof_line_put(stream, BAREPROF_TEXT_END);
    stream = bareprof_line_put(stream, '\n');
  } else {
    unsigned bits = (unsigned)stream->last << 8 | what;
    stream->last = (uint8_t)what;
    waiting += 8 - 6;
    stream = put_sixth(stream, bits >> waiting);
    if (waiting == 6) {
      stream = put_sixth(stream, bits);
      waiting = 0;
    }
    stream->waiting = (uint8_t)waiting;
  }
  return stream;
}

/* ---- BINARY: frames between two bytes that UTF-8 text never has ---- */

_Static_assert((BAREPROF_BINARY_BEGIN ^ BAREPROF_ENCODING_BEGIN) == 0x1FA &&
                   (BAREPROF_BINARY_END ^ BAREPROF_ENCODING_END) == 0x1FA,
               "an encoding's code XOR 0x1FA is the mark");

struct bareprof_stream *bareprof_binary(struct bareprof_stream *stream,
                                        unsigned what) {
  if (what > 255) {
    what ^= 0x1FA;
  } else if (what - BAREPROF_BINARY_BEGIN <= 2) {
    stream = bareprof_line_put(stream, BAREPROF_BINARY_ESCAPE);
    what ^= BAREPROF_BINARY_FLIP;
  }
  return bareprof_line_put(stream, what);
}

/* ---- frames ---- */

uint32_t bareprof_crc32(uint32_t crc, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  uint32_t state = ~crc;
  while (size--)
    state = bareprof_crc32_step(state, *byte++);
  return ~state;
}

struct bareprof_stream *bareprof_frame_put_byte(struct bareprof_stream *stream,
                                                unsigned byte) {
  stream->check = bareprof_crc32_step(stream->check, (unsigned char)byte);
  stream->bytes++;
  return stream->encoding(stream, byte & 255);
}

struct bareprof_stream *
bareprof_frame_put_varint(struct bareprof_stream *stream, uintptr_t value) {
  uintptr_t rest;
  do {
    rest = value >> 7;
    stream =
        bareprof_frame_put_byte(stream, (unsigned)value | (rest ? 128 : 0));
    value = rest;
  } while (rest);
  return stream;
}

struct bareprof_stream *bareprof_frame_put_word(struct bareprof_stream *stream,
                                                uint32_t value) {
  unsigned bytes = 4;
  do {
    stream = bareprof_frame_put_byte(stream, value);
    value >>= 8;
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
  return bareprof_frame_put_word(stream, head | stream->dump << 8 |
                                             stream->frames << 24);
}

struct bareprof_stream *bareprof_frame_end(struct bareprof_stream *stream) {
  uint32_t check = ~stream->check;
  stream->sum += check;
  stream = bareprof_frame_put_word(stream, check);
  stream->frames++;
  stream = stream->encoding(stream, BAREPROF_ENCODING_END);
  return bareprof_line_flush(stream);
}

/* ---- numbers, in a prefix code ----
 *
 * Counters of real firmware are mostly 0, or equal to one of the last few
 * counters. Other counters are about as large as the counters before them. The
 * code here has neither a division nor a 64-bit shift by a variable, because on
 * small cores both are calls of the compiler's library. */

/* Puts the lower `count` bits of value into the frame. Bits wait in
 * stream->coded until they fill a byte; the bit above them is 1 and marks their
 * end. */
static struct bareprof_stream *put_bits(struct bareprof_stream *stream,
                                        uint32_t value, unsigned count) {
  while (count--) {
    uint32_t bits = stream->coded << 1 | (value >> count & 1);
    if (bits & 256) {
      stream = bareprof_frame_put_byte(stream, bits);
      bits = 1;
    }
    stream->coded = bits;
  }
  return stream;
}

/* The code of a number begins with the index of its kind (wire_coder.h):
 * `index` ones, then a 0. The constant ~1u is 31 ones and a 0. put_bits takes
 * only the lower `count` bits of it, so the constant serves for any index. */
struct bareprof_stream *bareprof_coder_put(struct bareprof_stream *stream,
                                           uint64_t value) {
  struct bareprof_coder *coder = &stream->coder;
  uint32_t high = (uint32_t)(value >> 32), low = (uint32_t)value;
  unsigned kind = bareprof_coder_track_kind(coder, value);
  unsigned count = bareprof_coder_kind_index(coder->kind, kind) + 1;
  coder->kind = kind > BAREPROF_CODER_AGAIN ? BAREPROF_CODER_AGAIN : kind;
  if (kind != BAREPROF_CODER_NEW)
    return put_bits(stream, ~1u, count);
  uint32_t change = coder->size;
  coder->size = bareprof_coder_number_size(low, high);
  uint32_t code = bareprof_coder_size_code(change ^ coder->size, &count);
  stream = put_bits(stream, code, count);
  if (high)
    stream = put_bits(stream, high, 32);
  return put_bits(stream, low, coder->size);
}

struct bareprof_stream *bareprof_data_begin(struct bareprof_stream *stream,
                                            unsigned head, size_t place) {
  stream = bareprof_frame_begin(stream, head);
  return bareprof_frame_put_varint(stream, place);
}

struct bareprof_stream *bareprof_data_end(struct bareprof_stream *stream) {
  stream = put_bits(stream, 0x80, 8);
  return bareprof_frame_end(stream);
}
