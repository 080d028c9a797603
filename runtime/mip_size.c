/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The size of the output of bareprof_mip_write: the same writer, into nothing.
 */
#include "bareprof_mip.h"

static int count_bytes(void *context, const void *bytes, size_t size) {
  (void)bytes;
  *(size_t *)context += size;
  return 0;
}

size_t bareprof_mip_size(void) {
  size_t size = 0;
  const struct bareprof_sink sink = {count_bytes, &size};
  return bareprof_mip_write(&sink) ? 0 : size;
}
