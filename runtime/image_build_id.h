/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A 32-bit hash of a build id, for the headers of MIP files and of samples. Two
 * builds have the same hash once in 2^32.
 */
#ifndef BAREPROF_RUNTIME_IMAGE_BUILD_ID_H
#define BAREPROF_RUNTIME_IMAGE_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/* A step of FNV-1a. The hash begins with 0, which stands for "not known". */
static inline uint32_t bareprof_build_step(uint32_t hash, unsigned char byte) {
  return (hash ^ byte) * UINT32_C(0x01000193);
}

/* The hash of an id and of the zeros that pad it to a multiple of 4 in its
 * note.
 */
static inline uint32_t bareprof_build_hash(const unsigned char *id,
                                           size_t size) {
  uint32_t hash = 0;
  for (size_t i = 0; i < size || i % 4; i++)
    hash = bareprof_build_step(hash, i < size ? id[i] : 0);
  return hash;
}

/* image_build_id.c: the hash of the running image's id, or 0 without an id. */
uint32_t bareprof_build(void);

#endif
