/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decodes the numbers in frames. The decoder checks every bit, and accepts only
 * codes that an encoder may produce. reassembly.c calls the decoder for each
 * frame of a closed dump.
 */
#include "frame.h"

#include <string.h>

#include "../base/error.h"
#include "../image/snapshot.h"

struct frame_decoder {
  const unsigned char *bytes;
  size_t at, end; /* the current position and the end, as offsets in bits */
  bool bad;       /* the code is wrong; all further numbers are then 0 */
  struct bareprof_coder coder;
};

/* Begins to decode. After the last number, the code has one 1 bit, and 0 bits
 * up to the end of the byte. */
static void begin_decoder(struct frame_decoder *decoder, struct bytes coded) {
  memset(decoder, 0, sizeof *decoder);
  decoder->bytes = coded.data;
  decoder->bad = coded.size == 0 || coded.data[coded.size - 1] == 0;
  if (decoder->bad)
    return;
  unsigned zeros = 0;
  while (!(coded.data[coded.size - 1] >> zeros & 1))
    zeros++;
  decoder->end = coded.size * 8 - zeros - 1;
}

static bool has_more_bits(const struct frame_decoder *decoder) {
  return !decoder->bad && decoder->at != decoder->end;
}

static unsigned decode_bit(struct frame_decoder *decoder) {
  if (!has_more_bits(decoder)) {
    decoder->bad = true;
    return 0;
  }
  size_t at = decoder->at++;
  return decoder->bytes[at / 8] >> (7 - at % 8) & 1;
}

static unsigned decode_unary(struct frame_decoder *decoder, unsigned most) {
  unsigned value = 0;
  while (decode_bit(decoder))
    if (value++ == most)
      decoder->bad = true;
  return value;
}

/* Returns the kind that a code stands for; see bareprof_coder_kind_index. */
static unsigned number_kind_of_code(uint32_t before, unsigned code) {
  if (code == 0)
    return before;
  return code <= before ? code - 1 : code;
}

/* Decodes a number that is not a recent one. First comes the change (XOR) of
 * the number's size, then the bits below its highest bit, which is 1. Only a
 * number of size BAREPROF_CODER_LARGE has all 64 bits. */
static uint64_t decode_new_number(struct frame_decoder *decoder) {
  unsigned change = decode_unary(decoder, 15) << 2;
  change |= decode_bit(decoder) << 1;
  change |= decode_bit(decoder);
  decoder->coder.size ^= change;
  uint64_t value = 1;
  unsigned size = decoder->coder.size;
  if (size > BAREPROF_CODER_LARGE) {
    decoder->bad = true;
  } else if (size == BAREPROF_CODER_LARGE) {
    value = 0;
    size = 64;
  }
  while (size-- && !decoder->bad)
    value = value << 1 | decode_bit(decoder);
  if (decoder->coder.size == BAREPROF_CODER_LARGE && !(value >> 32))
    decoder->bad = true;
  return value;
}

static uint64_t decode_number(struct frame_decoder *decoder) {
  enum { LAST = BAREPROF_CODER_AGAIN + BAREPROF_CODER_RECENT - 1 };
  struct bareprof_coder *coder = &decoder->coder;
  unsigned kind = number_kind_of_code(coder->kind, decode_unary(decoder, LAST));
  uint64_t value = 0;
  if (decoder->bad)
    return 0;
  coder->kind = kind > BAREPROF_CODER_AGAIN ? BAREPROF_CODER_AGAIN : kind;
  if (kind == BAREPROF_CODER_NEW)
    value = decode_new_number(decoder);
  else if (kind != BAREPROF_CODER_ZERO)
    value = coder->recent[kind - BAREPROF_CODER_AGAIN];
  /* A small encoder sends a number in full, even if the number equals a recent
   * number. */
  unsigned least = bareprof_coder_track_kind(coder, value);
  if (least != kind &&
      (kind != BAREPROF_CODER_NEW || least == BAREPROF_CODER_ZERO))
    decoder->bad = true;
  return decoder->bad ? 0 : value;
}

uint32_t decode_number_of_counts(const struct frame *frame,
                                 struct bytes coded) {
  struct frame_decoder decoder;
  uint32_t count = 0;
  if (frame_has_coverage_bits(frame))
    return frame_seed(frame) >> BAREPROF_LEAN_BITS_COUNT;
  begin_decoder(&decoder, coded);
  for (; has_more_bits(&decoder); count++)
    decode_number(&decoder);
  return decoder.bad ? 0 : count;
}

