/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sends the raw section as frames. In the frames, the section's header takes
 * the place of records. BAREPROF_LEAN, which omits records, does nothing here,
 * because the host needs the header.
 */
#include "wire.h"
#include "mip.h"

int bareprof_mip_send(const struct bareprof_sink *out, unsigned options) {
  int error = bareprof_mip_check();
  if (error)
    return error;
  options &= ~BAREPROF_LEAN;
  return bareprof_send_full(&bareprof_mip_image, out, options | BAREPROF_MIP,
                          options & BAREPROF_BINARY ? bareprof_binary
                                                    : bareprof_text);
}
