/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The inside of the wire: a stream of frames to a sink. wire_dump.c makes
 * dumps, wire_full.c what only full dumps have; wire_frame.c makes frames,
 * lines and bytes of their numbers, wire_request.c receives the host's
 * requests. docs/reference/wire-format.md describes the format.
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

/* The pieces of a dump: those of an image (bareprof.h), and the slots. */
enum { BAREPROF_PIECE_SLOTS = BAREPROF_SPANS, BAREPROF_PIECES };

/* Flags of a header frame. */
enum {
  BAREPROF_WIRE_BIG_ENDIAN = 1,
  BAREPROF_WIRE_LEAN = 2, /* records and names are in the ELF only */
  BAREPROF_WIRE_WIDE = 4, /* pointers of 8 bytes */
  BAREPROF_WIRE_KIND_SHIFT = 4,
  BAREPROF_WIRE_NARROW = 64,    /* code counts with 32 bits; without the next
                                 flag, counts are modulo 2^32 */
  BAREPROF_WIRE_FOLDED = 128,   /* counters are as bareprof_fold leaves them */
  BAREPROF_WIRE_OPTIONS = 0xF2, /* those that options have at the same place:
                                   LEAN, the kind, 0 to 3, the widths */
  BAREPROF_WIRE_KNOWN = 0xF7    /* a receiver refuses others */
};

/* Flags of a LEAN frame, in its head; widths are as in a header. At WIDTH
 * it has 1, which says that the body begins with the format, and log2 of the
 * bytes of a counter. */
enum {
  BAREPROF_LEAN_WIDTH = 3,
  BAREPROF_LEAN_FORMAT = 1 << BAREPROF_LEAN_WIDTH,
  BAREPROF_LEAN_BIG_ENDIAN = 1 << 5,
  BAREPROF_LEAN_FORMAT_WIDTH = 6, /* in the byte of the format */
  BAREPROF_LEAN_BITS = 1,         /* there: flags as bits, tiny_bits.c */
  BAREPROF_LEAN_BITS_COUNT = 16   /* where their number is, in 4 bytes */
};

/* In the head of an ANSWER: an ordinal follows the error. */
enum { BAREPROF_ANSWER_ORDINAL = 1 << 3 };
enum { BAREPROF_LEAN_ID = 8 /* bytes of the build id */ };
enum { BAREPROF_KIND_PROFILE, BAREPROF_KIND_MIP, BAREPROF_KIND_SAMPLES };

/* A request's frame: where the ranges begin, the bytes of each, and of the
 * check after them. */
enum {
  BAREPROF_RANGES_AT = 12,
  BAREPROF_RANGE_BYTES = 9,
  BAREPROF_CHECK_BYTES = 4
};

/* The states of a request, which hand it over: feed may run in an interrupt, or
 * on a core other than serve's. A reader that finds the state "complete" may
 * read the request, until it stores another state. A writer that finds any
 * other state may write. */
enum {
  BAREPROF_REQUEST_OUTSIDE,
  BAREPROF_REQUEST_MARKED,
  BAREPROF_REQUEST_INSIDE,
  BAREPROF_REQUEST_COMPLETE
};

/* Offsets in a request's frame; and what an address and options may be. */
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

/* A frame ends when its body has this many bytes. Small enough that a bad line
 * loses little, large enough that its 12 other bytes cost little.
 */
enum { BAREPROF_BODY_BYTES = 300 };

/* A stream of frames. Lives on the stack of bareprof_send. At first all zeros,
 * except sink, encoding, options and image, and the wire whose request it
 * answers. */
struct bareprof_stream {
  const struct bareprof_image *image;
  const struct bareprof_sink *sink;
  bareprof_encoding *encoding;
  unsigned options;
  int error;       /* the sink's; then nothing more goes out */
  uint32_t check;  /* complement of the CRC of the frame until now */
  uint32_t coded;  /* bits that wait for a full byte of it, below a 1 */
  uint8_t used;    /* bytes in line */
  uint8_t column;  /* TEXT: characters on this line */
  uint8_t last;    /* TEXT: the byte before, */
  uint8_t waiting; /* of which these many bits wait for a full character */
  uint32_t bytes;  /* of the frame until now */
  struct bareprof_coder coder;
  uint32_t dump;   /* which, 0 to 65535: the upper half of its state */
  uint32_t place;  /* the lower half in bits 16 to 31; below it the ordinal of
                      this dump, name or answer; 8 free bits */
  uint32_t seed;   /* of the checks behind a LEAN frame; see there */
  uint32_t frames; /* of this dump until now */
  uint32_t sum;    /* of the checks of all frames until now */
  unsigned shift;  /* log2 of the bytes of a counter */
  size_t counters; /* how many counters there are */
  size_t counts;   /* and with the bytes of the bitmap */
  size_t at;       /* the next of them */
  const struct bareprof_wire *wire;
  unsigned char line[BAREPROF_TEXT_COLUMNS + 4];
};

/* bareprof_text, bareprof_binary: everything that is not a byte of a frame. */
enum { BAREPROF_ENCODING_BEGIN = 256, BAREPROF_ENCODING_END };

/* Functions that put something into a stream return the stream. Callers go on
 * with the returned pointer, which is already in the first register, and need
 * no register that survives the call. */

/* wire_frame.c: sends a byte unencoded; sends all held bytes to the sink. */
struct bareprof_stream *bareprof_line_put(struct bareprof_stream *stream,
                                          unsigned byte);
struct bareprof_stream *bareprof_line_flush(struct bareprof_stream *stream);

/* wire_frame.c: a frame's first bytes, its body, its check and end; a number of
 * 4 bytes, the lowest first. */
