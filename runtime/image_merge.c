/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds a profile to the running image.
 */
#include "image.h"

int bareprof_merge(const void *profile, size_t size) {
  return bareprof_merge_image(&bareprof_running, profile, size);
}
