/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The BINARY encoding: frames between bytes that text never has. The format is
 * described in docs/wire-format.md.
 */
#include "wire.h"

_Static_assert((BAREPROF_BINARY_BEGIN ^ BAREPROF_ENCODING_BEGIN) == 0x1FA &&
                   (BAREPROF_BINARY_END ^ BAREPROF_ENCODING_END) == 0x1FA,
               "the marks differ as what they stand for");

struct bareprof_stream *bareprof_binary(struct bareprof_stream *stream,
                                        unsigned what) {
  if (what > 255) {
    what ^= 0x1FA;
  } else if (what - BAREPROF_BINARY_BEGIN <= 2) {
    stream = bareprof_line_put(stream, BAREPROF_BINARY_ESCAPE);
    what ^= BAREPROF_BINARY_FLIP;
  }
  return bareprof_line_put(stream, what);
}
