/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Full and mixed dumps: a header, frames, an end. The format of all that the
 * wire sends is described in docs/wire-format.md; wire_lean.c has compact
 * dumps, wire_request.c receives requests, tools/wire is the host's side.
 */
#include "wire.h"
#include "weak_hooks.h"

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
    bareprof_header_piece(stream, 2 * i + lean / BAREPROF_LEAN, size,
                          address - end);
    end = address + size;
  }
}

void bareprof_dump_begin(struct bareprof_stream *stream, uint32_t reason) {
  const struct bareprof_image *image = stream->image;
  stream->options |= bareprof_dump_number(stream, reason);
  bareprof_header_begin(stream, reason, *image->version, &image->build_id);
  put_pieces(stream);
  /* One call, the last: it takes no stack besides. */
  (hook_values_header ? hook_values_header : bareprof_frame_end)(stream);
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
  stream = bareprof_data_begin(stream, BAREPROF_FRAME_COUNTS, first);
  stream = bareprof_counts_put(stream);
  stream->counts = all;
}

void bareprof_dump_end(struct bareprof_stream *stream) {
  stream = bareprof_data_begin(stream, BAREPROF_FRAME_END, stream->frames);
  stream = bareprof_frame_varint(stream, stream->sum);
  bareprof_frame_end(stream);
}

void bareprof_dump_mixed(struct bareprof_stream *stream, uint32_t tag) {
  bareprof_dump_begin(stream, 2 * tag);
  bareprof_dump_counts(stream, 0, SIZE_MAX);
  bareprof_dump_end(stream);
}

int bareprof_send_as(const struct bareprof_image *image,
                     const struct bareprof_sink *out, unsigned options,
                     bareprof_encoding *encoding) {
  struct bareprof_stream stream = {
      .image = image, .sink = out, .encoding = encoding, .options = options};
  int error = bareprof_full_check(image);
  if (error)
    return bareprof_refuse(&stream, error);
  bareprof_dump_begin(&stream, 0);
  bareprof_dump_counts(&stream, 0, SIZE_MAX);
  bareprof_full(&stream);
  bareprof_dump_end(&stream);
  return stream.error;
}
