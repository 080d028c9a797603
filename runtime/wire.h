/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the structs and functions that the files wire_*.c share. The
 * functions send dumps to a sink as frames: a dump is one transfer of all
 * counts, and a frame is a part of a dump with a CRC of its own. wire_dump.c
 * makes dumps, and wire_full.c sends the pieces that only full dumps have.
 * wire_frame.c turns numbers into frames, lines and bytes. wire_request.c
 * receives the host's requests. The page docs/reference/wire-format.md
 * describes the format.
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
  BAREPROF_FRAME_LEAN, /* the first frame of a compact dump */
  BAREPROF_FRAME_COUNTS,
  BAREPROF_FRAME_REFUSED
};

/* A dump has the pieces of an image, and one more: the table of profiled
 * values, whose entries are called slots. */
enum { BAREPROF_PIECE_SLOTS = BAREPROF_SPANS, BAREPROF_PIECES };

/* These are the flags of a header frame. */
enum {
  BAREPROF_WIRE_BIG_ENDIAN = 1,
  BAREPROF_WIRE_LEAN = 2, /* records and names are in the ELF only */
  BAREPROF_WIRE_WIDE = 4, /* 8-byte pointers */
  BAREPROF_WIRE_KIND_SHIFT = 4,
  BAREPROF_WIRE_NARROW = 64,    /* code counts with 32 bits; unless FOLDED is
                                   set, counts are modulo 2^32 */
  BAREPROF_WIRE_FOLDED = 128,   /* bareprof_fold changes counters in memory */
  BAREPROF_WIRE_OPTIONS = 0xF2, /* the flags LEAN, kind, NARROW and FOLDED,
                                   which stream->options has, too */
  BAREPROF_WIRE_KNOWN = 0xF7    /* all flags; a receiver refuses other ones */
};

/* These are bits of a LEAN frame. In the frame's head, NARROW and FOLDED are at
 * the same bits as in a header frame; FORMAT says that the body begins with a
 * format byte. The format byte has the format's version in bits 0 to 5, and
 * log2 of a counter's size in bits 6 and 7. */
enum {
  BAREPROF_LEAN_WIDTH = 3,
  BAREPROF_LEAN_FORMAT = 1 << BAREPROF_LEAN_WIDTH,
  BAREPROF_LEAN_BIG_ENDIAN = 1 << 5,
  BAREPROF_LEAN_FORMAT_WIDTH = 6, /* log2 begins at this bit of the format */
  BAREPROF_LEAN_BITS = 1,         /* the log2 in frames of tiny_bits.c, which
                                     have one bit for each counter */
  BAREPROF_LEAN_BITS_COUNT = 16   /* the number of counters begins at this bit
                                     of the first word of such a frame's body */
};

/* A flag in the head of an ANSWER frame. If set, the answer's ordinal follows
 * the error. A boot numbers its dumps, names and answers with ordinals. */
enum { BAREPROF_ANSWER_ORDINAL = 1 << 3 };
enum { BAREPROF_LEAN_ID = 8 /* bytes of the build id in a LEAN frame */ };
enum { BAREPROF_KIND_PROFILE, BAREPROF_KIND_MIP, BAREPROF_KIND_SAMPLES };

/* Sizes in a request's frame, in bytes: the offset of the ranges, the size of
 * one range, and the size of the CRC after the ranges. A range selects the
 * elements of a piece that the host requests again. */
enum {
  BAREPROF_RANGES_AT = 12,
  BAREPROF_RANGE_BYTES = 9,
  BAREPROF_CHECK_BYTES = 4
};

/* The states of a request. bareprof_wire_feed may run in an interrupt or on
 * another core than bareprof_wire_serve. In the state COMPLETE only
 * bareprof_wire_serve accesses the request; in all other states only
 * bareprof_wire_feed does. */
enum {
  BAREPROF_REQUEST_OUTSIDE,
  BAREPROF_REQUEST_MARKED,
  BAREPROF_REQUEST_INSIDE,
  BAREPROF_REQUEST_COMPLETE
};

