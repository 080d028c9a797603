/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Receives and answers the host's requests. bareprof_wire_feed finds requests
 * among the received bytes; bareprof_wire_serve answers the requests, mostly
 * with dumps, which wire_dump.c and wire_full.c send. The page
 * docs/reference/wire-format.md describes the format.
 */
#include "wire.h"
#include "weak_hooks.h"
#include "shared.h"

_Static_assert(BAREPROF_RANGES_AT +
                       BAREPROF_WIRE_RANGES * BAREPROF_RANGE_BYTES +
                       BAREPROF_CHECK_BYTES <=
                   BAREPROF_WIRE_BYTES,
               "a request fits");

static bool is_for_this_image(const struct bareprof_wire *wire) {
  const uint8_t *to = &wire->bytes[BAREPROF_REQUEST_ADDRESS];
  return (to[0] == BAREPROF_REQUEST_ANY && to[1] == BAREPROF_REQUEST_ANY) ||
         (to[0] == (wire->options >> 12 & 15) &&
          to[1] == (wire->options >> 8 & 15));
}

/* Returns whether the bytes between the marks are an undamaged request to this
 * core and image. The command may be unknown: bareprof_wire_serve checks it. */
static bool is_valid_request(const struct bareprof_wire *wire) {
  unsigned size = wire->size;
  return size >= BAREPROF_RANGES_AT + BAREPROF_CHECK_BYTES &&
         (wire->bits & ((1u << wire->waiting) - 1)) == 0 &&
         wire->bytes[0] == BAREPROF_FRAME_REQUEST && is_for_this_image(wire) &&
         bareprof_request_load32(bareprof_ranges_end(wire)) ==
             bareprof_crc32(0, wire->bytes, size - BAREPROF_CHECK_BYTES);
}

/* Returns the six bits of a base64 character, or 64 for another character. */
static unsigned decode_sixth(uint8_t byte) {
  if ((uint8_t)(byte - 'A') < 26)
    return byte - 'A';
  if ((uint8_t)(byte - 'a') < 26)
    return byte - 'a' + 26u;
  if ((uint8_t)(byte - '0') < 10)
    return byte - '0' + 52u;
  return byte == '+' ? 62 : byte == '/' ? 63 : 64;
}

/* Appends six bits to the request. Returns the next state of the reader: after
 * another character, or too many, the text is not a request. */
static uint8_t append_base64_character(struct bareprof_wire *wire,
                                       uint8_t byte) {
  unsigned value = decode_sixth(byte);
  if (value == 64 || wire->size == sizeof wire->bytes)
    return BAREPROF_REQUEST_OUTSIDE;
  wire->bits = (uint16_t)((unsigned)wire->bits << 6 | value);
  wire->waiting += 6;
  if (wire->waiting >= 8) {
    wire->waiting -= 8;
    wire->bytes[wire->size++] = (uint8_t)(wire->bits >> wire->waiting);
  }
  return BAREPROF_REQUEST_INSIDE;
}

int bareprof_wire_feed(struct bareprof_wire *wire, uint8_t byte) {
  uint8_t state = (uint8_t)BAREPROF_LOAD_ACQUIRE(&wire->state);
  if (state == BAREPROF_REQUEST_COMPLETE)
    return BAREPROF_WIRE_REQUEST;
  if (byte == BAREPROF_TEXT_MARK) {
    state = BAREPROF_REQUEST_MARKED;
  } else if (state == BAREPROF_REQUEST_MARKED) {
    state = byte == BAREPROF_TEXT_BEGIN ? BAREPROF_REQUEST_INSIDE
                                        : BAREPROF_REQUEST_OUTSIDE;
    wire->size = wire->waiting = 0;
  } else if (state == BAREPROF_REQUEST_INSIDE) {
    if (byte == BAREPROF_TEXT_END)
      state = is_valid_request(wire) ? BAREPROF_REQUEST_COMPLETE
                                     : BAREPROF_REQUEST_OUTSIDE;
    else
      state = append_base64_character(wire, byte);
  }
  BAREPROF_STORE_RELEASE(&wire->state, state);
  return state == BAREPROF_REQUEST_COMPLETE ? BAREPROF_WIRE_REQUEST : 0;
}

/* Begins the stream of an answer. If the request chooses encoding and LEAN, the
 * answer uses that choice; otherwise it uses wire->options. */
