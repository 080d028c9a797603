/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of the wire share: a stream of frames to a sink. wire_dump.c
 * makes dumps, and wire_full.c the pieces that only full dumps have. Numbers go
 * to wire_frame.c, which makes frames, lines and bytes. wire_request.c receives
 * the host's requests. docs/reference/wire-format.md describes the format.
 */
#ifndef BAREPROF_RUNTIME_WIRE_H
#define BAREPROF_RUNTIME_WIRE_H

#include "bareprof_wire.h"
#include "wire_coder.h"
#include "image.h"
#include "image_layout.h"

#define BAREPROF_WIRE_FORMAT 3

enum bareprof_frame_type {
  BAREPROF_FRAME_HEADER,
  BAREPROF_FRAME_DATA,
  BAREPROF_FRAME_END,
  BAREPROF_FRAME_ANSWER,
  BAREPROF_FRAME_REQUEST,
  BAREPROF_FRAME_LEAN, /* the first one of a compact dump */
  BAREPROF_FRAME_COUNTS,
  BAREPROF_FRAME_REFUSED
};

/* The pieces of a dump: the pieces of an image, and the slots of values. */
enum { BAREPROF_PIECE_SLOTS = BAREPROF_SPANS, BAREPROF_PIECES };

/* Flags of a header frame. */
enum {
  BAREPROF_WIRE_BIG_ENDIAN = 1,
  BAREPROF_WIRE_LEAN = 2, /* records and names are in the ELF only */
  BAREPROF_WIRE_WIDE = 4, /* 8-byte pointers */
  BAREPROF_WIRE_KIND_SHIFT = 4,
  BAREPROF_WIRE_NARROW = 64,    /* code counts with 32 bits; without the next
                                 flag, counts are modulo 2^32 */
  BAREPROF_WIRE_FOLDED = 128,   /* counters are as bareprof_fold leaves them */
  BAREPROF_WIRE_OPTIONS = 0xF2, /* flags with the same bit in options: LEAN,
                                   the kind, 0 to 3, the widths */
  BAREPROF_WIRE_KNOWN = 0xF7    /* a receiver refuses all other flags */
};

/* Flags in the head of a LEAN frame; widths are as in a header. The flag FORMAT
 * says that the body begins with a byte for the format, and for log2 of the
 * bytes of a counter. */
enum {
  BAREPROF_LEAN_WIDTH = 3,
  BAREPROF_LEAN_FORMAT = 1 << BAREPROF_LEAN_WIDTH,
  BAREPROF_LEAN_BIG_ENDIAN = 1 << 5,
  BAREPROF_LEAN_FORMAT_WIDTH = 6, /* in the byte of the format */
  BAREPROF_LEAN_BITS = 1,         /* a bit for each counter: tiny_bits.c */
  BAREPROF_LEAN_BITS_COUNT = 16   /* bit position of their number */
};

/* The flag in the head of an ANSWER: an ordinal follows the error. */
enum { BAREPROF_ANSWER_ORDINAL = 1 << 3 };
enum { BAREPROF_LEAN_ID = 8 /* bytes of the build id */ };
enum { BAREPROF_KIND_PROFILE, BAREPROF_KIND_MIP, BAREPROF_KIND_SAMPLES };

/* A request's frame: the offset of the ranges, the size of a range, and of the
 * CRC after them. */
enum {
  BAREPROF_RANGES_AT = 12,
  BAREPROF_RANGE_BYTES = 9,
  BAREPROF_CHECK_BYTES = 4
};

/* The states of a request. feed may run in an interrupt, or on another core
 * than serve. In the state COMPLETE the request belongs to serve, which hands
 * it back by storing another state; in all other states it belongs to feed. */
enum {
  BAREPROF_REQUEST_OUTSIDE,
  BAREPROF_REQUEST_MARKED,
  BAREPROF_REQUEST_INSIDE,
  BAREPROF_REQUEST_COMPLETE
};