/* The fields of a request's frame begin at these offsets. */
enum {
  BAREPROF_REQUEST_ADDRESS = 1,
  BAREPROF_REQUEST_TAG = 4,
  BAREPROF_REQUEST_NAME = 8,
  BAREPROF_REQUEST_COMMAND = 10,
  BAREPROF_REQUEST_OPTIONS = 11
};
enum { BAREPROF_TAGS_PAST = 256 }; /* see bareprof_tag_is_new */
/* ANY, as core and as image, addresses all senders. AS_IT_LIKES, a bit of the
 * options, lets the target choose the encoding and LEAN. */
enum { BAREPROF_REQUEST_ANY = 255, BAREPROF_REQUEST_AS_IT_LIKES = 0x80 };

/* These marks begin and end a frame. A TEXT frame is ~{...}, and each further
 * line of the frame begins with ~. The BINARY marks are bytes that UTF-8 text
 * never has. */
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

/* A frame ends when its body has this many bytes. On a bad link, a larger frame
 * would lose more; smaller frames would add more overhead, which is 12 bytes a
 * frame. */
enum { BAREPROF_BODY_BYTES = 300 };

/* The state of a sender, on the stack of the function that sends. That function
 * sets image, sink, encoding and options, and also `wire` if it answers a
 * request. All other members are 0 at first. */
struct bareprof_stream {
  const struct bareprof_image *image;
  const struct bareprof_sink *sink;
  bareprof_encoding *encoding;
  unsigned options;
  int error;       /* error of the sink; if not 0, nothing more is sent */
  uint32_t check;  /* complement of the frame's CRC so far */
  uint32_t coded;  /* waiting bits, less than a byte; the bit above them is 1 */
  uint8_t used;    /* number of bytes in `line` */
  uint8_t column;  /* TEXT: number of characters on this line */
  uint8_t last;    /* TEXT: the last byte that was put */
  uint8_t waiting; /* TEXT: how many low bits of `last` are not sent yet */
  uint32_t bytes;  /* number of bytes in the frame so far */
  struct bareprof_coder coder;
  uint32_t dump;   /* upper half of the counts' hash, in each frame's head */
  uint32_t place;  /* lower half of the hash in bits 16 to 31; the ordinal of
                      this dump, name or answer in bits 8 to 15 */
  uint32_t seed;   /* initial value of CRCs after a LEAN frame */
  uint32_t frames; /* number of frames of this dump so far */
  uint32_t sum;    /* sum of the CRCs of the frames so far */
  unsigned shift;  /* log2 of a counter's size in bytes */
  size_t counters; /* number of counters */
  size_t counts;   /* number of counters, plus the bitmap's size in bytes */
  size_t at;       /* index of the next count to send */
  const struct bareprof_wire *wire;
  unsigned char line[BAREPROF_TEXT_COLUMNS + 4];
};

/* An encoding is a function that gets a frame byte by byte. Before the first
 * byte and after the last byte it gets these codes. */
enum { BAREPROF_ENCODING_BEGIN = 256, BAREPROF_ENCODING_END };

/* Functions that put something into a stream return the stream. Callers use the
 * returned pointer, which is already in the first register, and need not keep
 * the pointer in another register during the call. */

/* wire_frame.c: bareprof_line_put adds a byte to stream->line as it is.
 * bareprof_line_flush sends stream->line to the sink. */
struct bareprof_stream *bareprof_line_put(struct bareprof_stream *stream,
                                          unsigned byte);
struct bareprof_stream *bareprof_line_flush(struct bareprof_stream *stream);

/* wire_frame.c: these functions send a frame. bareprof_frame_begin sends the
 * first mark and the head. The put functions add a byte, a varint, or a word
 * (lowest byte first) to the body. bareprof_frame_end sends the CRC and the
 * last mark. */
struct bareprof_stream *bareprof_frame_put_word(struct bareprof_stream *stream,
                                                uint32_t value);
struct bareprof_stream *bareprof_frame_begin(struct bareprof_stream *stream,
                                             unsigned head);
