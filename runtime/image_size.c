/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The bytes of the raw profile of the running image.
 */
#include "image.h"

static int count_bytes(void *context, const void *bytes, size_t size) {
  (void)bytes;
  *(size_t *)context += size;
  return 0;
}

size_t bareprof_size(void) {
  size_t size = 0;
  const struct bareprof_sink sink = {count_bytes, &size};
  return bareprof_write_image(&bareprof_running, &sink) ? 0 : size;
}
