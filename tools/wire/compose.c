/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Frames put together. What the runtime's sink gets goes to memory.
 */
#include "compose.h"

#include <string.h>

/* Bytes that come to a sink; there is room for them. */
struct collected {
  unsigned char *to;
  size_t size;
};

static int collect(void *context, const void *bytes, size_t size) {
  struct collected *collected = context;
  memcpy(collected->to + collected->size, bytes, size);
  collected->size += size;
  return 0;
}

/* The frame alone. */
static void no_encoding(struct bareprof_stream *stream, unsigned what) {
  if (what < BAREPROF_ENCODING_BEGIN)
    bareprof_line_put(stream, what);
}

static void put_number(struct bareprof_stream *stream, unsigned size,
                       uint32_t value) {
  for (; size; size--, value >>= 8)
    bareprof_frame_byte(stream, value);
}

static void put_pieces(struct bareprof_stream *stream,
                       const struct header *header) {
  uint64_t end = 0;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct piece *piece = &header->pieces[i];
    uint64_t distance = piece->address - end;
    if (!piece->size)
      continue;
    if (!header->wide)
      distance = (uint64_t)(int64_t)(int32_t)(uint32_t)distance;
    bareprof_frame_varint(stream, 2 * i + piece->left_out);
    bareprof_frame_varint(stream, i == BAREPROF_PIECE_SLOTS
                                      ? piece->size / SLOT_BYTES
                                      : piece->size);
    bareprof_frame_varint(stream, bareprof_zigzag((intptr_t)distance));
    end = piece->address + piece->size;
  }
}

size_t header_frame(unsigned char frame[HEADER_FRAME],
                    const struct header *header, uint16_t dump) {
  struct collected collected = {frame, 0};
  const struct bareprof_sink sink = {collect, &collected};
  struct bareprof_stream stream = {
      .sink = &sink, .encoding = no_encoding, .dump = dump};
  uint32_t variant = (uint32_t)(header->version >> 32);
  unsigned flags = header->kind << BAREPROF_WIRE_KIND_SHIFT;
  flags |= header->big_endian ? BAREPROF_WIRE_BIG_ENDIAN : 0;
  flags |= header->lean ? BAREPROF_WIRE_LEAN : 0;
  flags |= header->wide ? BAREPROF_WIRE_WIDE : 0;
  const uint32_t fields[] = {BAREPROF_WIRE_FORMAT,
                             flags,
                             header->core | header->image << 4 |
                                 header->boot << 8,
                             header->tag * 2 + header->part,
                             (uint32_t)header->version,
                             variant << 8 | variant >> 24,
                             (uint32_t)header->build_id_size};
  bareprof_frame_begin(&stream, BAREPROF_FRAME_HEADER);
  for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
    bareprof_frame_varint(&stream, fields[i]);
  for (size_t i = 0; i < header->build_id_size; i++)
    bareprof_frame_byte(&stream, header->build_id[i]);
  put_pieces(&stream, header);
  bareprof_frame_end(&stream);
  return collected.size;
}

size_t wish_line(char line[WISH_LINE], const struct wish *wish) {
  struct collected collected = {(unsigned char *)line, 0};
  const struct bareprof_sink sink = {collect, &collected};
  struct bareprof_stream stream = {
      .sink = &sink,
      .encoding = bareprof_text,
      .dump = wish->to ? wish->to->image | wish->to->core << 8 : 0xFFFF};
  bareprof_frame_begin(&stream, BAREPROF_FRAME_REQUEST);
  put_number(&stream, 4, wish->tag);
  put_number(&stream, 2, wish->name);
  put_number(&stream, 1, wish->command);
  put_number(&stream, 1, wish->options);
  for (unsigned i = 0; i < wish->hole_count; i++) {
    put_number(&stream, 1, wish->holes[i].piece);
    put_number(&stream, 4, wish->holes[i].first);
    put_number(&stream, 4, wish->holes[i].count);
  }
  bareprof_frame_end(&stream);
  return collected.size;
}