struct bareprof_stream *bareprof_frame_word(struct bareprof_stream *stream,
                                            uint32_t value);
struct bareprof_stream *bareprof_frame_begin(struct bareprof_stream *stream,
                                             unsigned head);
struct bareprof_stream *bareprof_frame_byte(struct bareprof_stream *stream,
                                            unsigned byte);
struct bareprof_stream *bareprof_frame_varint(struct bareprof_stream *stream,
                                              uintptr_t value);
struct bareprof_stream *bareprof_frame_end(struct bareprof_stream *stream);

/* values_wire.c: ends a header frame, in place of bareprof_frame_end:
 * announces the slots of values, and sends those that are asked for. */
struct bareprof_stream *bareprof_values_header(struct bareprof_stream *stream);

/* wire_frame.c: a number into the body of a frame; a data frame up to its first
 * number, and its end behind the last one. */
struct bareprof_stream *bareprof_coder_put(struct bareprof_stream *stream,
                                           uint64_t value);
struct bareprof_stream *bareprof_data_begin(struct bareprof_stream *stream,
                                            unsigned head, size_t place);
struct bareprof_stream *bareprof_data_end(struct bareprof_stream *stream);

/* wire_dump.c: checks that a dump can be made. dump_number begins one: gives
 * it its state, which reason separates from other dumps of the same counts, its
 * ordinal, and the number of its start, unless options have one: an image
 * without a guard has neither. Sets counts. Returns the flags of its counters'
 * width. */
int bareprof_dump_check(const struct bareprof_image *image);
unsigned bareprof_dump_number(struct bareprof_stream *stream, uint32_t reason);

/* A step of the hash of all that a dump shows, by the lower half of an element:
 * as FNV-1a, times 1025, which is a shift on every core. */
static inline uint32_t bareprof_state_step(uint32_t state, uint64_t element) {
  state ^= (uint32_t)element;
  return state + (state << 10);
}

/* The ordinal. */
static inline unsigned
bareprof_stream_ordinal(const struct bareprof_stream *stream) {
  return (uint8_t)(stream->place >> 8);
}

/* wire_dump.c: counts are the counters, and after them the bytes of the
 * bitmap, as one row of elements. Puts those from stream->at on, before
 * stream->counts, into a frame that has begun, and into more. */
struct bareprof_stream *bareprof_counts_put(struct bareprof_stream *stream);

/* A whole lean dump. wire_dump.c: a compact one; one with a header and an end.
 * values_wire.c, where values are linked: that, if the image has
 * slots. */
typedef void bareprof_lean(struct bareprof_stream *stream, uint32_t tag);
bareprof_lean bareprof_dump_lean, bareprof_dump_mixed, bareprof_values_lean;

/* wire_dump.c: a dump step by step: its header (reason: twice the request's
 * tag, plus 1 if only ranges were asked for); counts from first on, before end
 * (cut to what there is); its end. */
void bareprof_dump_begin(struct bareprof_stream *stream, uint32_t reason);
void bareprof_dump_counts(struct bareprof_stream *stream, size_t first,
                          size_t end);
void bareprof_dump_end(struct bareprof_stream *stream);

/* wire_full.c: one of the pieces that LEAN leaves to the ELF, or all of them,
 * between counts and end. */
void bareprof_dump_constants(struct bareprof_stream *stream, unsigned piece,
                             size_t first, size_t end);
void bareprof_full(struct bareprof_stream *stream);

/* Checks that the dump can be made: lean, or full. */
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
 * image without instrumented code sends nothing: it is a release. Inline,
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

/* Behind the ranges of a request. */
static inline const uint8_t *
bareprof_ranges_end(const struct bareprof_wire *wire) {
  return &wire->bytes[wire->size - BAREPROF_CHECK_BYTES];
}

/* Whether a reset is to be done: its tag is neither the last one, nor one of
 * those just before it, which a host has sent earlier and a line holds back. */
static inline bool bareprof_tag_is_new(const struct bareprof_wire *wire,
                                       uint32_t tag) {
  return wire->reset - tag >= BAREPROF_TAGS_PAST;
}

/* A number in a request. */
static inline uint32_t bareprof_request_load32(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
         (uint32_t)at[3] << 24;
}

/* Whether a frame may have another element. */
static inline bool bareprof_frame_room(const struct bareprof_stream *stream) {
  return stream->bytes < BAREPROF_BODY_BYTES;
}

/* Numbers near 0, of either sign, as small ones. */
static inline uintptr_t bareprof_zigzag(intptr_t value) {
  return (uintptr_t)value << 1 ^ (value < 0 ? UINTPTR_MAX : 0);
}

/* An answer, up to the text of a name. Inline, because most programs have one
 * caller. */
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

/* Answers a request of that tag. Inline for the same reason. */
static inline void bareprof_answer(struct bareprof_stream *stream,
                                   const struct bareprof_wire *wire,
                                   uint32_t tag, int result) {
  bareprof_answer_begin(stream, tag, wire->bytes[BAREPROF_REQUEST_COMMAND],
                        result);
  bareprof_frame_end(stream);
}

/* A header's fields, up to the pieces, with the version word and the note of
 * the build id. Inline, for programs send either profiles or samples. */
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

/* A piece of a header: twice its number, plus 1 if it is lean; its size; how
 * far it is from the end of the piece before. */
static inline void bareprof_header_piece(struct bareprof_stream *stream,
                                         unsigned head, size_t size,
                                         uintptr_t distance) {
  stream = bareprof_frame_byte(stream, head);
  stream = bareprof_frame_varint(stream, size);
  bareprof_frame_varint(stream, bareprof_zigzag((intptr_t)distance));
}

#endif