struct bareprof_stream *bareprof_frame_put_byte(struct bareprof_stream *stream,
                                                unsigned byte);
struct bareprof_stream *
bareprof_frame_put_varint(struct bareprof_stream *stream, uintptr_t value);
struct bareprof_stream *bareprof_frame_end(struct bareprof_stream *stream);

/* values_wire.c: ends a header frame, in place of bareprof_frame_end. The
 * function adds the number of slots to the header, ends the frame, and sends
 * the requested slots in further frames. */
struct bareprof_stream *
bareprof_header_end_with_slots(struct bareprof_stream *stream);

/* wire_frame.c: bareprof_coder_put codes a number (wire_coder.h) and adds the
 * code to the body of a frame. bareprof_data_begin and bareprof_data_end are
 * for frames of coded numbers, which begin with the first number's index. */
struct bareprof_stream *bareprof_coder_put(struct bareprof_stream *stream,
                                           uint64_t value);
struct bareprof_stream *bareprof_data_begin(struct bareprof_stream *stream,
                                            unsigned head, size_t place);
struct bareprof_stream *bareprof_data_end(struct bareprof_stream *stream);

/* wire_dump.c: bareprof_dump_check returns 0 if a dump can be made, otherwise
 * the error. bareprof_dump_prepare sets the stream's fields for a dump: the
 * hash of counts and reason, the number of counts, the ordinal, and, unless the
 * options have one, the boot number. In an image without a guard word, the
 * ordinal stays 0, and the boot number does not change. bareprof_dump_prepare
 * returns the flags NARROW and FOLDED. */
int bareprof_dump_check(const struct bareprof_image *image);
unsigned bareprof_dump_prepare(struct bareprof_stream *stream, uint32_t reason);

/* Adds the lower half of an element to the hash of a dump's counts. The hash is
 * like FNV-1a, but the factor is 1025, so that a shift and an addition replace
 * the multiplication. */
static inline uint32_t bareprof_hash_add_count(uint32_t state,
                                               uint64_t element) {
  state ^= (uint32_t)element;
  return state + (state << 10);
}

static inline unsigned
bareprof_stream_ordinal(const struct bareprof_stream *stream) {
  return (uint8_t)(stream->place >> 8);
}

/* wire_dump.c: sends the counts from stream->at up to, not including,
 * stream->counts, first in the frame that has begun, then in further frames.
 * The counts are one array: the counters, then the bytes of the bitmap. */
struct bareprof_stream *bareprof_counts_put(struct bareprof_stream *stream);

/* These functions send a lean dump, which omits records and names.
 * bareprof_dump_compact (wire_dump.c) sends a compact dump, bareprof_dump_mixed
 * a dump with header frame and end frame. bareprof_dump_compact_or_mixed
 * (values_wire.c) sends a mixed dump if the image has slots, otherwise a
 * compact dump. */
typedef void bareprof_lean(struct bareprof_stream *stream, uint32_t tag);
bareprof_lean bareprof_dump_compact, bareprof_dump_mixed,
    bareprof_dump_compact_or_mixed;

/* wire_dump.c: bareprof_dump_begin sends the header of a dump; reason is twice
 * the request's tag, plus 1 if the request has ranges. bareprof_dump_counts
 * sends the counts from first up to, not including, end. bareprof_dump_end
 * sends the last frame. */
void bareprof_dump_begin(struct bareprof_stream *stream, uint32_t reason);
void bareprof_dump_counts(struct bareprof_stream *stream, size_t first,
                          size_t end);
void bareprof_dump_end(struct bareprof_stream *stream);

/* wire_full.c: bareprof_dump_constant_piece sends elements of a constant piece,
 * which a lean dump omits because the ELF has the piece. bareprof_full sends
 * all constant pieces. */
void bareprof_dump_constant_piece(struct bareprof_stream *stream,
                                  unsigned piece, size_t first, size_t end);
void bareprof_full(struct bareprof_stream *stream);

/* These functions return 0 if a lean (full) dump can be made, or the error. */
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

