/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The raw profile of the running image. Each call for the running image is a
 * member of its own: without --gc-sections a program has only what it calls.
 */
#include "image.h"

int bareprof_write(const struct bareprof_sink *sink) {
  return bareprof_write_image(&bareprof_running, sink);
}
