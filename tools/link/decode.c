/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The link's decoder. What it reads is checked to be what an encoder would
 * have sent: as many bytes as the elements need, no more and no fewer.
 */
#include "decode.h"

#include <string.h>

struct decoder {
  const unsigned char *at, *end;
  size_t beyond;  /* zeros read behind the end */
  size_t settled; /* bytes that the encoder has sent until here */
  uint32_t low, high, code;
  struct bareprof_model model;
};

static unsigned next_byte(struct decoder *decoder) {
  if (decoder->at != decoder->end)
    return *decoder->at++;
  decoder->beyond++;
  return 0;
}

static void start(struct decoder *decoder, struct bytes payload) {
  memset(decoder, 0, sizeof *decoder);
  decoder->at = payload.data;
  decoder->end = payload.data + payload.size;
  decoder->high = UINT32_MAX;
  for (unsigned i = 0; i < 4; i++)
    decoder->code = decoder->code << 8 | next_byte(decoder);
}

static bool get_bit(struct decoder *decoder, unsigned probability) {
  uint32_t cut = bareprof_coder_cut(decoder->low, decoder->high, probability);
  bool bit = decoder->code <= cut;
  if (bit)
    decoder->high = cut;
  else
    decoder->low = cut + 1;
  while ((decoder->low ^ decoder->high) >> 24 == 0) {
    decoder->settled++;
    decoder->low <<= 8;
    decoder->high = decoder->high << 8 | 0xFF;
    decoder->code = decoder->code << 8 | next_byte(decoder);
  }
  return bit;
}

static bool learn_bit(struct decoder *decoder, unsigned index) {
  uint16_t *context = &decoder->model.contexts[index];
  bool bit = get_bit(decoder, bareprof_model_probability(*context));
  *context = bareprof_model_learn(*context, bit);
  return bit;
}

static unsigned get_unary(struct decoder *decoder, unsigned index,
                          unsigned most) {
  unsigned value = 0;
  for (; value < most && learn_bit(decoder, index); value++)
    index = bareprof_model_next(index);
  return value;
}

static uint64_t get_number(struct decoder *decoder) {
  struct bareprof_model *model = &decoder->model;
  bool zero = learn_bit(decoder, BAREPROF_CODER_ZERO + model->last);
  model->last = BAREPROF_WAS_ZERO;
  if (zero)
    return 0;
  unsigned rank =
      get_unary(decoder, BAREPROF_CODER_RANK, BAREPROF_CODER_RECENT);
  uint64_t value = 1;
  if (rank < BAREPROF_CODER_RECENT) {
    model->last = BAREPROF_WAS_RECENT;
    value = model->recent[rank];
  } else {
    model->last = BAREPROF_WAS_NEW;
    for (unsigned size = get_unary(decoder, BAREPROF_CODER_SIZE, 63); size;
         size--)
      value = value << 1 | get_bit(decoder, 2048);
  }
  bareprof_model_recall(model, value);
  return value;
}

static bool get_integer(struct decoder *decoder, unsigned char *to,
                        unsigned size, const struct header *header) {
  uint64_t value = get_number(decoder);
  store_number(to, value, size, header->big_endian);
  return size == 8 || value >> 8 * size == 0;
}

/* On the target, pointers and half of one. */
static bool get_slot(struct decoder *decoder, unsigned char *to,
                     const struct header *header) {
  const unsigned bits = header->wide ? 64 : 32;
  memset(to, 0, SLOT_BYTES);
  for (unsigned i = 0; i < 4; i++) {
    uint64_t value = get_number(decoder);
    unsigned most = i < 3 ? bits : bits / 2;
    if (most < 64 && value >> most)
      return false;
    store64(to + (size_t)i * 8, value, header->big_endian);
    if (i == 0 && value == 0)
      break;
  }
  return true;
}

/* Of a table the count comes first, and alone if it is 0. origin: the PC of
 * the first entry of this frame. */
static bool get_entry(struct decoder *decoder, unsigned char *to,
                      const struct header *header, uint64_t *origin) {
  unsigned size = header->wide ? 8 : 4, words = samples_words(header);
  uint64_t most = header->wide ? UINT64_MAX : UINT32_MAX;
  if (samples_folded(header)) {
    unsigned char *count = to + (size_t)--words * size;
    if (!get_integer(decoder, count, size, header))
      return false;
    if (load_number(count, size, header->big_endian) == 0) {
      memset(to, 0, (size_t)words * size);
      return true;
    }
  }
  for (unsigned i = 0; i < words; i++) {
    uint64_t value = get_number(decoder);
    if (value > most)
      return false;
    value = *origin + (value >> 1 ^ (0 - (value & 1)));
    store_number(to + (size_t)i * size, value, size, header->big_endian);
    if (i == 0 && *origin == 0)
      *origin = value & most;
  }
  return true;
}

enum form { INTEGERS, SLOTS, ENTRIES };

static enum form form_of(const struct header *header, unsigned piece) {
  if (piece == BAREPROF_PIECE_SLOTS)
    return SLOTS;
  bool entries =
      piece == BAREPROF_PIECE_RECORDS && header->kind == BAREPROF_KIND_SAMPLES;
  return entries ? ENTRIES : INTEGERS;
}

static const char *decode_numbers(struct bytes payload, unsigned char *to,
                                  uint32_t count, const struct header *header,
                                  unsigned piece) {
  const enum form form = form_of(header, piece);
  unsigned size = header_element(header, piece);
  struct decoder decoder;
  uint64_t origin = 0;
  start(&decoder, payload);
  for (uint32_t i = 0; i < count; i++) {
    unsigned char *at = to + (size_t)i * size;
    bool fits = form == SLOTS     ? get_slot(&decoder, at, header)
                : form == ENTRIES ? get_entry(&decoder, at, header, &origin)
                                  : get_integer(&decoder, at, size, header);
    if (!fits)
      return "a number in a frame is too large for its place";
  }
  /* The encoder ends with one byte more than it has settled. */
  return decoder.settled + 1 == payload.size
             ? NULL
             : "a frame's numbers and its length disagree";
}

static bool is_plain(unsigned piece) {
  return piece == BAREPROF_PIECE_NAMES || piece == BAREPROF_PIECE_VTABLE_NAMES;
}

const char *decode(const struct frame *frame, const struct header *header,
                   unsigned char *to, struct elements *elements) {
  const unsigned char *at = frame->body.data;
  const unsigned char *end = at + frame->body.size;
  unsigned size = header_element(header, frame->piece);
  const struct piece *piece = &header->pieces[frame->piece];
  uint64_t first;
  if (!read_uleb128(&at, end, &first) || end - at < 3)
    return "a data frame is too short";
  end -= 2;
  struct bytes payload = {at, (size_t)(end - at)};
  uint32_t count = load16(end, false);
  if (count == 0 || piece->left_out || first > piece->size / size ||
      count > piece->size / size - first)
    return "a data frame has elements that the header does not announce";
  elements->first = (uint32_t)first;
  elements->count = count;
  to += first * size;
  if (!is_plain(frame->piece))
    return decode_numbers(payload, to, count, header, frame->piece);
  if (payload.size != count)
    return "a frame's bytes and its length disagree";
  memcpy(to, payload.data, count);
  return NULL;
}
