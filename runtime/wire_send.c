/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions behind the inline ones of bareprof_wire.h: for options that
 * the compiler does not see, and for callers in other languages. They link
 * both encodings.
 */
#include "wire.h"

#undef bareprof_send
#undef bareprof_send_image

int bareprof_send_image(const struct bareprof_image *image,
                        const struct bareprof_sink *out, unsigned options) {
  return bareprof_send_image_inline(image, out, options);
}

int bareprof_send(const struct bareprof_sink *out, unsigned options) {
  return bareprof_send_inline(out, options);
}
