/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions that speak of the running image.
 */
#include "image.h"

int bareprof_write(const struct bareprof_sink *sink) {
  return bareprof_write_image(&bareprof_running, sink);
}

void bareprof_reset(void) { bareprof_reset_image(&bareprof_running); }

int bareprof_status(void) { return bareprof_status_image(&bareprof_running); }

int bareprof_merge(const void *profile, size_t size) {
  return bareprof_merge_image(&bareprof_running, profile, size);
}

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
