/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes an ELF file that consists of sections and symbols, for either class
 * and byte order. The file lacks segments, so no loader can load it. elf_write
 * adds the tables .symtab, .strtab and .shstrtab after the given sections.
 * elf_append_sections and elf_change_section_headers modify an ELF file that
 * another program wrote.
 */
#ifndef BASE_ELF_WRITE_H
#define BASE_ELF_WRITE_H

#include <stdio.h>

#include "../base/storage.h"
#include "elf.h"

struct elf_draft {
  bool wide, big; /* `wide`, `big` and the next three members are as in struct
                     elf */
  uint16_t type;
  uint16_t machine;
  uint32_t flags;
  /* elf_write ignores the offset, link and info of each section. The section's
   * member `bytes` points to its contents, or is NULL for NOBITS. */
  const struct elf_section *sections;
  size_t section_count;
  /* Symbols refer to sections by number. The first element of `sections` has
   * number 1. */
  const struct elf_symbol *symbols;
  size_t symbol_count;
};

/* Writes the file to a stream. The caller checks the stream for errors. Equal
 * drafts give equal bytes. Returns NULL or the draft's error; after an error
 * nothing has been written. */
const char *elf_write(const struct elf_draft *draft, FILE *stream);

/* ==== Adds unloaded sections to a linked ELF. Existing contents stay in place.
 * In the ELF header, only the fields that locate the section headers change.
 * The new contents, the names and the section headers go to the end of the
 * file. To undo the change, truncate the file to its old size and restore the
 * ELF header. */

struct elf_section_addition {
  const char *name;
  struct bytes contents;
};

/* Adds sections to the file. An addition replaces an unloaded section with the
 * same name. Each addition is aligned to 8 bytes. The file's buffer may move in
 * memory. Returns NULL or the error; after an error the file must not be used.
 */
const char *elf_append_sections(struct buffer *file,
                                const struct elf_section_addition *list,
                                size_t count);

/* ==== Changes the section headers of an object. Contents stay in place. New
 * section headers and names go to the end of the file. */

struct elf_section_change {
  uint64_t section;
  const char *name; /* the new name; NULL: keep the name */
  uint32_t type;
  uint64_t flags;
};

/* Changes the listed sections. Returns the same values as elf_append_sections.
 */
const char *elf_change_section_headers(struct buffer *file,
                                       const struct elf_section_change *list,
                                       size_t count);

#endif
