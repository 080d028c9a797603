/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A build id in 32 bits, for files whose header has room for no more: those of
 * MIP and of the sampler. Two builds have the same once in 2^32.
 */
#ifndef BAREPROF_RUNTIME_BUILDID_H
#define BAREPROF_RUNTIME_BUILDID_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a; 0 is for "not known". */
static inline uint32_t bareprof_build_hash(const unsigned char *id,
                                           size_t size) {
  uint32_t hash = UINT32_C(0x811C9DC5);
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ id[i]) * UINT32_C(0x01000193);
  return size ? hash | !hash : 0;
}

/* The note's bounds, of the linker script. Without it both are NULL. */
extern __attribute__((weak, visibility("hidden")))
const unsigned char __bareprof_build_id_start[],
    __bareprof_build_id_end[];

/* buildid.c: the hash of the running image's id; 0: it has none. */
uint32_t bareprof_build(void);

#endif