/* Decodes a counter of a target that calls bareprof_fold, to a count. */
static bool decode_counter(struct frame_decoder *decoder, unsigned char *to,
                           const struct dump_header *header) {
  uint64_t counter = decode_number(decoder);
  store64(to, counter_width_unfold(header, counter), header->big_endian);
  return !header->packed || counter >> 32 == 0;
}

static bool decode_integer(struct frame_decoder *decoder, unsigned char *to,
                           unsigned size, const struct dump_header *header) {
  uint64_t value = decode_number(decoder);
  store_number(to, value, size, header->big_endian);
  return size == 8 || value >> 8 * size == 0;
}

/* Decodes a value slot. On the target, a slot holds three pointers and a
 * half-pointer. */
static bool decode_value_slot(struct frame_decoder *decoder, unsigned char *to,
                              const struct dump_header *header) {
  const unsigned bits = header->wide ? 64 : 32;
  memset(to, 0, SLOT_BYTES);
  for (unsigned i = 0; i < 4; i++) {
    uint64_t value = decode_number(decoder);
    unsigned most = i < 3 ? bits : bits / 2;
    if (most < 64 && value >> most)
      return false;
    store64(to + (size_t)i * 8, value, header->big_endian);
    if (i == 0 && value == 0)
      break;
  }
  return true;
}

/* Decodes an entry of samples. In a table of samples an entry begins with the
 * count, and if the count is zero, nothing follows. `origin` is the first PC in
 * this frame. */
static bool decode_sample_entry(struct frame_decoder *decoder,
                                unsigned char *to,
                                const struct dump_header *header,
                                uint64_t *origin) {
  unsigned size = header->wide ? 8 : 4, words = samples_entry_words(header);
  uint64_t most = header->wide ? UINT64_MAX : UINT32_MAX;
  if (samples_are_folded(header)) {
    unsigned char *count = to + (size_t)--words * size;
    if (!decode_integer(decoder, count, size, header))
      return false;
    if (load_number(count, size, header->big_endian) == 0) {
      memset(to, 0, (size_t)words * size);
      return true;
    }
  }
  for (unsigned i = 0; i < words; i++) {
    uint64_t value = decode_number(decoder);
    if (value > most)
      return false;
    value = *origin + (value >> 1 ^ (0 - (value & 1)));
    store_number(to + (size_t)i * size, value, size, header->big_endian);
    if (i == 0 && *origin == 0)
      *origin = value & most;
  }
  return true;
}

enum element_form { INTEGERS, SLOTS, ENTRIES, FOLDED };

static enum element_form element_form_of(const struct dump_header *header,
                                         unsigned piece) {
  if (piece == BAREPROF_PIECE_SLOTS)
    return SLOTS;
  if (piece == BAREPROF_PIECE_COUNTERS && header->folded &&
      header_element_size(header, piece) == 8)
    return FOLDED;
  bool entries =
      piece == BAREPROF_PIECE_RECORDS && header->kind == BAREPROF_KIND_SAMPLES;
  return entries ? ENTRIES : INTEGERS;
}

static const char too_many[] =
    "a data frame has elements that the header does not announce";

/* Decodes the elements of a piece, from elements->first up to the last coded
 * number or the end of the piece. */
static const char *decode_elements(struct frame_decoder *decoder,
                                   const struct dump_header *header,
                                   unsigned char *to,
                                   struct decoded_range *elements) {
  const enum element_form form = element_form_of(header, elements->piece);
  unsigned size = header_element_size(header, elements->piece);
  uint32_t all = header_element_count(header, elements->piece);
  uint64_t origin = 0;
  uint32_t at = elements->first;
  for (; has_more_bits(decoder) && at < all; at++) {
    unsigned char *place = to + (size_t)at * size;
    bool fits = form == SLOTS    ? decode_value_slot(decoder, place, header)
                : form == FOLDED ? decode_counter(decoder, place, header)
                : form == ENTRIES
                    ? decode_sample_entry(decoder, place, header, &origin)
                    : decode_integer(decoder, place, size, header);
    if (decoder->bad)
      return "the numbers of a frame cannot come from a runtime";
    if (!fits)
      return "a number in a frame is too large";
  }
  elements->count = at - elements->first;
  return NULL;
}

