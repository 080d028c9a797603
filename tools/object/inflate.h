/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The zlib format (RFC 1950, 1951): names in LLVM's profiles, and sections
 * of an ELF that the linker compressed.
 */
#ifndef BASE_INFLATE_H
#define BASE_INFLATE_H

#include <stdint.h>

#include "../base/bytes.h"

/* Unpacks packed into to, which has room for *size bytes, and sets *size to the
 * unpacked size. Returns NULL or the error; after an error a part of to may be
 * written. Writes nothing beyond the room, and allocates nothing. Ignores bytes
 * behind the checksum. */
const char *inflate_zlib(struct bytes packed, unsigned char *to, size_t *size);

/* The most bytes that size packed bytes can become: 258 bytes take at least 2
 * bits. A larger claim is false and needs no allocation. */
static inline uint64_t inflate_most(size_t size) {
  return (uint64_t)size * 1032;
}

/* The checksum of the format. */
uint32_t inflate_checksum(const unsigned char *bytes, size_t size);

#endif
