/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parses the frames that the scanner has found. Also builds the host's own
 * frames: requests, and a header that replaces a lost one. frame.h documents
 * the functions.
 */
#include "frame.h"

#include <string.h>

#include "bareprof_sampler.h"
#include "mip.h"

static const char damaged[] =
    "a frame has contents that this version of the wire format does not allow; "
    "use the bareprof release of the firmware's runtime";

static const char too_large[] =
    "the dump has more than 16 MB of counters, or mixes two dumps; measure "
    "fewer files in one image";

static const char other_format[] =
    "the dump has another version of the wire format; use the bareprof release "
    "of the firmware's runtime";

/* Returns whether the body of a LEAN frame begins with a format word. The head
 * of the frame tells this. */
static bool has_format_word(const struct frame *frame) {
  return (frame->piece << 3 & 3 << BAREPROF_LEAN_WIDTH) == BAREPROF_LEAN_FORMAT;
}

const char *frame_parse(struct frame *frame, struct bytes bytes) {
  const unsigned char *at = bytes.data;
  if (bytes.size < 8)
    return damaged;
  frame->type = at[0] & 7;
  frame->piece = at[0] >> 3;
  frame->dump = load16(at + 1, false);
  frame->sequence = at[3];
  frame->check = load32(at + bytes.size - 4, false);
  frame->body = (struct bytes){at + 4, bytes.size - 8};
  if (frame->type == BAREPROF_FRAME_LEAN)
    return has_format_word(frame) ? NULL : other_format;
  if (frame->type == BAREPROF_FRAME_ANSWER)
    return frame->piece << 3 == BAREPROF_ANSWER_ORDINAL ? NULL : other_format;
  if ((frame->type != BAREPROF_FRAME_DATA && frame->piece) ||
      frame->piece >= BAREPROF_PIECES)
    return damaged;
  return NULL;
}

bool frame_crc_matches(const struct frame *frame, uint32_t seed) {
  enum { HEAD = 4 };
  return frame->check ==
         bareprof_crc32(seed, frame->body.data - HEAD, frame->body.size + HEAD);
}

uint32_t frame_seed(const struct frame *frame) {
  return frame->type == BAREPROF_FRAME_LEAN &&
                 frame->body.size >= sizeof(uint32_t)
             ? load32(frame->body.data, false)
             : 0;
}

bool frame_has_coverage_bits(const struct frame *frame) {
  return (frame_seed(frame) >> BAREPROF_LEAN_FORMAT_WIDTH & 3) ==
         BAREPROF_LEAN_BITS;
}

/* Checks the pieces of a dump of samples: the entries, and three numbers. */
static bool has_valid_sample_pieces(const struct dump_header *header) {
  enum { FREE = BAREPROF_SAMPLES_FOLDED | BAREPROF_SAMPLES_CHAINS };
  unsigned flags = samples_flags(header);
  uint32_t chain = samples_chain_word(header);
  unsigned known = (header->big_endian ? BAREPROF_SAMPLES_BIG_ENDIAN : 0) |
                   (header->wide ? BAREPROF_SAMPLES_WIDE : 0);
  const struct dump_piece *entries = &header->pieces[BAREPROF_PIECE_RECORDS];
  for (unsigned i = BAREPROF_PIECE_BITMAP; i < BAREPROF_PIECES; i++)
    if (header->pieces[i].size)
      return false;
  return (header->version & 0xFFFF) == BAREPROF_SAMPLES_VERSION &&
         (flags | FREE) == (known | FREE) &&
         !chain == !(flags & BAREPROF_SAMPLES_CHAINS) &&
         chain <= SAMPLES_CHAIN_MOST &&
         !(chain && samples_are_folded(header)) && entries->size &&
         !entries->left_out &&
         header->pieces[BAREPROF_PIECE_COUNTERS].size ==
             SAMPLES_NUMBERS * sizeof(uint64_t);
}

/* The state of reading numbers from a body. `ok` becomes false when a number is
 * missing or too large. `large` becomes true if the number was the size of a
 * piece. */
struct frame_number_reader {
  const unsigned char *at, *end;
  bool ok, large;
};

static uint64_t consume_uleb_number(struct frame_number_reader *reader,
                                    uint64_t most) {
  uint64_t value = 0;
  if (!read_uleb128(&reader->at, reader->end, &value) || value > most) {
    reader->ok = false;
    reader->at = reader->end;
    return 0;
  }
  return value;
}

