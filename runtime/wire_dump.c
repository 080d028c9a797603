/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Full and mixed dumps: a header, frames, an end. The format of all that the
 * wire sends is described in docs/wire-format.md; wire_lean.c has compact
 * dumps, wire_request.c receives requests, tools/wire is the host's side.
 */
#include "wire.h"
#include "seams.h"

static void put_pieces(struct bareprof_stream *stream) {
  uintptr_t end = 0;
  for (unsigned i = 0; i < BAREPROF_SPANS; i++) {
    const struct bareprof_span *piece = &stream->image->pieces[i];
    uintptr_t address = bareprof_address(piece);
    size_t size = bareprof_span_size(piece);
    unsigned lean = 0;
    if (size == 0)
      continue;
    if (i == BAREPROF_PIECE_COUNTERS || i == BAREPROF_PIECE_BITMAP)
      address -= bareprof_bias(stream->image);
    else
      lean = stream->options & BAREPROF_LEAN;
    bareprof_frame_byte(stream, 2 * i + lean / BAREPROF_LEAN);
    bareprof_frame_varint(stream, size);
    bareprof_frame_varint(stream, bareprof_zigzag((intptr_t)(address - end)));
    end = address + size;
  }
}

void bareprof_dump_begin(struct bareprof_stream *stream, uint32_t reason) {
  const struct bareprof_image *image = stream->image;
  uint32_t variant = (uint32_t)(*image->version >> 32);
  uint32_t id_size = bareprof_build_id_size(image);
  unsigned flags = stream->options & BAREPROF_WIRE_OPTIONS;
  if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
    flags |= BAREPROF_WIRE_BIG_ENDIAN;
  if (sizeof(void *) == 8)
    flags |= BAREPROF_WIRE_WIDE;
  bareprof_dump_number(stream, reason);
  const uintptr_t fields[] = {BAREPROF_WIRE_FORMAT,
                              flags,
                              stream->options >> 8,
                              reason,
                              (uint32_t)*image->version,
                              variant << 8 | variant >> 24,
                              id_size};
  _Static_assert(BAREPROF_WIRE_LEAN == BAREPROF_LEAN, "one is the other");
  bareprof_frame_begin(stream, BAREPROF_FRAME_HEADER);
  for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
    bareprof_frame_varint(stream, fields[i]);
  for (uint32_t i = 0; i < id_size; i++)
    bareprof_frame_byte(stream, image->build_id.begin[16 + i]);
  put_pieces(stream);
  /* One call, the last: it takes no stack besides. */
  (seam_values_header ? seam_values_header : bareprof_frame_end)(stream);
}

void bareprof_dump_counts(struct bareprof_stream *stream, size_t first,
                          size_t end) {
  size_t all = stream->counts;
  if (end > all)
    end = all;
  if (first >= end)
    return;
  stream->at = first;
  stream->counts = end;
  bareprof_data_begin(stream, BAREPROF_FRAME_COUNTS, first);
  bareprof_counts_put(stream);
  stream->counts = all;
}

void bareprof_dump_end(struct bareprof_stream *stream) {
  bareprof_data_begin(stream, BAREPROF_FRAME_END, stream->frames);
  bareprof_frame_varint(stream, stream->sum);
  bareprof_frame_end(stream);
}

void bareprof_dump_mixed(struct bareprof_stream *stream, uint32_t tag) {
  bareprof_dump_begin(stream, 2 * tag);
  bareprof_dump_counts(stream, 0, SIZE_MAX);
  bareprof_dump_end(stream);
}

int bareprof_send_as(const struct bareprof_image *image,
                     const struct bareprof_sink *out, unsigned options,
                     bareprof_encoding *encoding, bareprof_rest *rest) {
  struct bareprof_stream stream = {
      .image = image, .sink = out, .encoding = encoding, .options = options};
  int error = bareprof_full_check(image);
  if (error)
    return bareprof_refuse(&stream, error);
  bareprof_dump_begin(&stream, 0);
  bareprof_dump_counts(&stream, 0, SIZE_MAX);
  if (rest)
    rest(&stream);
  bareprof_dump_end(&stream);
  return stream.error;
}
