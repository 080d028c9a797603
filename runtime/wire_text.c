/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The TEXT encoding: frames as lines of base64. The format is described in
 * docs/wire-format.md.
 */
#include "wire.h"

/* The lower six bits of value. */
static struct bareprof_stream *put_sixth(struct bareprof_stream *stream,
                                         unsigned value) {
  value &= 63;
  if (stream->column == BAREPROF_TEXT_COLUMNS) {
    stream = bareprof_line_put(stream, '\n');
    stream = bareprof_line_flush(stream);
    stream = bareprof_line_put(stream, BAREPROF_TEXT_MARK);
    stream->column = 0;
  }
  stream->column++;
  if (value < 52)
    value += value < 26 ? 'A' : 'a' - 26;
  else if (value < 62)
    value -= 52 - '0';
  else
    value = value == 62 ? '+' : '/';
  return bareprof_line_put(stream, value);
}

/* Of the last byte 0, 2 or 4 bits wait. */
struct bareprof_stream *bareprof_text(struct bareprof_stream *stream,
                                      unsigned what) {
  unsigned waiting = stream->waiting;
  if (what == BAREPROF_ENCODING_BEGIN) {
    stream = bareprof_line_put(stream, BAREPROF_TEXT_MARK);
    stream = bareprof_line_put(stream, BAREPROF_TEXT_BEGIN);
    stream->column = stream->waiting = 0;
  } else if (what == BAREPROF_ENCODING_END) {
    if (waiting)
      stream = put_sixth(stream, (unsigned)stream->last << (6 - waiting));
    stream = bareprof_line_put(stream, BAREPROF_TEXT_END);
    stream = bareprof_line_put(stream, '\n');
  } else {
    unsigned bits = (unsigned)stream->last << 8 | what;
    stream->last = (uint8_t)what;
    waiting += 8 - 6;
    stream = put_sixth(stream, bits >> waiting);
    if (waiting == 6) {
      stream = put_sixth(stream, bits);
      waiting = 0;
    }
    stream->waiting = (uint8_t)waiting;
  }
  return stream;
}
