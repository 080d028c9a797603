/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All that is read of the program that was sampled.
 */
#ifndef SAMPLE_PROGRAM_H
#define SAMPLE_PROGRAM_H

#include "../object/dwarf.h"
#include "listing.h"

struct program {
  struct elf elf;
  struct probes probes;
  struct code code;
  struct dwarf dwarf;
  struct dwarf_lines lines;
  struct dwarf_scopes scopes;
  bool lined;              /* there are lines and scopes */
  const char *debug_error; /* why not, if they are wanted; or NULL */
  struct listing listing;  /* of code */
};

/* What of the program is wanted besides its symbols. */
enum program_part {
  PROGRAM_SYMBOLS, /* nothing */
  PROGRAM_LINES,   /* lines, without which it is refused; no probes */
  PROGRAM_PROBES,  /* probes, without which it is refused */
  PROGRAM_ALL      /* these, and debug information if there is any */
};

/* NULL, or what is wrong; in both cases the caller calls program_close.
 * encoding is that of probes. file must live as long as program. */
const char *program_open(struct program *program, struct bytes file,
                         unsigned encoding, enum program_part part);
void program_close(struct program *program);

#endif
