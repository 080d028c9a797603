/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads an ELF file that is in memory: executables, objects and cores, 32-bit
 * and 64-bit, in either byte order. Returns sections, segments, symbols and the
 * build id. The reader does not apply relocations, and does not change the
 * file.
 *
 *     struct elf elf;
 *     const char *error = elf_open(&elf, bytes);
 *     if (error)
 *       return report(name, "%s", error);
 *
 * elf_open checks all section headers, so a truncated file is an error. Nothing
 * is allocated, and nothing must be closed: all results point into the caller's
 * memory. dwarf.h and mapping.h read the contents of an open ELF.
 */
#ifndef BASE_ELF_H
#define BASE_ELF_H

#include "../base/bytes.h"

enum {
  ELF_REL = 1,        /* value of elf->type for an object */
  ELF_DYN = 3,        /* value of elf->type for position-independent code */
  ELF_CORE = 4,       /* value of elf->type for a core */
  ELF_SHT_SYMTAB = 2, /* from this number on, types of sections */
  ELF_SHT_NOTE = 7,
  ELF_SHT_NOBITS = 8,
  ELF_ALLOC = 2, /* from this number on, flags of sections */
  ELF_CODE = 4,
  ELF_COMPRESSED = 0x800,
  ELF_PT_LOAD = 1, /* from this number on, types of segments */
  ELF_PT_NOTE = 4,
  ELF_OBJECT = 1, /* from this number on, types of symbols; 0: no type */
  ELF_FUNCTION = 2,
  ELF_WEAK = 2,          /* binding of a weak symbol */
  ELF_RESERVED = 0xFF00, /* section numbers from here on have special
                            meanings */
  ELF_X86 = 3,           /* from this number on, machines */
  ELF_ARM = 40,
  ELF_X86_64 = 62,
  ELF_AARCH64 = 183,
  ELF_RISCV = 243
};

struct elf {
  struct bytes file;
  bool wide; /* the ELF has 64-bit addresses */
  bool big;  /* the byte order is big-endian: the most significant byte comes
                first */
  uint16_t type;
  uint16_t machine;
  uint32_t flags;
  uint64_t entry; /* the entry point; on Arm, bit 0 set means Thumb */
  uint64_t section_count;
  uint64_t segment_count;
  uint64_t symbol_count;
  /* Only elf.c uses these members. */
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
  uint64_t size; /* size in memory; the size of a NOBITS section can be any
                    number */
  uint64_t align;
  uint64_t entry_size;
  const unsigned char *bytes; /* the contents, `size` bytes; NULL if the section
                                 lacks contents */
};

struct elf_segment {
  uint32_t type;
  uint64_t offset;
  uint64_t address;  /* the address at which the program uses the segment:
                        p_vaddr */
  uint64_t physical; /* the address to which the segment is loaded: p_paddr */
  uint64_t file_size;
  uint64_t memory_size;
  uint64_t align;
  const unsigned char *bytes; /* the contents, file_size bytes; NULL if the file
                                 is too short */
};

struct elf_symbol {
  const char *name; /* name of the symbol; "" if the string table is damaged */
  uint64_t value;
  uint64_t size;
  uint16_t section; /* number of the symbol's section; 0: this file does not
                       define the symbol */
  uint8_t binding;  /* 0: the symbol is local */
  uint8_t type;
  uint8_t visibility; /* 0: the default visibility */
};

/* ---- elf.c: kinds of files ----
 *
 * Returns the name of a file's kind, such as "an Intel HEX file". The first
 * bytes of the file show the kind. Returns NULL if the kind is unknown. */
const char *file_kind_name(struct bytes file);

/* Returns whether a file is a sample profile in one of LLVM's binary formats.
 * The magic number of these formats contains seven letters. */
bool file_is_sample_profile(struct bytes file);

/* Returns whether the file is a raw profile of any width and byte order. */
bool file_is_raw_profile(struct bytes file);

/* Returns whether a frame of a dump in TEXT begins in the file. Then the file
 * is a console log. */
bool file_has_frames(struct bytes file);

/* Returns 0 for a file that may be a log. For a file of another kind, reports
 * an error that says what to pass, and returns 1. */
