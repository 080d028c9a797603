/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The check of an image for its own sake.
 */
#include "values.h"
#include "profraw_write.h"

int bareprof_status_image(const struct bareprof_image *image) {
  struct bareprof_dump dump = {.image = image};
  int error = bareprof_check(&dump);
  if (!error && dump.sites && (!image->values || !image->values->count))
    error = BAREPROF_E_VALUES;
  return error;
}
