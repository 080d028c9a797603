/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of need.h that needs buffer.h, which few files include.
 */
#include "need.h"
#include "buffer.h"

void need_append(struct buffer *buffer, const void *bytes, size_t size) {
  const char *error = buffer_append(buffer, bytes, size);
  if (error)
    exit(report(NULL, "%s", error));
}