static void prepare_answer_stream(struct bareprof_stream *stream,
                                  const struct bareprof_wire *wire) {
  unsigned options = wire->options;
  if (!(wire->bytes[BAREPROF_REQUEST_OPTIONS] & BAREPROF_REQUEST_AS_IT_LIKES))
    options = (options & ~(BAREPROF_BINARY | BAREPROF_LEAN)) |
              (wire->bytes[BAREPROF_REQUEST_OPTIONS] &
               (BAREPROF_BINARY | BAREPROF_LEAN));
  if (options >> BAREPROF_WIRE_KIND_SHIFT & 3)
    options &= ~BAREPROF_LEAN;
  *stream = (struct bareprof_stream){
      .image = wire->image ? wire->image : &bareprof_running,
      .wire = wire,
      .sink = wire->out,
      .encoding = options & BAREPROF_BINARY ? bareprof_binary : bareprof_text,
      .options = options};
}

/* If this boot lacks a number, a request without ranges gives it one. */
static void adopt_boot_number(const struct bareprof_stream *stream,
                              const struct bareprof_wire *wire) {
  volatile bareprof_any32 *half = bareprof_guard_upper_half(stream->image);
  if (half && (uint16_t)*half == 0 &&
      wire->size == BAREPROF_RANGES_AT + BAREPROF_CHECK_BYTES)
    *half |= bareprof_request_boot_number(wire);
}

/* Sends one requested range, whose numbers may be any: the called functions cut
 * the range to the size of the piece. */
static void send_range(struct bareprof_stream *stream, const uint8_t *range) {
  uint32_t first = bareprof_request_load32(range + 1);
  uint32_t end = first + bareprof_request_load32(range + 5);
  unsigned piece = range[0];
  if (piece == BAREPROF_PIECE_COUNTERS)
    bareprof_dump_counts(stream, first, end);
  else if (piece < BAREPROF_SPANS && !(stream->options & BAREPROF_LEAN))
    bareprof_dump_constant_piece(stream, piece, first, end);
}

/* Sends the parts of a dump that the request's ranges name. A request without
 * ranges gets the whole dump. Slots of values are sent with the header. If the
 * ranges are for another boot, only the header is sent; the header tells the
 * host the number of this boot. */
static void send_dump(struct bareprof_stream *stream,
                      const struct bareprof_wire *wire, uint32_t tag) {
  const uint8_t *at = &wire->bytes[BAREPROF_RANGES_AT];
  const uint8_t *end = bareprof_ranges_end(wire);
  bool part = at != end;
  if (!part && stream->options & BAREPROF_LEAN) {
    (hook_dump_compact_or_mixed ? hook_dump_compact_or_mixed
                                : bareprof_dump_compact)(stream, tag);
    return;
  }
  bareprof_dump_begin(stream, 2 * tag + part);
  if (!part) {
    bareprof_dump_counts(stream, 0, SIZE_MAX);
    bareprof_full(stream);
  }
  if (stream->options >> 16 != bareprof_request_boot_number(wire))
    at = end;
  for (; end - at >= BAREPROF_RANGE_BYTES; at += BAREPROF_RANGE_BYTES)
    send_range(stream, at);
  bareprof_dump_end(stream);
}

/* Serves a complete request: for a dump, or for a reset of the counters. A
 * reset that is repeated, because the host missed the answer, changes nothing.
 */
static int serve_request(struct bareprof_wire *wire, bool dumps) {
  struct bareprof_stream stream;
  int error = 0;
  uint32_t tag = bareprof_request_load32(&wire->bytes[BAREPROF_REQUEST_TAG]);
  prepare_answer_stream(&stream, wire);
  if (dumps)
    error = stream.options & BAREPROF_LEAN ? bareprof_lean_check(stream.image)
                                           : bareprof_full_check(stream.image);
  else if (bareprof_tag_is_new(wire, tag)) {
    bareprof_reset_image(stream.image);
    wire->reset = tag;
  }
  if (!error)
    adopt_boot_number(&stream, wire);
  if (dumps && !error) {
    send_dump(&stream, wire, tag);
  } else {
    /* The counters of bareprof_mip_image may begin after their end
     * (bareprof_dump_check). An image without counters lacks ordinals. */
    const struct bareprof_span *counters = &stream.image->counters;
    if ((uintptr_t)counters->begin < (uintptr_t)counters->end)
      bareprof_dump_prepare(&stream, 0);
    bareprof_send_answer(&stream, wire, tag, error);
  }
  return error ? error : stream.error;
}

int bareprof_wire_serve(struct bareprof_wire *wire) {
  int result = 0;
  if (BAREPROF_LOAD_ACQUIRE(&wire->state) != BAREPROF_REQUEST_COMPLETE)
    return 0;
  unsigned command = wire->bytes[BAREPROF_REQUEST_COMMAND];
  if (command == BAREPROF_COMMAND_DUMP || command == BAREPROF_COMMAND_RESET)
    result = serve_request(wire, command == BAREPROF_COMMAND_DUMP);
  BAREPROF_STORE_RELEASE(&wire->state, BAREPROF_REQUEST_OUTSIDE);
  return result;
}
