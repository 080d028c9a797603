/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The check of an image for its own sake.
 */
#include "image_layout.h"

int bareprof_status_image(const struct bareprof_image *image) {
  struct bareprof_check check;
  return bareprof_check(image, &check);
}

#ifndef BAREPROF_FOREIGN
int bareprof_status(void) { return bareprof_status_image(&bareprof_running); }
#endif