/* Offsets in a request's frame. */
enum {
  BAREPROF_REQUEST_ADDRESS = 1,
  BAREPROF_REQUEST_TAG = 4,
  BAREPROF_REQUEST_NAME = 8,
  BAREPROF_REQUEST_COMMAND = 10,
  BAREPROF_REQUEST_OPTIONS = 11
};
enum { BAREPROF_TAGS_PAST = 256 };
enum { BAREPROF_REQUEST_ANY = 255, BAREPROF_REQUEST_AS_IT_LIKES = 0x80 };

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

/* A frame ends when its body has this many bytes: few enough that a bad link
 * loses little, enough that the 12 other bytes cost little. */
enum { BAREPROF_BODY_BYTES = 300 };

/* A stream of frames, on the stack of the function that sends. Begins with
 * image, sink, encoding and options, and with the wire whose request it
 * answers; all other members are 0. */
struct bareprof_stream {
  const struct bareprof_image *image;
  const struct bareprof_sink *sink;
  bareprof_encoding *encoding;
  unsigned options;
  int error;       /* the sink's; then nothing more goes out */
  uint32_t check;  /* complement of the CRC of the frame so far */
  uint32_t coded;  /* bits that do not fill a byte yet, below a 1 */
  uint8_t used;    /* bytes in line */
  uint8_t column;  /* TEXT: characters on this line */
  uint8_t last;    /* TEXT: the byte before */
  uint8_t waiting; /* TEXT: how many of its bits fill no character yet */
  uint32_t bytes;  /* of the frame so far */
  struct bareprof_coder coder;
  uint32_t dump;   /* the upper half of the state: which dump, 0 to 65535 */
  uint32_t place;  /* the lower half in bits 16 to 31; the ordinal of this dump,
                      name or answer in bits 8 to 15 */
  uint32_t seed;   /* initial value of CRCs after a LEAN frame */
  uint32_t frames; /* of this dump so far */
  uint32_t sum;    /* of the CRCs of all frames so far */
  unsigned shift;  /* log2 of the bytes of a counter */
  size_t counters; /* number of counters */
  size_t counts;   /* number of counters and bytes of the bitmap */
  size_t at;       /* the next count */
  const struct bareprof_wire *wire;
  unsigned char line[BAREPROF_TEXT_COLUMNS + 4];
};

/* What an encoding gets besides the bytes of a frame. */
enum { BAREPROF_ENCODING_BEGIN = 256, BAREPROF_ENCODING_END };

/* Functions that put something into a stream return the stream. Callers go on
 * with the returned pointer, which is already in the first register, and need
 * no register that survives the call. */

/* wire_frame.c: sends a byte unencoded; sends all held bytes to the sink. */
struct bareprof_stream *bareprof_line_put(struct bareprof_stream *stream,
                                          unsigned byte);
struct bareprof_stream *bareprof_line_flush(struct bareprof_stream *stream);

/* wire_frame.c: begin sends the mark and the head, byte, varint and word (its
 * lowest byte first) are for the body, end sends the CRC and the mark. */
struct bareprof_stream *bareprof_frame_word(struct bareprof_stream *stream,
                                            uint32_t value);
struct bareprof_stream *bareprof_frame_begin(struct bareprof_stream *stream,
                                             unsigned head);
struct bareprof_stream *bareprof_frame_byte(struct bareprof_stream *stream,
                                            unsigned byte);
struct bareprof_stream *bareprof_frame_varint(struct bareprof_stream *stream,
                                              uintptr_t value);
struct bareprof_stream *bareprof_frame_end(struct bareprof_stream *stream);

/* values_wire.c: ends a header frame in place of bareprof_frame_end. Announces
 * the slots of values, and sends the slots that a request asks for. */
struct bareprof_stream *bareprof_values_header(struct bareprof_stream *stream);

