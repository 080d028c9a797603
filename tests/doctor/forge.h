/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Any ELF that sections, symbols and a segment can describe, for either width
 * and byte order: what no linker writes, too. For the fuzz target.
 */
#ifndef FORGE_H
#define FORGE_H

#include "format.h"

enum { FORGE_SECTIONS = 24, FORGE_SYMBOLS = 32, FORGE_ROOM = 1 << 14 };

/* Types of sections. */
enum { PROGBITS = 1, SYMTAB, STRTAB, NOTES = 7, NOBITS };

struct forged_section {
  const char *name;
  unsigned type, flags;
  uint64_t address, size; /* of size, 512 bytes are in the file at most */
  const void *bytes;      /* with which they begin, or NULL */
  size_t byte_count;
};

struct forged_symbol {
  const char *name;
  uint64_t value, size;
  unsigned info, section;
};

/* Number 0 of sections and of symbols is the empty one. */
struct forge {
  struct target target;
  unsigned type;              /* of the ELF */
  uint64_t address, physical; /* of the segment */
  struct forged_section sections[FORGE_SECTIONS];
  struct forged_symbol symbols[FORGE_SYMBOLS];
  unsigned section_count, symbol_count;
};

/* Writes it to to, of FORGE_ROOM bytes; returns its size. */
size_t forge_write(const struct forge *forge, unsigned char *to);

#endif