/* Converts bits to coverage bytes; a coverage byte is 0 if the code ran. Bits
 * after the bit of the last coverage byte are ignored. */
static const char *decode_coverage_bits(struct bytes bits, unsigned char *to,
                                        struct decoded_range *elements) {
  for (uint32_t i = 0; to && i < elements->count; i++)
    to[i] = bits.data[i / 8] >> (7 - i % 8) & 1 ? 0 : 0xFF;
  return to ? NULL : too_many;
}

/* Decodes counters and the bitmap that follows them as one sequence of numbers.
 */
static const char *
decode_counts(const struct frame *frame, const struct dump_header *header,
              unsigned char *const to[BAREPROF_PIECES],
              struct decoded_range elements[DECODED_PIECES]) {
  uint32_t begin = 0;
  uint64_t first;
  struct bytes coded;
  struct frame_decoder decoder;
  const char *error = frame_parse_counts(frame, &first, &coded);
  if (error)
    return error;
  if (frame_has_coverage_bits(frame)) {
    *elements = (struct decoded_range){BAREPROF_PIECE_COUNTERS, 0,
                                       decode_number_of_counts(frame, coded)};
    return decode_coverage_bits(coded, to[BAREPROF_PIECE_COUNTERS], elements);
  }
  begin_decoder(&decoder, coded);
  for (unsigned i = 0; i < DECODED_PIECES && has_more_bits(&decoder); i++) {
    unsigned piece = BAREPROF_PIECE_COUNTERS + i;
    uint32_t count = header_element_count(header, piece);
    elements[i].piece = piece;
    if (first < begin + (uint64_t)count && to[piece]) {
      elements[i].first = (uint32_t)first - begin;
      error = decode_elements(&decoder, header, to[piece], &elements[i]);
      if (error)
        return error;
      first += elements[i].count;
    }
    begin += count;
  }
  if (has_more_bits(&decoder) || first == 0)
    return too_many;
  return decoder.bad ? "the numbers of a frame do not end" : NULL;
}

static bool is_uncoded_piece(unsigned piece) {
  return piece == BAREPROF_PIECE_NAMES || piece == BAREPROF_PIECE_VTABLE_NAMES;
}

const char *decode_frame(const struct frame *frame,
                         const struct dump_header *header,
                         unsigned char *const to[BAREPROF_PIECES],
                         struct decoded_range elements[DECODED_PIECES]) {
  const unsigned char *at = frame->body.data;
  const unsigned char *end = at + frame->body.size;
  uint64_t first;
  struct frame_decoder decoder;
  memset(elements, 0, DECODED_PIECES * sizeof *elements);
  if (frame->type != BAREPROF_FRAME_DATA)
    return decode_counts(frame, header, to, elements);
  if (!read_uleb128(&at, end, &first) || at == end)
    return "a data frame is too short";
  struct bytes payload = {at, (size_t)(end - at)};
  uint32_t all = header_element_count(header, frame->piece);
  if (!to[frame->piece] || first >= all)
    return too_many;
  elements->piece = frame->piece;
  elements->first = (uint32_t)first;
  if (is_uncoded_piece(frame->piece)) {
    if (payload.size > all - first)
      return too_many;
    elements->count = (uint32_t)payload.size;
    memcpy(to[frame->piece] + first, payload.data, payload.size);
    return NULL;
  }
  begin_decoder(&decoder, payload);
  const char *error =
      decode_elements(&decoder, header, to[frame->piece], elements);
  if (error)
    return error;
  return has_more_bits(&decoder) || decoder.bad || elements->count == 0
             ? too_many
             : NULL;
}

const char *decode_to_snapshot(struct snapshot *snapshot,
                               const struct frame *frame) {
  unsigned char *to[BAREPROF_PIECES];
  struct decoded_range elements[DECODED_PIECES];
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    to[i] = snapshot->parts[i].bytes;
  const char *error = decode_frame(frame, &snapshot->header, to, elements);
  for (unsigned i = 0; !error && i < DECODED_PIECES; i++) {
    struct element_range range = {elements[i].first,
                                  elements[i].first + elements[i].count};
    if (elements[i].count &&
        !snapshot_mark_known(snapshot, elements[i].piece, range))
      error = out_of_memory;
  }
  return error;
}
