/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes, from arrays, files like the files of linkers, debuggers and `bareprof
 * receive`: linked ELFs, cores, dumps. For fuzzing, and for ELFs that would
 * take too long to compile. Uses no code of the tool.
 */
#ifndef MAKE_H
#define MAKE_H

#include "compose.h"

struct made_section {
  const char *name;
  unsigned type, flags; /* type: 1 bytes, 7 note, 8 no bytes; flags: 2 if the
                           section is in memory */
  uint64_t address;
  const void *bytes;
  size_t size;
};

struct made_symbol {
  const char *name;
  uint64_t value;
};

struct made_elf {
  const struct target *target; /* its version is not used */
  const struct made_section *sections;
  size_t section_count;
  const struct made_symbol *symbols;
  size_t symbol_count;
};

/* make_elf_room returns an upper limit for the size of the ELF. make_elf writes
 * the ELF, and returns its size. */
size_t make_elf_room(const struct made_elf *made);
size_t make_elf(unsigned char *to, const struct made_elf *made);

/* Writes a core whose segments are the sections. Returns its size. */
size_t make_core(unsigned char *to, const struct made_elf *made);

/* Writes a dump of the firmware's counts. The slots in `firmware` must be
 * sorted and frozen, as raw_write needs them; the slots in the dump are not.
 * Returns the size of the dump. */
#define MADE_DUMP_ROOM 2048
size_t make_dump(unsigned char *to, const struct firmware *firmware);

/* Writes the CRC of the bytes to the last four bytes. */
void make_crc(unsigned char *bytes, size_t size);

#endif
