/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The TEXT encoding: frames as lines of base64. The format is described in
 * docs/wire-format.md.
 */
#include "wire.h"

/* The lower six bits of value. */
static void put_sixth(struct bareprof_stream *stream, unsigned value) {
  value &= 63;
  if (stream->column == BAREPROF_TEXT_COLUMNS) {
    bareprof_line_put(stream, '\n');
    bareprof_line_flush(stream);
    bareprof_line_put(stream, BAREPROF_TEXT_MARK);
    stream->column = 0;
  }
  stream->column++;
  if (value < 52)
    value += value < 26 ? 'A' : 'a' - 26;
  else if (value < 62)
    value -= 52 - '0';
  else
    value = value == 62 ? '+' : '/';
  bareprof_line_put(stream, value);
}

/* Of the last byte 0, 2 or 4 bits wait. */
void bareprof_text(struct bareprof_stream *stream, unsigned what) {
  unsigned waiting = stream->waiting;
  if (what == BAREPROF_ENCODING_BEGIN) {
    bareprof_line_put(stream, BAREPROF_TEXT_MARK);
    bareprof_line_put(stream, BAREPROF_TEXT_BEGIN);
    stream->column = stream->waiting = 0;
  } else if (what == BAREPROF_ENCODING_END) {
    if (waiting)
      put_sixth(stream, (unsigned)stream->last << (6 - waiting));
    bareprof_line_put(stream, BAREPROF_TEXT_END);
    bareprof_line_put(stream, '\n');
  } else {
    unsigned bits = (unsigned)stream->last << 8 | what;
    stream->last = (uint8_t)what;
    waiting += 8 - 6;
    put_sixth(stream, bits >> waiting);
    if (waiting == 6) {
      put_sixth(stream, bits);
      waiting = 0;
    }
    stream->waiting = (uint8_t)waiting;
  }
}