/* Parses the size of a piece whose elements have `unit` bytes. */
static uint64_t parse_piece_size(struct frame_number_reader *reader,
                                 unsigned unit) {
  uint64_t count = consume_uleb_number(reader, UINT64_MAX);
  if (count <= PIECE_LIMIT / unit)
    return unit * count;
  reader->ok = false;
  reader->large = true;
  return 0;
}

static uint64_t parse_signed_number(struct frame_number_reader *reader) {
  uint64_t value = consume_uleb_number(reader, UINT64_MAX);
  return value >> 1 ^ (0 - (value & 1));
}

static void parse_piece_table(struct frame_number_reader *reader,
                              struct dump_header *header) {
  unsigned next = 0;
  uint64_t end = 0;
  uint64_t mask = header->wide ? UINT64_MAX : UINT32_MAX;
  while (reader->ok && reader->at != reader->end) {
    uint64_t which = consume_uleb_number(reader, 2 * BAREPROF_PIECES - 1);
    struct dump_piece *piece = &header->pieces[which / 2];
    if (which / 2 < next)
      reader->ok = false;
    next = (unsigned)(which / 2) + 1;
    piece->left_out = which & 1;
    /* The size of the slots' piece is a number of slots, not of bytes. */
    unsigned unit = which / 2 == BAREPROF_PIECE_SLOTS ? SLOT_BYTES : 1;
    piece->size = parse_piece_size(reader, unit);
    piece->address = (end + parse_signed_number(reader)) & mask;
    end = piece->address + piece->size;
    if (header->packed && which / 2 == BAREPROF_PIECE_COUNTERS)
      piece->size *= 2;
    if (piece->size == 0 ||
        piece->size % header_element_size(header, (unsigned)(which / 2)))
      reader->ok = false;
  }
}

/* Checks the pieces of a MIP dump: the header of the raw section, the rest of
 * the section, and optionally edges. */
static bool has_valid_mip_pieces(const struct dump_header *header) {
  const struct dump_piece *head = &header->pieces[BAREPROF_PIECE_RECORDS];
  const struct dump_piece *raw = &header->pieces[BAREPROF_PIECE_COUNTERS];
  const struct dump_piece *edges = &header->pieces[BAREPROF_PIECE_BITMAP];
  for (unsigned i = BAREPROF_PIECE_NAMES; i < BAREPROF_PIECES; i++)
    if (header->pieces[i].size)
      return false;
  return head->size == BAREPROF_MIP_HEADER && !head->left_out &&
         raw->address == head->address + head->size && !edges->left_out &&
         (!edges->size ||
          edges->size % sizeof(struct bareprof_mip_call) == 4) &&
         header_element_size(header, BAREPROF_PIECE_COUNTERS) == 1;
}

static void set_sender_and_boot(struct dump_header *header, uint64_t origin) {
  header->core = origin & 15;
  header->image = origin >> 4 & 15;
  header->boot = (unsigned)(origin >> 8);
}

/* Sets whether counters are narrow or folded, from the flags of a HEADER or
 * LEAN frame. */
static void set_counter_widths(struct dump_header *header, uint64_t flags) {
  header->narrow = flags & BAREPROF_WIRE_NARROW;
  header->folded = flags & BAREPROF_WIRE_FOLDED;
}

/* Moves the bit for packed counters from the version word of a profile to
 * header->packed. Returns false if another bit contradicts this bit. */
static bool extract_packed_flag(struct dump_header *header) {
  if (header->kind != BAREPROF_KIND_PROFILE)
    return true;
  header->packed = header->version & BAREPROF_PACKED;
  header->narrow |= header->packed;
  header->version &= ~(uint64_t)BAREPROF_PACKED;
  return !header->packed || !(header->version & BAREPROF_BYTE_COVERAGE);
}

static struct frame_number_reader make_number_reader(struct bytes body) {
  return (struct frame_number_reader){body.data, body.data + body.size, true,
                                      false};
}

/* Parses the format word of a LEAN frame. The word has the counter width, the
 * ordinal and the rest of the seed. */
