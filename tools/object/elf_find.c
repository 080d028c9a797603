/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is looked for in an ELF: sections and symbols by name, contents, the
 * build id. All of it by the accessors of elf.c.
 */
#include <stdlib.h>
#include <string.h>

#include "build_id.h"
#include "elf.h"
#include "inflate.h"

enum { STB_LOCAL = 0, NT_GNU_BUILD_ID = 3, ELFCOMPRESS_ZLIB = 1 };

static const char damaged[] = "the ELF file is damaged; link it again";

bool elf_find_section(const struct elf *elf, const char *name,
                      struct elf_section *section) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    *section = elf_section(elf, i);
    if (!strcmp(section->name, name))
      return true;
  }
  *section = (struct elf_section){.name = ""};
  return false;
}

bool elf_find_symbol(const struct elf *elf, const char *name, uint64_t *value) {
  bool found = false;
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol symbol = elf_symbol(elf, i);
    bool global = symbol.binding != STB_LOCAL;
    if (!symbol.section || (found && !global) || strcmp(symbol.name, name))
      continue;
    *value = symbol.value;
    found = true;
    if (global)
      break;
  }
  return found;
}

const unsigned char *elf_at(const struct elf *elf, uint64_t address,
                            uint64_t size) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    if (section.bytes && section.flags & ELF_ALLOC &&
        !(section.flags & ELF_COMPRESSED) && section.address <= address &&
        section.size >= size &&
        address - section.address <= section.size - size)
      return section.bytes + (address - section.address);
  }
  return NULL;
}

/* ---- contents ---- */

/* The header in front of compressed contents. */
static const char *open_compressed(const struct elf *elf, struct bytes *packed,
                                   uint64_t *size) {
  size_t header = elf->wide ? 24 : 12;
  if (packed->size < header)
    return damaged;
  /* Of 64 bits, a reserved word is between the two. */
  uint32_t method = load32(packed->data, elf->big);
  *size = elf->wide ? load64(packed->data + 8, elf->big)
                    : load32(packed->data + 4, elf->big);
  packed->data += header;
  packed->size -= header;
  if (method != ELFCOMPRESS_ZLIB)
    return "a section is compressed, and not by zlib; link without that";
  return *size > inflate_most(packed->size) ? damaged : NULL;
}

size_t elf_most(const struct elf *elf) {
  enum { GROWTH = 32, FREE = 1 << 24 };
  return FREE + GROWTH * elf->file.size;
}

const char *elf_contents(const struct elf *elf,
                         const struct elf_section *section, size_t limit,
                         struct bytes *contents, unsigned char **memory) {
  static const char large[] = "a section is too large; is it the right file?";
  struct bytes packed = {section->bytes, 0};
  if (section->bytes)
    packed.size = (size_t)section->size;
  *contents = packed;
  *memory = NULL;
  uint64_t size = packed.size;
  const char *error = NULL;
  bool compressed = section->bytes && section->flags & ELF_COMPRESSED;
  if (compressed)
    error = open_compressed(elf, &packed, &size);
  if (!error && (size > limit || size > elf_most(elf)))
    error = large;
  if (error || !compressed)
    return error;
  size_t got = (size_t)size;
  *memory = malloc(got + !got);
  if (!*memory)
    return "not enough memory; free some";
  *contents = (struct bytes){*memory, got};
  error = inflate_zlib(packed, *memory, &got);
  return !error && got != size ? damaged : error;
}

/* ---- the build id ---- */

static uint64_t up(uint64_t value, unsigned align) {
  return (value + align - 1) / align * align;
}

static bool find_id(const struct elf *elf, struct bytes notes, uint64_t align,
                    struct bytes *id) {
  unsigned to = align == 8 ? 8 : 4;
  while (notes.size >= 12) {
    uint32_t name_size = load32(notes.data, elf->big);
    uint32_t size = load32(notes.data + 4, elf->big);
    uint32_t type = load32(notes.data + 8, elf->big);
    uint64_t at = up(12 + (uint64_t)name_size, to);
    if (at > notes.size || size > notes.size - at)
      return false;
    if (type == NT_GNU_BUILD_ID && name_size == 4 &&
        !memcmp(notes.data + 12, "GNU", 4) && size) {
      *id = (struct bytes){notes.data + at, size};
      return true;
    }
    at = up(at + size, to);
    if (at > notes.size)
      return false;
    notes.data += at;
    notes.size -= at;
  }
  return false;
}

bool elf_build_id(const struct elf *elf, struct bytes *id) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section section = elf_section(elf, i);
    struct bytes notes = {section.bytes, (size_t)section.size};
    if (section.type == ELF_SHT_NOTE && find_id(elf, notes, section.align, id))
      return true;
  }
  for (uint64_t i = 0; i < elf->segment_count; i++) {
    struct elf_segment segment = elf_segment(elf, i);
    struct bytes notes = {segment.bytes, (size_t)segment.file_size};
    if (segment.type == ELF_PT_NOTE && segment.bytes &&
        find_id(elf, notes, segment.align, id))
      return true;
  }
  return false;
}

bool elf_is_build(const struct elf *elf, struct bytes id) {
  struct bytes own;
  return elf_build_id(elf, &own) && build_id_same(own, id);
}
