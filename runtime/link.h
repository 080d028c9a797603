/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The inside of the link: a stream of frames on its way to a sink, from the
 * numbers (coder.c) to the bytes and lines (frame.c). link.c describes the
 * format and makes dumps of it, request.c takes the host's wishes.
 */
#ifndef BAREPROF_RUNTIME_LINK_H
#define BAREPROF_RUNTIME_LINK_H

#include "bareprof_link.h"
#include "coder.h"
#include "crc32.h"
#include "image.h"
#include "layout.h"

#define BAREPROF_LINK_FORMAT 1

enum bareprof_frame_type {
  BAREPROF_FRAME_HEADER,
  BAREPROF_FRAME_DATA,
  BAREPROF_FRAME_END,
  BAREPROF_FRAME_ANSWER,
  BAREPROF_FRAME_REQUEST
};

/* The pieces of a dump. Those up to BAREPROF_SPANS are the spans of struct
 * bareprof_image from records on, in its order. */
enum bareprof_piece {
  BAREPROF_PIECE_RECORDS,
  BAREPROF_PIECE_COUNTERS,
  BAREPROF_PIECE_BITMAP,
  BAREPROF_PIECE_NAMES,
  BAREPROF_PIECE_VTABLES,
  BAREPROF_PIECE_VTABLE_NAMES,
  BAREPROF_SPANS,
  BAREPROF_PIECE_SLOTS = BAREPROF_SPANS,
  BAREPROF_PIECES
};

/* Flags of a header frame. */
enum {
  BAREPROF_LINK_BIG_ENDIAN = 1,
  BAREPROF_LINK_LEAN = 2, /* records and names are in the ELF only */
  BAREPROF_LINK_WIDE = 4, /* pointers of 8 bytes */
  BAREPROF_LINK_KIND_SHIFT = 4,
  BAREPROF_LINK_OPTIONS = 0x32 /* those that options have at the same place:
                                  LEAN, and the kind, 0 to 3 */
};
enum { BAREPROF_KIND_PROFILE, BAREPROF_KIND_MIP, BAREPROF_KIND_SAMPLES };

/* Commands of a request. */
enum { BAREPROF_COMMAND_DUMP = 1, BAREPROF_COMMAND_RESET = 2 };

/* Of a request's frame: where the ranges begin, bytes of each, and of the
 * check behind them. */
enum {
  BAREPROF_RANGES_AT = 7,
  BAREPROF_RANGE_BYTES = 9,
  BAREPROF_CHECK_BYTES = 4
};

/* The marks. TEXT: a frame is ~{...}, its further lines begin with ~. BINARY:
 * bytes that UTF-8 text never has. */
#define BAREPROF_TEXT_MARK '~'
#define BAREPROF_TEXT_BEGIN '{'
#define BAREPROF_TEXT_END '}'
enum {
  BAREPROF_TEXT_COLUMNS = 72, /* base64 characters of a full line */
  BAREPROF_BINARY_BEGIN = 0xFA,
  BAREPROF_BINARY_END = 0xFB,
  BAREPROF_BINARY_ESCAPE = 0xFC,
  BAREPROF_BINARY_FLIP = 0x20
};

/* When a frame's body has these many bytes, it is ended. Small enough that a
 * bad line loses little, large enough that the 13 bytes about it and a model
 * that has learnt nothing cost little. */
enum { BAREPROF_BODY_BYTES = 300, BAREPROF_BODY_ELEMENTS = 32768 };

/* Frames on their way. Lives on the stack of bareprof_send; all zeros but
 * sink, armor, options and image at first, and the link whose request it
 * answers. */
struct bareprof_stream {
  const struct bareprof_image *image;
  const struct bareprof_sink *sink;
  bareprof_armor *armor;
  const struct bareprof_link *link;
  unsigned options;
  int error;       /* the sink's; then nothing more goes out */
  uint32_t dump;   /* which, 0 to 65535 */
  uint32_t frames; /* of this dump until now */
  uint32_t chain;  /* CRC of the CRCs of all frames until now */
  uint32_t check;  /* complement of the CRC of the frame until now */
  uint32_t bytes;  /* of the frame until now */
  unsigned bits;   /* TEXT: bits that wait for a full character, below a 1 */
  unsigned column; /* TEXT: characters on this line */
  unsigned used;   /* bytes in line */
  struct bareprof_model model;
  unsigned char line[BAREPROF_TEXT_COLUMNS + 4];
};