static const char *parse_format_word(struct dump_header *header,
                                     const struct frame *frame,
                                     unsigned *width) {
  uint32_t place = frame_seed(frame);
  unsigned format = place & ((1 << BAREPROF_LEAN_FORMAT_WIDTH) - 1);
  *width = 1u << (place >> BAREPROF_LEAN_FORMAT_WIDTH & 3);
  if (format != BAREPROF_WIRE_FORMAT)
    return other_format;
  if (frame_has_coverage_bits(frame))
    *width = 1;
  header->ordinal = place >> 8 & 0xFF;
  header->seed = place;
  return NULL;
}

/* Parses the rest of a LEAN frame that holds one bit for each coverage byte. */
static const char *parse_lean_bits(struct dump_header *header,
                                   struct frame_number_reader *reader,
                                   struct bytes *coded) {
  uint32_t count = header->seed >> BAREPROF_LEAN_BITS_COUNT;
  *coded = (struct bytes){reader->at, (size_t)(reader->end - reader->at)};
  header->pieces[BAREPROF_PIECE_COUNTERS].size = count;
  return count && coded->size == (count + 7) / 8 ? NULL : damaged;
}

/* Parses a LEAN frame up to its coded numbers. */
static const char *parse_lean_header(struct dump_header *header,
                                     const struct frame *frame,
                                     struct bytes *coded) {
  struct frame_number_reader reader = make_number_reader(frame->body);
  unsigned flags = frame->piece << 3;
  unsigned width;
  memset(header, 0, sizeof *header);
  if (frame->body.size < sizeof(uint32_t) + BAREPROF_LEAN_ID)
    return damaged;
  const char *error = parse_format_word(header, frame, &width);
  if (error)
    return error;
  reader.at += sizeof(uint32_t);
  header->compact = header->lean = true;
  header->big_endian = flags & BAREPROF_LEAN_BIG_ENDIAN;
  set_counter_widths(header, flags);
  header->packed = width == 4;
  header->narrow |= header->packed;
  if (header->packed)
    width = 8;
  header->version = width == 1 ? BAREPROF_BYTE_COVERAGE : 0;
  header->build_id_size = BAREPROF_LEAN_ID;
  memcpy(header->build_id, reader.at, BAREPROF_LEAN_ID);
  reader.at += BAREPROF_LEAN_ID;
  if (frame_has_coverage_bits(frame))
    return parse_lean_bits(header, &reader, coded);
  set_sender_and_boot(header, consume_uleb_number(&reader, 0xFFFFFF));
  header->tag = (uint32_t)consume_uleb_number(&reader, TAG_MOST);
  header->pieces[BAREPROF_PIECE_COUNTERS].size =
      parse_piece_size(&reader, width);
  header->pieces[BAREPROF_PIECE_BITMAP].size = parse_piece_size(&reader, 1);
  if (reader.large)
    return too_large;
  *coded = (struct bytes){reader.at, (size_t)(reader.end - reader.at)};
  return reader.ok && header->pieces[BAREPROF_PIECE_COUNTERS].size ? NULL
                                                                   : damaged;
}

const char *frame_parse_counts(const struct frame *frame, uint64_t *place,
                               struct bytes *coded) {
  struct dump_header header;
  *place = 0;
  if (frame->type == BAREPROF_FRAME_LEAN)
    return parse_lean_header(&header, frame, coded);
  struct frame_number_reader reader = make_number_reader(frame->body);
  *place = consume_uleb_number(&reader, 2 * PIECE_LIMIT);
  *coded = (struct bytes){reader.at, (size_t)(reader.end - reader.at)};
  return reader.ok ? NULL : damaged;
}

