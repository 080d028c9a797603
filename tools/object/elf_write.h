/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes an ELF file of sections and symbols, of either class and byte order.
 * It has no segments: nobody can load it. The tables that name and list
 * things (.symtab, .strtab, .shstrtab) are added, behind the given sections.
 */
#ifndef BASE_ELF_WRITE_H
#define BASE_ELF_WRITE_H

#include <stdio.h>

#include "../base/buffer.h"
#include "elf.h"

struct elf_draft {
  bool wide, big; /* and so on: as in struct elf */
  uint16_t type;
  uint16_t machine;
  uint32_t flags;
  /* Of a section, offset, link and info are not looked at. bytes: size of
   * them; NULL for NOBITS. */
  const struct elf_section *sections;
  size_t section_count;
  /* The section of a symbol is 1 for the first of sections, and so on. */
  const struct elf_symbol *symbols;
  size_t symbol_count;
};

/* Writes the file to a stream, whose errors are the caller's to find. The
 * same draft gives the same bytes. NULL, or what is wrong with the draft;
 * then nothing has been written. */
const char *elf_write(const struct elf_draft *draft, FILE *stream);

/* ==== Adds sections that are not loaded to a linked ELF. What is in the file
 * stays where it is, with one exception, the numbers in its header that say
 * where the section headers are: those go to the end, with the names and the
 * new contents. So cutting the file back to its size and putting the header
 * back undoes it. */

struct elf_addition {
  const char *name;
  struct bytes contents;
};

/* A section of an addition's name that is not loaded becomes the addition; all
 * are placed at multiples of 8. The file moves in memory. NULL, or what is
 * wrong: then the file is of no use any more. */
const char *elf_append(struct buffer *file, const struct elf_addition *list,
                       size_t count);

#endif
