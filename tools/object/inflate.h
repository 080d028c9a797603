/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decompresses the zlib format (RFC 1950, 1951): names in LLVM's profiles, and
 * ELF sections that the linker compressed.
 */
#ifndef BASE_INFLATE_H
#define BASE_INFLATE_H

#include <stdint.h>

#include "../base/bytes.h"

/* Decompresses `packed` into `to`, which has room for *size bytes, and sets
 * *size to the decompressed size. Returns NULL or the error; after an error,
 * `to` may be partly written. The function never writes more than *size bytes,
 * allocates no memory, and ignores bytes after the checksum. */
const char *inflate_zlib(struct bytes packed, unsigned char *to, size_t *size);

/* Returns the largest size to which `size` compressed bytes can expand. In this
 * format, two bits can mean at most 258 bytes. If a file announces a larger
 * size, callers report an error before they allocate. */
static inline uint64_t inflate_size_limit(size_t size) {
  return (uint64_t)size * 1032;
}

/* Returns the Adler-32 of bytes, the checksum of the zlib format. */
uint32_t inflate_adler32(const unsigned char *bytes, size_t size);

#endif
