/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * CRC-32 of many bytes.
 */
#include "wire_crc32.h"

uint32_t bareprof_crc32(uint32_t crc, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  uint32_t state = ~crc;
  while (size--)
    state = bareprof_crc32_step(state, *byte++);
  return ~state;
}