static const char *parse_full_header(struct dump_header *header,
                                     struct bytes body) {
  struct frame_number_reader reader = make_number_reader(body);
  memset(header, 0, sizeof *header);
  if (consume_uleb_number(&reader, UINT64_MAX) != BAREPROF_WIRE_FORMAT)
    return other_format;
  header->ordinal = (unsigned)consume_uleb_number(&reader, 0xFF);
  uint64_t flags = consume_uleb_number(&reader, UINT64_MAX);
  if (flags & ~(uint64_t)BAREPROF_WIRE_KNOWN)
    return other_format;
  header->big_endian = flags & BAREPROF_WIRE_BIG_ENDIAN;
  header->lean = flags & BAREPROF_WIRE_LEAN;
  header->wide = flags & BAREPROF_WIRE_WIDE;
  header->kind = (unsigned)(flags >> BAREPROF_WIRE_KIND_SHIFT & 3);
  /* A program that counts with 32 bits sets the flags in dumps of MIP, too. */
  if (header->kind == BAREPROF_KIND_PROFILE)
    set_counter_widths(header, flags);
  set_sender_and_boot(header, consume_uleb_number(&reader, 0xFFFFFF));
  uint64_t reason = consume_uleb_number(&reader, 2 * (uint64_t)TAG_MOST + 1);
  header->tag = (uint32_t)(reason >> 1);
  header->ranges_only = reason & 1;
  uint64_t version = consume_uleb_number(&reader, UINT32_MAX);
  uint32_t variant = (uint32_t)consume_uleb_number(&reader, UINT32_MAX);
  header->version = version | (uint64_t)(variant >> 8 | variant << 24) << 32;
  if (!extract_packed_flag(header))
    return damaged;
  header->build_id_size =
      (size_t)consume_uleb_number(&reader, sizeof header->build_id);
  if (header->build_id_size > (size_t)(reader.end - reader.at))
    return damaged;
  memcpy(header->build_id, reader.at, header->build_id_size);
  reader.at += header->build_id_size;
  parse_piece_table(&reader, header);
  if (reader.large)
    return too_large;
  const struct dump_piece *counters = &header->pieces[BAREPROF_PIECE_COUNTERS];
  /* A full dump cannot have packed counters, because the distances from records
   * to counters would differ from the distances in a raw profile. */
  if (header->packed && header->pieces[BAREPROF_PIECE_RECORDS].size)
    return damaged;
  if (header->kind == BAREPROF_KIND_MIP && !has_valid_mip_pieces(header))
    return damaged;
  if (header->kind == BAREPROF_KIND_SAMPLES && !has_valid_sample_pieces(header))
    return damaged;
  return reader.ok && counters->size && !counters->left_out ? NULL : damaged;
}

const char *frame_parse_header(struct dump_header *header,
                               const struct frame *frame) {
  struct bytes coded;
  const char *error = frame->type == BAREPROF_FRAME_LEAN
                          ? parse_lean_header(header, frame, &coded)
                          : parse_full_header(header, frame->body);
  header->dump = frame->dump;
  return error;
}

const char *frame_parse_end(struct bytes body, uint64_t *frames,
                            uint32_t *sum) {
  struct frame_number_reader reader = make_number_reader(body);
  *frames = consume_uleb_number(&reader, UINT32_MAX);
  *sum = (uint32_t)consume_uleb_number(&reader, UINT32_MAX);
  return reader.ok && reader.at == reader.end && *frames ? NULL : damaged;
}

const char *frame_parse_answer(struct answer *answer,
                               const struct frame *frame) {
  struct frame_number_reader reader = make_number_reader(frame->body);
  memset(answer, 0, sizeof *answer);
  answer->core = frame->dump & 15;
  answer->image = frame->dump >> 4 & 15;
  answer->boot = frame->dump >> 8 | (unsigned)frame->sequence << 8;
  answer->command = BAREPROF_COMMAND_DUMP;
  if (frame->type == BAREPROF_FRAME_REFUSED) {
    answer->error = -(int64_t)consume_uleb_number(&reader, INT32_MAX);
    return reader.ok && answer->error ? NULL : damaged;
  }
  answer->tag = (uint32_t)consume_uleb_number(&reader, TAG_MOST);
  answer->command = (unsigned)consume_uleb_number(&reader, 127);
  answer->error = (int64_t)parse_signed_number(&reader);
  if (reader.end - reader.at < 2)
    return damaged;
  answer->ordinal = *reader.at++;
  if (*reader.at++ != BAREPROF_WIRE_FORMAT)
    return other_format;
  answer->body = (struct bytes){reader.at, (size_t)(reader.end - reader.at)};
  return reader.ok ? NULL : damaged;
}

/* The buffer to which a sink writes. The caller has provided enough space. */
struct sink_buffer {
  unsigned char *to;
  size_t size;
};

/* ---- frames that the host makes ---- */

static int append_to_sink_buffer(void *context, const void *bytes,
                                 size_t size) {
  struct sink_buffer *collected = context;
  memcpy(collected->to + collected->size, bytes, size);
  collected->size += size;
  return 0;
}

