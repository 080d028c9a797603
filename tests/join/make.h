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
  unsigned type, flags; /* 1: bytes, 7: a note, 8: none; 2: in memory */
  uint64_t address;
  const void *bytes;
  size_t size;
};

struct made_symbol {
  const char *name;
  uint64_t value;
};

struct made_elf {
  const struct target *target; /* of which the version does not matter */
  const struct made_section *sections;
  size_t section_count;
  const struct made_symbol *symbols;
  size_t symbol_count;
};

/* The most bytes that make_elf needs, and the ELF; returns its size. */
size_t make_elf_room(const struct made_elf *made);
size_t make_elf(unsigned char *to, const struct made_elf *made);

/* A core with the sections as its segments. */
size_t make_core(unsigned char *to, const struct made_elf *made);

/* A dump of what a firmware has counted. Its slots are sorted and frozen, as
 * the writer wants them; the dump's are neither. */
#define MADE_DUMP_ROOM 2048
size_t make_dump(unsigned char *to, const struct firmware *firmware);

/* Makes the CRC in the last four bytes right. */
void make_crc(unsigned char *bytes, size_t size);

#endif