/* wire_frame.c: put codes a number into the body of a frame. A data frame has
 * the index of its first number, then coded numbers. */
struct bareprof_stream *bareprof_coder_put(struct bareprof_stream *stream,
                                           uint64_t value);
struct bareprof_stream *bareprof_data_begin(struct bareprof_stream *stream,
                                            unsigned head, size_t place);
struct bareprof_stream *bareprof_data_end(struct bareprof_stream *stream);

/* wire_dump.c: dump_check returns 0 if a dump can be made, or the error.
 * dump_number begins a dump: sets its state, a hash of the counts and of
 * reason; its ordinal; the boot number, unless options have one; and how many
 * counts there are. An image without a guard has neither ordinal nor boot
 * number. Returns the flags of the counters' width. */
int bareprof_dump_check(const struct bareprof_image *image);
unsigned bareprof_dump_number(struct bareprof_stream *stream, uint32_t reason);

/* A step of the hash of a dump's contents: takes in the lower half of an
 * element. Like FNV-1a, but with the factor 1025, which is a shift and an
 * addition. */
static inline uint32_t bareprof_state_step(uint32_t state, uint64_t element) {
  state ^= (uint32_t)element;
  return state + (state << 10);
}

static inline unsigned
bareprof_stream_ordinal(const struct bareprof_stream *stream) {
  return (uint8_t)(stream->place >> 8);
}

/* wire_dump.c: counts are the counters, then the bytes of the bitmap, as one
 * array. Puts the counts from stream->at up to, not including, stream->counts
 * into the frame that has begun, and into as many more as they need. */
struct bareprof_stream *bareprof_counts_put(struct bareprof_stream *stream);

/* Lean dumps. wire_dump.c: a compact one; a mixed one, with header and end.
 * values_wire.c: the mixed one if the image has slots, else the compact one. */
typedef void bareprof_lean(struct bareprof_stream *stream, uint32_t tag);
bareprof_lean bareprof_dump_lean, bareprof_dump_mixed, bareprof_values_lean;

/* wire_dump.c: the parts of a dump: its header (reason: twice the request's
 * tag, plus 1 if the request names ranges); counts from first up to, not
 * including, end; its end. */
void bareprof_dump_begin(struct bareprof_stream *stream, uint32_t reason);
void bareprof_dump_counts(struct bareprof_stream *stream, size_t first,
                          size_t end);
void bareprof_dump_end(struct bareprof_stream *stream);

/* wire_full.c: elements of a piece that LEAN leaves to the ELF; all such
 * pieces.
 */
void bareprof_dump_constants(struct bareprof_stream *stream, unsigned piece,
                             size_t first, size_t end);
void bareprof_full(struct bareprof_stream *stream);

/* Returns 0 if a lean or a full dump can be made, or the error. */
static inline int bareprof_lean_check(const struct bareprof_image *image) {
  int error = bareprof_dump_check(image);
  if (!error && bareprof_span_size(&image->build_id) < 16 + BAREPROF_LEAN_ID)
    error = BAREPROF_E_NO_BUILD_ID;
  return error;
}

static inline int bareprof_full_check(const struct bareprof_image *image) {
  int error = bareprof_dump_check(image);
  if (!error && image->records.begin == image->records.end)
    error = BAREPROF_E_NO_RECORDS;
  return error;
}

/* Sends the error of a dump that cannot be made, and returns the error. An
 * image without instrumented code is a release, and sends nothing. Inline,
 * because most programs have one caller. */
static inline __attribute__((always_inline)) int
bareprof_refuse(struct bareprof_stream *stream, int error) {
  if (error < BAREPROF_E_EMPTY) {
    stream->dump = stream->options >> 8;
    stream = bareprof_data_begin(stream, BAREPROF_FRAME_REFUSED,
                                 0u - (unsigned)error);
    bareprof_frame_end(stream);
  }
  return error;
}