/* Writes the bytes of a frame without TEXT or BINARY encoding. */
static struct bareprof_stream *write_unencoded(struct bareprof_stream *stream,
                                               unsigned what) {
  return what < BAREPROF_ENCODING_BEGIN ? bareprof_line_put(stream, what)
                                        : stream;
}

static void write_little_endian(struct bareprof_stream *stream, unsigned size,
                                uint32_t value) {
  for (; size; size--, value >>= 8)
    bareprof_frame_put_byte(stream, value);
}

static void write_piece_table(struct bareprof_stream *stream,
                              const struct dump_header *header) {
  uint64_t end = 0;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct dump_piece *piece = &header->pieces[i];
    uint64_t distance = piece->address - end;
    if (!piece->size)
      continue;
    if (!header->wide)
      distance = (uint64_t)(int64_t)(int32_t)(uint32_t)distance;
    bareprof_frame_put_varint(stream, 2 * i + piece->left_out);
    uint64_t size = piece->size;
    if (header->packed && i == BAREPROF_PIECE_COUNTERS)
      size /= 2;
    bareprof_frame_put_varint(
        stream, i == BAREPROF_PIECE_SLOTS ? size / SLOT_BYTES : size);
    bareprof_frame_put_varint(stream, bareprof_zigzag((intptr_t)distance));
    end = piece->address + size;
  }
}

size_t frame_build_header(unsigned char frame[HEADER_FRAME],
                          const struct dump_header *header, uint16_t dump) {
  struct sink_buffer collected = {frame, 0};
  const struct bareprof_sink sink = {append_to_sink_buffer, &collected};
  struct bareprof_stream stream = {
      .sink = &sink, .encoding = write_unencoded, .dump = dump};
  uint32_t variant = (uint32_t)(header->version >> 32);
  unsigned flags = header->kind << BAREPROF_WIRE_KIND_SHIFT;
  flags |= header->big_endian ? BAREPROF_WIRE_BIG_ENDIAN : 0;
  flags |= header->lean ? BAREPROF_WIRE_LEAN : 0;
  flags |= header->wide ? BAREPROF_WIRE_WIDE : 0;
  flags |= header->narrow ? BAREPROF_WIRE_NARROW : 0;
  flags |= header->folded ? BAREPROF_WIRE_FOLDED : 0;
  const uint32_t fields[] = {
      header->ordinal,
      flags,
      header->core | header->image << 4 | header->boot << 8,
      header->tag * 2 + header->ranges_only,
      (uint32_t)header->version | (header->packed ? BAREPROF_PACKED : 0),
      variant << 8 | variant >> 24,
      (uint32_t)header->build_id_size};
  bareprof_frame_begin(&stream, BAREPROF_FRAME_HEADER);
  bareprof_frame_put_varint(&stream, BAREPROF_WIRE_FORMAT);
  for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
    bareprof_frame_put_varint(&stream, fields[i]);
  for (size_t i = 0; i < header->build_id_size; i++)
    bareprof_frame_put_byte(&stream, header->build_id[i]);
  write_piece_table(&stream, header);
  bareprof_frame_end(&stream);
  return collected.size;
}

size_t frame_build_request(char line[REQUEST_LINE],
                           const struct request *request) {
  struct sink_buffer collected = {(unsigned char *)line, 0};
  const struct bareprof_sink sink = {append_to_sink_buffer, &collected};
  struct bareprof_stream stream = {
      .sink = &sink,
      .encoding = bareprof_text,
      .dump =
          request->to ? request->to->image | request->to->core << 8 : 0xFFFF};
  bareprof_frame_begin(&stream, BAREPROF_FRAME_REQUEST);
  write_little_endian(&stream, 4, request->tag);
  write_little_endian(&stream, 2, request->boot);
  write_little_endian(&stream, 1, request->command);
  write_little_endian(&stream, 1, request->options);
  for (unsigned i = 0; i < request->hole_count; i++) {
    write_little_endian(&stream, 1, request->holes[i].piece);
    write_little_endian(&stream, 4, request->holes[i].first);
    write_little_endian(&stream, 4, request->holes[i].count);
  }
  bareprof_frame_end(&stream);
  return collected.size;
}
