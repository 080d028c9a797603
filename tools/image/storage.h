/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The storage for values that an image has by BAREPROF_VALUES: what the ELF
 * says of it, in its symbol bareprof_values.
 */
#ifndef BAREPROF_TOOLS_STORAGE_H
#define BAREPROF_TOOLS_STORAGE_H

#include "../object/elf.h"

struct storage {
  uint64_t address; /* of the slots */
  uint32_t count;   /* of slots; 0: nobody has given storage */
  uint32_t ways;
  unsigned slot_size; /* bytes */
};

/* false: the ELF has no such symbol, or not its contents. */
bool storage_find(const struct elf *elf, struct storage *storage);

/* Bytes of that symbol. */
static inline unsigned storage_bytes(const struct elf *elf) {
  return elf->wide ? 32 : 20;
}

/* Bytes of RAM. */
uint64_t storage_size(const struct storage *storage);

#endif
