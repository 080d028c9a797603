/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Of a dump the pieces that LEAN leaves to the ELF: records, names, vtables.
 * The format is described in link.c.
 */
#include "link.h"

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
  const struct bareprof_span *span = bareprof_piece(stream, piece);
  bool words =
      piece == BAREPROF_PIECE_RECORDS || piece == BAREPROF_PIECE_VTABLES;
  unsigned shift = words ? 2 : 0;
  if (end > bareprof_span_size(span) >> shift)
    end = bareprof_span_size(span) >> shift;
  while (first < end) {
    size_t at = first;
    bareprof_data_begin(stream, piece, first);
    do
      put(stream, span->begin + (at++ << shift), shift);
    while (at != end && bareprof_data_room(stream, at - first));
    bareprof_data_end(stream, at - first, words);
    first = at;
  }
}

void bareprof_full(struct bareprof_stream *stream) {
  for (unsigned i = 0; i < BAREPROF_SPANS; i++)
    if (i != BAREPROF_PIECE_COUNTERS && i != BAREPROF_PIECE_BITMAP)
      bareprof_dump_constants(stream, i, 0, SIZE_MAX);
}
