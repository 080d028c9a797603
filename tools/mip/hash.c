/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Hashes by MD5.
 */
#include "hash.h"

#include <string.h>

#include "../object/md5.h"

uint32_t mip_module_hash(const char *name) {
  return (uint32_t)md5_low64(name, strlen(name));
}

uint32_t mip_cfg_signature(const char *text, size_t size, size_t block_count) {
  return block_count > 1 ? (uint32_t)md5_low64(text, size) : 0;
}
