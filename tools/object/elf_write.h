/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes an ELF file of sections and symbols, of either class and byte order.
 * The file has no segments, so no loader can load it. The tables .symtab,
 * .strtab and .shstrtab are added behind the given sections.
 */
#ifndef BASE_ELF_WRITE_H
#define BASE_ELF_WRITE_H

#include <stdio.h>

#include "../base/storage.h"
#include "elf.h"

struct elf_draft {
  bool wide, big; /* and so on: as in struct elf */
  uint16_t type;
  uint16_t machine;
  uint32_t flags;
  /* A section's offset, link and info are ignored. bytes: size bytes; NULL for
   * NOBITS. */
  const struct elf_section *sections;
  size_t section_count;
  /* The section of a symbol is 1 for the first of sections, and so on. */
  const struct elf_symbol *symbols;
  size_t symbol_count;
};

/* Writes the file to a stream. The caller checks the stream for errors. The
 * same draft gives the same bytes. Returns NULL or the draft's error; after an
 * error nothing has been written. */
const char *elf_write(const struct elf_draft *draft, FILE *stream);

/* ==== Adds sections that are not loaded to a linked ELF. The file's content
 * stays in place, except the fields of its header that locate the section
 * headers. The section headers go to the end, with the names and the new
 * contents. To undo the change, cut the file to its old size and restore the
 * header. */

struct elf_addition {
  const char *name;
  struct bytes contents;
};

/* An unloaded section with an addition's name is replaced by the addition. All
 * additions are aligned to 8. The file moves in memory. Returns NULL or the
 * error; after an error the file is unusable. */
const char *elf_append(struct buffer *file, const struct elf_addition *list,
                       size_t count);

/* ==== Changes the headers of an object's sections. Contents stay in place;
 * section headers and names go to the end, as above. */

struct elf_change {
  uint64_t section;
  const char *name; /* NULL: stays */
  uint32_t type;
  uint64_t flags;
};

/* As elf_append. */
const char *elf_change(struct buffer *file, const struct elf_change *list,
                       size_t count);

#endif
