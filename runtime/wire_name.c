/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The name of the next dump: an answer that nobody asked for, which hosts that
 * know no names pass over.
 */
#include "wire.h"

int bareprof_send_name_as(const struct bareprof_sink *out, unsigned options,
                          const char *name, bareprof_encoding *encoding) {
  struct bareprof_stream stream = {.image = &bareprof_running,
                                   .sink = out,
                                   .encoding = encoding,
                                   .options = options};
  /* A release sends nothing. */
  if (stream.image->counters.begin == stream.image->counters.end)
    return BAREPROF_E_EMPTY;
  bareprof_dump_number(&stream, 0);
  bareprof_answer_begin(&stream, 0, BAREPROF_COMMAND_NAME, 0);
  for (unsigned i = 0; i < BAREPROF_NAME_BYTES && name[i]; i++)
    bareprof_frame_byte(&stream, (unsigned char)name[i]);
  bareprof_frame_end(&stream);
  return stream.error;
}

#undef bareprof_send_name

int bareprof_send_name(const struct bareprof_sink *out, unsigned options,
                       const char *name) {
  return bareprof_send_name_inline(out, options, name);
}