int file_refuse_non_log(const char *name, struct bytes file,
                        const char *wanted);

/* Returns the error message for a file that is not an ELF. Callers use the
 * message where an ELF is needed. */
const char *file_no_elf_error(struct bytes file);

/* Opens an ELF file. Returns NULL or the error. */
const char *elf_open(struct elf *elf, struct bytes file);

/* These functions read section, segment or symbol number `i`, which must be
 * below the count in struct elf. */
struct elf_section elf_section(const struct elf *elf, uint64_t i);
struct elf_segment elf_segment(const struct elf *elf, uint64_t i);
struct elf_symbol elf_symbol(const struct elf *elf, uint64_t i);

/* Returns whether a symbol's name belongs to bareprof's code on the target. */
static inline bool elf_is_runtime_name(const char *name) {
  return strncmp(name, "bareprof_", 9) == 0;
}

/* Returns the function at an address without the Thumb bit. Without a function
 * at the address, the name is NULL. If the size is 0, it is unknown. */
struct elf_symbol elf_find_function(const struct elf *elf, uint64_t address);

/* Returns whether a section is loaded and contains code. The number `section`
 * may be too high for the ELF; then the function returns false. Mapping symbols
 * (such as $t) of other sections are at address 0 and do not mark code. */
bool elf_section_has_code(const struct elf *elf, uint32_t section);

/* Finds the first section with this name. If the ELF lacks the section, returns
 * false, and sets *section to an empty section with an empty name. */
bool elf_find_section(const struct elf *elf, const char *name,
                      struct elf_section *section);

/* Returns whether the ELF has a section with this name that is not empty. */
bool elf_has_section(const struct elf *elf, const char *name);

/* Finds the value of a defined symbol. If a global and a local symbol have the
 * name, takes the global symbol. Returns false if the symbol is missing. On
 * Arm, bit 0 of a function's value means Thumb. */
bool elf_find_symbol(const struct elf *elf, const char *name, uint64_t *value);

/* Returns a pointer to `size` bytes at an address of the program, in a loaded
 * section. Returns NULL if no single section contains all of these bytes. */
const unsigned char *elf_bytes_at(const struct elf *elf, uint64_t address,
                                  uint64_t size);

/* Returns the largest size of data that may be derived from the file. Debug
 * information shrinks to a tenth at best, and lists made of it are hardly
 * longer, so 32 times the file is enough. Readers report a larger size as an
 * error. */
size_t elf_derived_size_limit(const struct elf *elf);

/* The error message if an object is passed where a linked image is needed. */
#define ELF_NOT_LINKED \
  "this is an object file, not a linked ELF; pass the linked ELF"

/* Opens the ELF file with this name. Returns 0, or prints the error and returns
 * 1. The caller closes the file after the last use of elf, and may close the
 * file after an error, too. */
struct file;
int elf_open_file(struct elf *elf, struct file *file, const char *name);

/* Sets *size to the size of the section's contents. If the contents are
 * compressed, this is the size after decompression. Returns NULL or the error.
 */
const char *elf_contents_size(const struct elf *elf,
                              const struct elf_section *section,
                              uint64_t *size);

/* Reads the section's contents, decompressed if necessary. If the section lacks
 * contents, the result is empty. The caller frees *memory, which may be NULL.
 * Returns NULL or the error. Contents of more than `limit` bytes, or more than
 * elf_derived_size_limit, are an error. */
const char *elf_read_contents(const struct elf *elf,
                              const struct elf_section *section, size_t limit,
                              struct bytes *contents, unsigned char **memory);

/* Finds the build id in the notes. Returns false if no note has one. */
bool elf_find_build_id(const struct elf *elf, struct bytes *id);

/* Returns whether the ELF has this build id, which may be shortened. */
bool elf_has_build_id(const struct elf *elf, struct bytes id);

/* ---- build ids, complete or shortened ----
 *
 * Compact dumps have only the first 8 bytes of a build id, and pad a shorter
 * build id with zeros. */

enum { BUILD_ID_CUT = 8 };

/* Returns whether two build ids mean the same build. An 8-byte id may be
 * shortened. An empty id never matches. */
static inline bool elf_build_ids_match(struct bytes a, struct bytes b) {
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
