/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The check of an image for its own sake, and the size of its profile.
 */
#include "writer.h"

int bareprof_status_image(const struct bareprof_image *image) {
  struct bareprof_dump dump = {.image = image};
  int error = bareprof_layout_check(&dump);
  if (!error && dump.sites &&
      (!bareprof_values_write ||
       image->value_nodes.begin == image->value_nodes.end))
    error = BAREPROF_E_VALUES;
  return error;
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
