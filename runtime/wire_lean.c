/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lean dumps, in the compact form: the first frame identifies the dump, and all
 * frames carry counts. The ELF has everything else. docs/wire-format.md
 * describes the format.
 */
#include "wire.h"
#include "weak_hooks.h"

void bareprof_dump_lean(struct bareprof_stream *stream, uint32_t tag) {
  const struct bareprof_image *image = stream->image;
  unsigned head = BAREPROF_FRAME_LEAN | BAREPROF_LEAN_FORMAT;
  if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
    head |= BAREPROF_LEAN_BIG_ENDIAN;
  head |= bareprof_dump_number(stream, tag);
  stream = bareprof_frame_begin(stream, head);
  uint32_t place = stream->place | BAREPROF_WIRE_FORMAT |
                   stream->shift << BAREPROF_LEAN_FORMAT_WIDTH;
  stream->seed = place;
  stream = bareprof_frame_word(stream, place);
  unsigned at = 16;
  do
    stream = bareprof_frame_byte(stream, image->build_id.begin[at]);
  while (++at != 16 + BAREPROF_LEAN_ID);
  stream = bareprof_frame_varint(stream, stream->options >> 8);
  stream = bareprof_frame_varint(stream, tag);
  stream = bareprof_frame_varint(stream, stream->counters);
  stream = bareprof_frame_varint(stream, stream->counts - stream->counters);
  bareprof_counts_put(stream);
}

int bareprof_send_lean(const struct bareprof_image *image,
                       const struct bareprof_sink *out, unsigned options,
                       bareprof_encoding *encoding) {
  struct bareprof_stream stream = {
      .image = image, .sink = out, .encoding = encoding, .options = options};
  int error = bareprof_lean_check(image);
  if (error)
    return bareprof_refuse(&stream, error);
  (hook_values_lean ? hook_values_lean : bareprof_dump_lean)(&stream, 0);
  return stream.error;
}
