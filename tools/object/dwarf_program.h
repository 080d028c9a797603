/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One unit of .debug_line: its header, and the program that makes rows.
 */
#ifndef BASE_DWARF_PROGRAM_H
#define BASE_DWARF_PROGRAM_H

#include "dwarf_inside.h"
#include "dwarf_lines.h"

struct dwarf_program {
  const struct dwarf *dwarf;
  uint64_t offset;        /* of the header, in .debug_line */
  uint64_t end;           /* of the next one */
  struct dwarf_unit unit; /* what forms need to know: sizes, version */
  unsigned instruction;   /* bytes; addresses are counted in them */
  unsigned operations;    /* in an instruction */
  bool statement;
  int line_base;
  unsigned line_range, opcode_base;
  const unsigned char *lengths; /* of standard opcodes, opcode_base - 1 */
  struct dwarf_reader tables;   /* directories and files, to be read */
  struct dwarf_reader code;
};

/* Reads the header at *offset, and sets *offset to the next one. NULL, or
 * what is wrong. */
const char *dwarf_program_open(struct dwarf_program *program,
                               const struct dwarf *dwarf, uint64_t *offset);

/* Runs it. Rows have the unit's own numbers of files. take returns what is
 * wrong, which ends it, or NULL. A last sequence that does not end is given
 * too, without DWARF_END. */
typedef const char *dwarf_take_row(void *context, const struct dwarf_row *row);
const char *dwarf_program_run(const struct dwarf_program *program,
                              dwarf_take_row *take, void *context);

/* Adds the files of a unit compiled in base to files, struct dwarf_file; from
 * their number 0 on, which before DWARF 5 is none. NULL, or what is wrong. */
const char *dwarf_program_files(const struct dwarf_program *program,
                                const char *base, struct buffer *files);

#endif
