/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The check of an image for its own sake.
 */
#include "values.h"
#include "image_layout.h"

int bareprof_status_image(const struct bareprof_image *image) {
  struct bareprof_check check;
  int error = bareprof_check(image, &check);
  if (!error && check.profile.sites &&
      (!image->values || !image->values->count))
    error = BAREPROF_E_VALUES;
  return error;
}