/* text.c, binary.c: what is not a byte of a frame. */
enum { BAREPROF_ARMOR_BEGIN = 256, BAREPROF_ARMOR_END };

/* frame.c: a byte as it is, and all that are held back, to the sink. */
void bareprof_line_put(struct bareprof_stream *stream, unsigned byte);
void bareprof_line_flush(struct bareprof_stream *stream);

/* frame.c: a frame's first bytes, its body, its check and end. */
void bareprof_frame_begin(struct bareprof_stream *stream, unsigned head);
void bareprof_frame_byte(struct bareprof_stream *stream, unsigned byte);
void bareprof_frame_varint(struct bareprof_stream *stream, uintptr_t value);
void bareprof_frame_end(struct bareprof_stream *stream);

/* values_link.c: ends a header frame, in place of bareprof_frame_end:
 * announces the slots of values, and sends those that are asked for. */
void bareprof_values_header(struct bareprof_stream *stream);

/* coder.c: a number into the body of a frame. */
void bareprof_coder_put(struct bareprof_stream *stream, uint64_t value);

/* link.c: a dump step by step: whether it can be made; its header (reason:
 * twice the request's tag, plus 1 if only ranges were asked for); elements of
 * a piece, from first on, before end (cut to what there is); its end. Counters
 * and bitmap are for dump_counts, all else is for full.c's dump_constants. */
int bareprof_dump_check(const struct bareprof_image *image, unsigned options);
void bareprof_dump_begin(struct bareprof_stream *stream, unsigned reason);
void bareprof_dump_counts(struct bareprof_stream *stream, unsigned piece,
                          size_t first, size_t end);
void bareprof_dump_constants(struct bareprof_stream *stream, unsigned piece,
                             size_t first, size_t end);
void bareprof_dump_end(struct bareprof_stream *stream);

/* Around the payload of a data frame, which has count elements. The coder's
 * last byte tells where in the range the end lies: the decoder reads zeros
 * behind it. It is above low, because their first bytes differ. Inline, for
 * there are two callers, and most programs have only one. */
static inline void bareprof_data_begin(struct bareprof_stream *stream,
                                       unsigned piece, size_t first) {
  bareprof_frame_begin(stream, BAREPROF_FRAME_DATA | piece << 3);
  bareprof_frame_varint(stream, first);
  __builtin_memset(&stream->model, 0, sizeof stream->model);
  stream->model.high = UINT32_MAX;
}

static inline void bareprof_data_end(struct bareprof_stream *stream,
                                     size_t count, bool coded) {
  if (coded)
    bareprof_frame_byte(stream, stream->model.high >> 24);
  bareprof_frame_byte(stream, (unsigned)count);
  bareprof_frame_byte(stream, (unsigned)(count >> 8));
  bareprof_frame_end(stream);
}

/* Behind the ranges of a request. */
static inline const uint8_t *
bareprof_ranges_end(const struct bareprof_link *link) {
  return &link->bytes[link->size - BAREPROF_CHECK_BYTES];
}

/* A number in a request. */
static inline uint32_t bareprof_request_load32(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
         (uint32_t)at[3] << 24;
}

/* Whether a data frame of count elements may have another one. */
static inline bool bareprof_data_room(const struct bareprof_stream *stream,
                                      size_t count) {
  return stream->bytes < BAREPROF_BODY_BYTES && count != BAREPROF_BODY_ELEMENTS;
}

static inline const struct bareprof_span *
bareprof_piece(const struct bareprof_stream *stream, unsigned piece) {
  return &stream->image->records + piece;
}

/* Numbers near 0, of either sign, as small ones. */
static inline uintptr_t bareprof_zigzag(intptr_t value) {
  return (uintptr_t)value << 1 ^ (value < 0 ? UINTPTR_MAX : 0);
}

#endif
