/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends full dumps, which have the pieces that lean dumps omit: records, names
 * and vtables. These functions have a file of their own, so that a program
 * contains them only if it can send full dumps, even without --gc-sections. The
 * page docs/reference/wire-format.md describes the format.
 */
#include "wire.h"

/* Puts an element of a piece into the frame. Elements of records and vtables
 * are 4-byte words (shift 2), which are coded as numbers; elements of names are
 * bytes, which are not coded. */
static void put_element(struct bareprof_stream *stream, const unsigned char *at,
                        unsigned shift) {
  if (shift)
    bareprof_coder_put(stream, bareprof_load32(stream->image, at));
  else
    bareprof_frame_put_byte(stream, *at);
}

void bareprof_dump_constant_piece(struct bareprof_stream *stream,
                                  unsigned piece, size_t first, size_t end) {
  const struct bareprof_span *span = &stream->image->pieces[piece];
  bool words =
      piece == BAREPROF_PIECE_RECORDS || piece == BAREPROF_PIECE_VTABLES;
  unsigned shift = words ? 2 : 0;
  if (end > bareprof_span_size(span) >> shift)
    end = bareprof_span_size(span) >> shift;
  while (first < end) {
    bareprof_data_begin(stream, BAREPROF_FRAME_DATA | piece << 3, first);
    do
      put_element(stream, span->begin + (first++ << shift), shift);
    while (first != end && bareprof_frame_has_room(stream));
    if (words)
      bareprof_data_end(stream);
    else
      bareprof_frame_end(stream);
  }
}

void bareprof_full(struct bareprof_stream *stream) {
  for (unsigned i = 0; i < BAREPROF_SPANS; i++)
    if (i != BAREPROF_PIECE_COUNTERS && i != BAREPROF_PIECE_BITMAP)
      bareprof_dump_constant_piece(stream, i, 0, SIZE_MAX);
}

int bareprof_send_full(const struct bareprof_image *image,
                       const struct bareprof_sink *out, unsigned options,
                       bareprof_encoding *encoding) {
  struct bareprof_stream stream = {
      .image = image, .sink = out, .encoding = encoding, .options = options};
  int error = bareprof_full_check(image);
  if (error)
    return bareprof_send_refusal(&stream, error);
  bareprof_dump_begin(&stream, 0);
  bareprof_dump_counts(&stream, 0, SIZE_MAX);
  bareprof_full(&stream);
  bareprof_dump_end(&stream);
  return stream.error;
}
