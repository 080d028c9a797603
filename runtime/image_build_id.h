/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A 32-bit hash of a build id, for the headers of MIP files and of samples. The
 * chance that two builds have the same hash is 1 in 2^32.
 */
#ifndef BAREPROF_RUNTIME_IMAGE_BUILD_ID_H
#define BAREPROF_RUNTIME_IMAGE_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/* Adds a byte to an FNV-1a hash. The hash starts at 0, and 0 means that the
 * build id is not known. */
static inline uint32_t bareprof_build_hash_step(uint32_t hash,
                                                unsigned char byte) {
  return (hash ^ byte) * UINT32_C(0x01000193);
}

/* Returns the hash of an id and of the zeros that follow it in its note, up to
 * a multiple of 4. */
static inline uint32_t bareprof_build_hash(const unsigned char *id,
                                           size_t size) {
  uint32_t hash = 0;
  for (size_t i = 0; i < size || i % 4; i++)
    hash = bareprof_build_hash_step(hash, i < size ? id[i] : 0);
  return hash;
}

/* image_build_id.c: returns the hash of the running image's id, or 0 without an
 * id. */
uint32_t bareprof_build_id_hash(void);

#endif