/* Sends the error of a dump that cannot be made, and returns the error. If no
 * code is instrumented, as in a release, nothing is sent. The function is
 * inline, because most programs have one caller. */
static inline __attribute__((always_inline)) int
bareprof_send_refusal(struct bareprof_stream *stream, int error) {
  if (error < BAREPROF_E_EMPTY) {
    stream->dump = stream->options >> 8;
    stream = bareprof_data_begin(stream, BAREPROF_FRAME_REFUSED,
                                 0u - (unsigned)error);
    bareprof_frame_end(stream);
  }
  return error;
}

/* Returns the end of a request's ranges, where the CRC begins. */
static inline const uint8_t *
bareprof_ranges_end(const struct bareprof_wire *wire) {
  return &wire->bytes[wire->size - BAREPROF_CHECK_BYTES];
}

/* Returns whether a request for a reset has a new tag. The tag of the last
 * reset and the 255 tags before it are not new: the host may repeat a request,
 * and a link may delay one. */
static inline bool bareprof_tag_is_new(const struct bareprof_wire *wire,
                                       uint32_t tag) {
  return wire->reset - tag >= BAREPROF_TAGS_PAST;
}

/* Loads a number from a request; its lowest byte comes first. */
static inline uint32_t bareprof_request_load32(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
         (uint32_t)at[3] << 24;
}

/* Returns the boot number in a request. Only the boot with this number may
 * answer a request with ranges. */
static inline uint32_t
bareprof_request_boot_number(const struct bareprof_wire *wire) {
  uint16_t name;
  __builtin_memcpy(
      &name, __builtin_assume_aligned(&wire->bytes[BAREPROF_REQUEST_NAME], 2),
      sizeof name);
  return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap16(name)
                                                : name;
}

static inline bool
bareprof_frame_has_room(const struct bareprof_stream *stream) {
  return stream->bytes < BAREPROF_BODY_BYTES;
}

/* Maps numbers near 0, positive and negative, to small unsigned numbers. */
static inline uintptr_t bareprof_zigzag(intptr_t value) {
  return (uintptr_t)value << 1 ^ (value < 0 ? UINTPTR_MAX : 0);
}

/* Begins an ANSWER frame, which may continue with a name. The function is
 * inline, because most programs have one caller. */
static inline void bareprof_answer_begin(struct bareprof_stream *stream,
                                         uint32_t tag, unsigned command,
                                         int result) {
  stream->dump = stream->options >> 8;
  stream = bareprof_data_begin(
      stream, BAREPROF_FRAME_ANSWER | BAREPROF_ANSWER_ORDINAL, tag);
  bareprof_frame_put_word(stream, command |
                                      (uint32_t)bareprof_zigzag(result) << 8 |
                                      bareprof_stream_ordinal(stream) << 16 |
                                      BAREPROF_WIRE_FORMAT << 24);
}

/* Sends the answer to a request that does not get a dump. */
static inline void bareprof_send_answer(struct bareprof_stream *stream,
                                        const struct bareprof_wire *wire,
                                        uint32_t tag, int result) {
  bareprof_answer_begin(stream, tag, wire->bytes[BAREPROF_REQUEST_COMMAND],
                        result);
  bareprof_frame_end(stream);
}

/* Begins a header frame, and sends the fields that come before the pieces. Most
 * programs have one caller, so the function is inline. */
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
    bareprof_frame_put_varint(stream, fields[i]);
  for (uint32_t i = 0; i < id_size; i++)
    bareprof_frame_put_byte(stream, note->begin[16 + i]);
}

/* Describes a piece in a header frame. head is twice the piece's number, plus 1
 * if only the ELF has its contents. distance is the piece's address minus the
 * end address of the previous piece. */
static inline void bareprof_header_put_piece(struct bareprof_stream *stream,
                                             unsigned head, size_t size,
                                             uintptr_t distance) {
  stream = bareprof_frame_put_byte(stream, head);
  stream = bareprof_frame_put_varint(stream, size);
  bareprof_frame_put_varint(stream, bareprof_zigzag((intptr_t)distance));
}

#endif
