/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The TEXT armor: frames as lines of base64. The format is described in
 * docs/wire-format.md.
 */
#include "link.h"

static void put_sixth(struct bareprof_stream *stream, unsigned value) {
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

/* The 1 above the bits that wait tells how many there are: 0, 2 or 4. */
void bareprof_text(struct bareprof_stream *stream, unsigned what) {
  unsigned bits = stream->bits;
  if (what == BAREPROF_ARMOR_BEGIN) {
    bareprof_line_put(stream, BAREPROF_TEXT_MARK);
    bareprof_line_put(stream, BAREPROF_TEXT_BEGIN);
    stream->column = 0;
    bits = 1;
  } else if (what == BAREPROF_ARMOR_END) {
    if (bits != 1)
      put_sixth(stream, (bits < 16 ? bits << 4 : bits << 2) & 63);
    bareprof_line_put(stream, BAREPROF_TEXT_END);
    bareprof_line_put(stream, '\n');
  } else if (bits == 1) {
    put_sixth(stream, what >> 2);
    bits = 4 | (what & 3);
  } else if (bits < 16) {
    put_sixth(stream, (bits & 3) << 4 | what >> 4);
    bits = 16 | (what & 15);
  } else {
    put_sixth(stream, (bits & 15) << 2 | what >> 6);
    put_sixth(stream, what & 63);
    bits = 1;
  }
  stream->bits = (uint16_t)bits;
}
