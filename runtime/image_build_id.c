/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Computes the hash of the running image's build id, for the headers of samples
 * and of Machine IR Profile files.
 */
#include "image.h"
#include "image_sections.h"

uint32_t bareprof_build_id_hash(void) {
  enum { BEFORE = 16 /* sizes, type, "GNU" */ };
  uintptr_t at = (uintptr_t)__bareprof_build_id_start + BEFORE;
  uint32_t hash = 0;
  for (; at < (uintptr_t)__bareprof_build_id_end; at++)
    hash = bareprof_build_hash_step(hash, *(const unsigned char *)at);
  return hash;
}
