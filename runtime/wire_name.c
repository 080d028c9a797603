/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The name of the next dump: an answer that nobody asked for, which hosts that
 * know no names pass over.
 */
#include "wire.h"

int bareprof_send_name_as(const struct bareprof_sink *out, unsigned options,
                          const char *name, bareprof_encoding *encoding) {
  struct bareprof_stream stream = {
      .sink = out, .encoding = encoding, .options = options};
  stream.dump = options >> 8;
  bareprof_frame_begin(&stream, BAREPROF_FRAME_ANSWER);
  bareprof_frame_varint(&stream, 0); /* no request's tag */
  bareprof_frame_byte(&stream, BAREPROF_COMMAND_NAME);
  bareprof_frame_varint(&stream, 0); /* no error */
  for (unsigned i = 0; name[i] && i < BAREPROF_NAME_BYTES; i++)
    bareprof_frame_byte(&stream, (unsigned char)name[i]);
  bareprof_frame_end(&stream);
  return stream.error;
}

#undef bareprof_send_name

int bareprof_send_name(const struct bareprof_sink *out, unsigned options,
                       const char *name) {
  return bareprof_send_name_inline(out, options, name);
}
