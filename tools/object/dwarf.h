/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Debug information of a linked ELF: DWARF 2 to 5 of 32 and 64 bits, of any
 * machine. Here it is opened; what is in it is told by
 *   dwarf_lines.h     addresses to files and lines
 *   dwarf_inline.h    addresses to functions, inlined ones too
 *   dwarf_counters.h  counters of -profile-correlate=debug-info
 *
 *     struct dwarf dwarf;
 *     const char *error = dwarf_open(&dwarf, &elf);
 *     ...
 *     dwarf_close(&dwarf);
 *
 * Split DWARF (.dwo) and supplementary files are not read: what is in them
 * has no name here. Memory is what compressed sections unpack to, and a small
 * multiple of what tells of units.
 */
#ifndef BASE_DWARF_H
#define BASE_DWARF_H

#include "../base/arena.h"
#include "elf.h"

enum dwarf_section {
  DWARF_INFO,
  DWARF_ABBREV,
  DWARF_LINE,
  DWARF_STR,
  DWARF_LINE_STR,
  DWARF_STR_OFFSETS,
  DWARF_ADDR,
  DWARF_RANGES,
  DWARF_RNGLISTS,
  DWARF_SECTIONS
};

/* Addresses from begin up to, not including, end. */
struct dwarf_span {
  uint64_t begin, end;
};

/* All of it belongs to the dwarf*.c files. */
struct dwarf {
  bool big, wide;
  struct bytes sections[DWARF_SECTIONS];
  unsigned char *memory[DWARF_SECTIONS]; /* of those that were compressed */
  struct arena arena;                    /* its limit is that of all lists */
  struct dwarf_unit *units;              /* ascending */
  size_t unit_count;
  struct dwarf_span *code; /* sections that have any, ascending */
  size_t code_count;
  uint64_t first_size; /* of the function at address 0; 0: none is there */
};

/* NULL, or what is wrong; in both cases the caller calls dwarf_close. The
 * memory of elf is needed until then, struct elf itself is not. */
const char *dwarf_open(struct dwarf *dwarf, const struct elf *elf);
void dwarf_close(struct dwarf *dwarf);

#endif
