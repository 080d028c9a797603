/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes any ELF that sections, symbols and a segment can describe, for either
 * width and byte order. The fuzz target needs ELFs that no linker writes.
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
  uint64_t address, size; /* the file has at most 512 bytes of the section */
  const void *bytes;      /* the first bytes of the section, or NULL */
  size_t byte_count;
};

struct forged_symbol {
  const char *name;
  uint64_t value, size;
  unsigned info, section;
};

/* In the ELF, section 0 and symbol 0 are the empty ones. */
struct forge {
  struct target target;
  unsigned type;              /* type of the ELF */
  uint64_t address, physical; /* addresses of the segment */
  struct forged_section sections[FORGE_SECTIONS];
  struct forged_symbol symbols[FORGE_SYMBOLS];
  unsigned section_count, symbol_count;
};

/* Writes the ELF to to[FORGE_ROOM]. Returns its size. */
size_t forge_write(const struct forge *forge, unsigned char *to);

#endif
