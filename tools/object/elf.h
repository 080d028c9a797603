/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads an ELF file that lies in memory: 32 and 64 bits, either byte order,
 * executables, objects, cores. Sections, segments, symbols, the build id.
 * Relocations are not applied, and nothing is changed.
 *
 *     struct elf elf;
 *     const char *error = elf_open(&elf, bytes);
 *     if (error)
 *       return report(name, "%s", error);
 *
 * elf_open checks everything about sections, so it refuses a file that is cut
 * short. Nothing is allocated, and nothing needs closing: everything points
 * into the caller's memory.
 */
#ifndef BASE_ELF_H
#define BASE_ELF_H

#include "../base/bytes.h"

enum {
  ELF_REL = 1,        /* elf->type: an object */
  ELF_CORE = 4,       /* elf->type: a core */
  ELF_SHT_SYMTAB = 2, /* types of sections */
  ELF_SHT_NOTE = 7,
  ELF_SHT_NOBITS = 8,
  ELF_ALLOC = 2, /* flags of sections */
  ELF_CODE = 4,
  ELF_COMPRESSED = 0x800,
  ELF_PT_LOAD = 1, /* types of segments */
  ELF_PT_NOTE = 4,
  ELF_OBJECT = 1, /* types of symbols; 0: none */
  ELF_FUNCTION = 2,
  ELF_RESERVED = 0xFF00, /* numbers of sections from here on are none */
  ELF_ARM = 40,          /* machines */
  ELF_X86_64 = 62,
  ELF_AARCH64 = 183,
  ELF_RISCV = 243
};

struct elf {
  struct bytes file;
  bool wide; /* 64 bits */
  bool big;  /* the most significant byte comes first */
  uint16_t type;
  uint16_t machine;
  uint32_t flags;
  uint64_t entry; /* where the program begins; of Arm's, bit 0 is Thumb */
  uint64_t section_count;
  uint64_t segment_count;
  uint64_t symbol_count;
  /* Only for elf.c. */
  uint64_t sections, segments;
  struct bytes section_names, symbols, symbol_names;
};

struct elf_section {
  const char *name;
  uint32_t type;
  uint32_t link;
  uint32_t info;
  uint64_t flags;
  uint64_t address;
  uint64_t offset;
  uint64_t size; /* in memory; may be any number for NOBITS */
  uint64_t align;
  uint64_t entry_size;
  const unsigned char *bytes; /* size bytes, or NULL: it has no contents */
};

struct elf_segment {
  uint32_t type;
  uint64_t offset;
  uint64_t address;  /* the program's address: p_vaddr */
  uint64_t physical; /* the load address: p_paddr */
  uint64_t file_size;
  uint64_t memory_size;
  uint64_t align;
  const unsigned char *bytes; /* file_size bytes, or NULL: the file lacks
                                 some */
};

struct elf_symbol {
  const char *name; /* "" if it is damaged */
  uint64_t value;
  uint64_t size;
  uint16_t section; /* 0: not defined here */
  uint8_t binding;  /* 0: local */
  uint8_t type;
  uint8_t visibility; /* 0: default */
};

/* ---- elf.c: kinds of files ----
 *
 * What a file is, by its first bytes: "an Intel HEX file". NULL: not known.
 */
const char *file_kind(struct bytes file);

/* Whether a file is a profile of samples in one of LLVM's binary forms: the
 * number that begins them has 7 letters. */
bool file_has_samples(struct bytes file);

/* Where a log is wanted: 0, or reports what the file is and returns 1. */
int file_no_log(const char *name, struct bytes file);

/* The error where an ELF is wanted. */
const char *file_no_elf(struct bytes file);

/* Returns NULL or the error. */
const char *elf_open(struct elf *elf, struct bytes file);

/* Number i below section_count, and so on. */
struct elf_section elf_section(const struct elf *elf, uint64_t i);
struct elf_segment elf_segment(const struct elf *elf, uint64_t i);
struct elf_symbol elf_symbol(const struct elf *elf, uint64_t i);

/* Whether a section, of any number, is loaded and has code. Ignore mapping
 * symbols of other sections: they are at 0, below all code. */
bool elf_has_code(const struct elf *elf, uint32_t section);

/* Finds the first section of this name. If there is none, returns false and an
 * empty section without a name. */
bool elf_find_section(const struct elf *elf, const char *name,
                      struct elf_section *section);

/* Finds the value of a defined symbol, preferably a global one. false: there is
 * none. On Arm, bit 0 of a function's value means Thumb. */
bool elf_find_symbol(const struct elf *elf, const char *name, uint64_t *value);

/* Returns size bytes of the program at an address, from a loaded section with
 * contents. NULL: no section has all of them. */
const unsigned char *elf_at(const struct elf *elf, uint64_t address,
                            uint64_t size);

/* The most bytes that data made from the file may take. Debug information is
 * packed to a tenth at best, and a list made from it is not much longer. A
 * larger size is refused. */
size_t elf_most(const struct elf *elf);

/* The error where only a linked image will do. */
#define ELF_NOT_LINKED \
  "it is an object, which is not linked yet; give the linked image"

/* Opens the ELF of that name. Returns 0, or prints the error and returns 1. The
 * caller closes the file after the last use of elf; after an error, too, it
 * may. */
struct file;
int elf_map(struct elf *elf, struct file *file, const char *name);

/* The size of the section's contents, decompressed if its flags say so. Returns
 * NULL or the error. */
const char *elf_contents_size(const struct elf *elf,
                              const struct elf_section *section,
                              uint64_t *size);

/* Reads the section's contents, decompressed if its flags say so; empty if it
 * has no contents. The caller frees *memory, which may be NULL. Returns NULL or
 * the error. Refuses more than limit bytes, and more than elf_most. */
const char *elf_contents(const struct elf *elf,
                         const struct elf_section *section, size_t limit,
                         struct bytes *contents, unsigned char **memory);

/* Finds the build id in the first note that has one. false: no note has one. */
bool elf_build_id(const struct elf *elf, struct bytes *id);

/* Whether the ELF has this build id. */
bool elf_is_build(const struct elf *elf, struct bytes id);

/* ---- build ids, whole or cut. Compact dumps have only the first 8 bytes,
 * zeros behind a shorter one ---- */

enum { BUILD_ID_CUT = 8 };

/* Whether both ids are of the same build. An id of 8 bytes may be a cut one. An
 * empty id equals no other. */
static inline bool build_id_same(struct bytes a, struct bytes b) {
  bool cut = a.size == BUILD_ID_CUT || b.size == BUILD_ID_CUT;
  size_t size = cut ? BUILD_ID_CUT : a.size;
  if (!a.size || !b.size || (!cut && a.size != b.size))
    return false;
  for (size_t i = 0; i < size; i++)
    if ((i < a.size ? a.data[i] : 0) != (i < b.size ? b.data[i] : 0))
      return false;
  return true;
}

#endif
