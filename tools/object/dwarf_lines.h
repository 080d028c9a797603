/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which line of which file an address is of, with the discriminator. Code
 * that the linker has dropped has no rows.
 *
 *     struct dwarf_lines lines;
 *     const char *error = dwarf_lines_read(&lines, &dwarf);
 *     ...
 *     const struct dwarf_row *row = dwarf_lines_find(&lines, address);
 *     if (row)
 *       printf("%s:%u", dwarf_lines_path(&lines, row->file), row->line);
 *
 * A row is 24 bytes of memory, and takes one byte of the file at least, as a
 * rule three.
 */
#ifndef BASE_DWARF_LINES_H
#define BASE_DWARF_LINES_H

#include "../base/buffer.h"
#include "dwarf.h"

enum dwarf_row_flag {
  DWARF_STATEMENT = 1,
  DWARF_BLOCK = 2,
  DWARF_PROLOGUE_END = 4,
  DWARF_EPILOGUE_BEGIN = 8,
  DWARF_END = 16 /* no code: the address is the end of the row before */
};

/* What is true from its address up to that of the next row, which lies behind
 * it in memory; the last of them has DWARF_END. */
struct dwarf_row {
  uint64_t address;
  uint32_t file; /* see dwarf_lines_path; 0: not known */
  uint32_t line; /* 0: of no line */
  uint32_t discriminator;
  uint16_t column; /* 0: not known */
  uint8_t flags;
};

/* Rows without a gap. */
struct dwarf_sequence {
  uint64_t begin, end; /* addresses */
  size_t row;          /* the first */
  size_t count;        /* with the one at the end */
};

struct dwarf_file {
  const char *name, *directory, *base; /* base: where directory is; or "" */
  char *path;                          /* all together, once it is wanted */
};

/* Where the files of a unit begin. */
struct dwarf_unit_files {
  uint64_t lines; /* offset in .debug_line */
  size_t first;
  uint32_t count;
};

struct dwarf_lines {
  struct dwarf_row *rows;
  size_t row_count;
  struct dwarf_sequence *sequences; /* ascending */
  size_t sequence_count;
  /* Of use to the dwarf*.c files only. */
  struct buffer row_buffer, sequence_buffer, files, units;
  struct arena paths;
};

/* NULL, or what is wrong; in both cases the caller calls dwarf_lines_free.
 * dwarf must live as long as lines. */
const char *dwarf_lines_read(struct dwarf_lines *lines,
                             const struct dwarf *dwarf);
void dwarf_lines_free(struct dwarf_lines *lines);

/* The row that an address is of (of several at one address the last), or
 * NULL: no code is known there. It is followed by the next one. */
const struct dwarf_row *dwarf_lines_find(const struct dwarf_lines *lines,
                                         uint64_t address);

/* The first row with a line whose code is in the span, or NULL. */
const struct dwarf_row *dwarf_lines_in(const struct dwarf_lines *lines,
                                       struct dwarf_span span);

/* The path as the compiler had it, absolute if it said where it was; "": not
 * known, or no memory is left. It lives as long as lines. */
const char *dwarf_lines_path(struct dwarf_lines *lines, uint32_t file);

#endif