/* The end of a request's ranges. */
static inline const uint8_t *
bareprof_ranges_end(const struct bareprof_wire *wire) {
  return &wire->bytes[wire->size - BAREPROF_CHECK_BYTES];
}

/* Whether a reset is to be done. A new tag is neither the last tag nor one just
 * before it: the host repeats a request, and a link may delay one. */
static inline bool bareprof_tag_is_new(const struct bareprof_wire *wire,
                                       uint32_t tag) {
  return wire->reset - tag >= BAREPROF_TAGS_PAST;
}

/* A number in a request. */
static inline uint32_t bareprof_request_load32(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
         (uint32_t)at[3] << 24;
}

/* Whether the frame has room for another element. */
static inline bool bareprof_frame_room(const struct bareprof_stream *stream) {
  return stream->bytes < BAREPROF_BODY_BYTES;
}

/* Maps numbers near 0, of either sign, to small ones. */
static inline uintptr_t bareprof_zigzag(intptr_t value) {
  return (uintptr_t)value << 1 ^ (value < 0 ? UINTPTR_MAX : 0);
}

/* Begins an answer, up to the text of a name. Inline, because most programs
 * have one caller. */
static inline void bareprof_answer_begin(struct bareprof_stream *stream,
                                         uint32_t tag, unsigned command,
                                         int result) {
  stream->dump = stream->options >> 8;
  stream = bareprof_data_begin(
      stream, BAREPROF_FRAME_ANSWER | BAREPROF_ANSWER_ORDINAL, tag);
  bareprof_frame_word(stream, command | (uint32_t)bareprof_zigzag(result) << 8 |
                                  bareprof_stream_ordinal(stream) << 16 |
                                  BAREPROF_WIRE_FORMAT << 24);
}

/* Answers a request. */
static inline void bareprof_answer(struct bareprof_stream *stream,
                                   const struct bareprof_wire *wire,
                                   uint32_t tag, int result) {
  bareprof_answer_begin(stream, tag, wire->bytes[BAREPROF_REQUEST_COMMAND],
                        result);
  bareprof_frame_end(stream);
}

/* Sends a header's fields up to the pieces. Inline, because programs send
 * either profiles or samples. */
static inline void bareprof_header_begin(struct bareprof_stream *stream,
                                         uint32_t reason, uint64_t version,
                                         const struct bareprof_span *note) {
  uint32_t variant = (uint32_t)(version >> 32);
  uint32_t id_size = bareprof_note_id_size(stream->image, note);
  unsigned flags = stream->options & BAREPROF_WIRE_OPTIONS;
  if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
    flags |= BAREPROF_WIRE_BIG_ENDIAN;
  if (sizeof(void *) == 8)
    flags |= BAREPROF_WIRE_WIDE;
  const uintptr_t fields[] = {BAREPROF_WIRE_FORMAT,
                              bareprof_stream_ordinal(stream),
                              flags,
                              stream->options >> 8,
                              reason,
                              (uint32_t)version,
                              variant << 8 | variant >> 24,
                              id_size};
  _Static_assert(BAREPROF_WIRE_LEAN == BAREPROF_LEAN, "one is the other");
  bareprof_frame_begin(stream, BAREPROF_FRAME_HEADER);
  for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
    bareprof_frame_varint(stream, fields[i]);
  for (uint32_t i = 0; i < id_size; i++)
    bareprof_frame_byte(stream, note->begin[16 + i]);
}

/* Sends a piece of a header: twice its number, plus 1 if it is lean; its size;
 * its distance from the end of the piece before. */
static inline void bareprof_header_piece(struct bareprof_stream *stream,
                                         unsigned head, size_t size,
                                         uintptr_t distance) {
  stream = bareprof_frame_byte(stream, head);
  stream = bareprof_frame_varint(stream, size);
  bareprof_frame_varint(stream, bareprof_zigzag((intptr_t)distance));
}

#endif
