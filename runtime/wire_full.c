/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Of a dump the pieces that LEAN leaves to the ELF: records, names, vtables.
 * The format is described in docs/wire-format.md.
 */
#include "wire.h"

/* Records and vtables are coded as words, names go as they are. */
static void put(struct bareprof_stream *stream, const unsigned char *at,
                unsigned shift) {
  if (shift)
    bareprof_coder_put(stream, bareprof_load32(stream->image, at));
  else
    bareprof_frame_byte(stream, *at);
}

void bareprof_dump_constants(struct bareprof_stream *stream, unsigned piece,
                             size_t first, size_t end) {
  const struct bareprof_span *span = &stream->image->pieces[piece];
  bool words =
      piece == BAREPROF_PIECE_RECORDS || piece == BAREPROF_PIECE_VTABLES;
  unsigned shift = words ? 2 : 0;
  if (end > bareprof_span_size(span) >> shift)
    end = bareprof_span_size(span) >> shift;
  while (first < end) {
    bareprof_data_begin(stream, BAREPROF_FRAME_DATA | piece << 3, first);
    do
      put(stream, span->begin + (first++ << shift), shift);
    while (first != end && bareprof_frame_room(stream));
    if (words)
      bareprof_data_end(stream);
    else
      bareprof_frame_end(stream);
  }
}

void bareprof_full(struct bareprof_stream *stream) {
  for (unsigned i = 0; i < BAREPROF_SPANS; i++)
    if (i != BAREPROF_PIECE_COUNTERS && i != BAREPROF_PIECE_BITMAP)
      bareprof_dump_constants(stream, i, 0, SIZE_MAX);
}
