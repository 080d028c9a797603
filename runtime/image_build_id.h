/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A build id in 32 bits, for files whose header has room for no more: those of
 * MIP and of the sampler. Two builds have the same once in 2^32.
 */
#ifndef BAREPROF_RUNTIME_IMAGE_BUILD_ID_H
#define BAREPROF_RUNTIME_IMAGE_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, begun with 0, which is for "not known". */
static inline uint32_t bareprof_build_step(uint32_t hash, unsigned char byte) {
  return (hash ^ byte) * UINT32_C(0x01000193);
}

/* The hash of an id with the zeros after it, up to a multiple of 4, as its note
 * has it. */
static inline uint32_t bareprof_build_hash(const unsigned char *id,
                                           size_t size) {
  uint32_t hash = 0;
  for (size_t i = 0; i < size || i % 4; i++)
    hash = bareprof_build_step(hash, i < size ? id[i] : 0);
  return hash;
}

/* image_build_id.c: the hash of the running image's id; 0: it has none. */
uint32_t bareprof_build(void);

#endif
