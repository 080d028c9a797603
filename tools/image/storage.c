/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads struct bareprof_values of bareprof_values.h out of an ELF.
 */
#include "storage.h"

bool storage_find(const struct elf *elf, struct storage *storage) {
  const unsigned pointer = elf->wide ? 8 : 4;
  const unsigned char *at = NULL;
  uint64_t address;
  *storage = (struct storage){.slot_size = 4 * pointer};
  if (elf_find_symbol(elf, "bareprof_values", &address))
    at = elf_at(elf, address, storage_bytes(elf));
  if (!at)
    return false;
  storage->address = load_number(at, pointer, elf->big);
  storage->ways = load32(at + 3 * pointer, elf->big);
  storage->count = load32(at + 3 * pointer + 4, elf->big);
  return true;
}

uint64_t storage_size(const struct storage *storage) {
  enum { STATE = 8 };
  return storage->count ? (uint64_t)storage->count * storage->slot_size + STATE
                        : 0;
}
