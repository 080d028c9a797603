/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decompresses the zlib format (RFC 1950, 1951): names in LLVM's profiles, and
 * ELF sections that the linker compressed.
 */
#ifndef BASE_INFLATE_H
#define BASE_INFLATE_H

#include <stdint.h>

#include "../base/bytes.h"

/* Decompresses packed into to, which holds *size bytes, and sets *size to the
 * decompressed size. Returns NULL or the error; after an error, to may be
 * partly written. Never writes beyond *size bytes, and allocates nothing.
 * Ignores bytes after the checksum. */
const char *inflate_zlib(struct bytes packed, unsigned char *to, size_t *size);

/* The largest size that size compressed bytes can expand to: two bits can stand
 * for at most 258 bytes. Callers refuse a larger announced size before they
 * allocate. */
static inline uint64_t inflate_size_limit(size_t size) {
  return (uint64_t)size * 1032;
}

/* The format's checksum, Adler-32. */
uint32_t inflate_adler32(const unsigned char *bytes, size_t size);

#endif
