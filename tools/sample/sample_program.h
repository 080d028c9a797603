/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sampled program: ELF, code, probes, debug information.
 */
#ifndef SAMPLE_SAMPLE_PROGRAM_H
#define SAMPLE_SAMPLE_PROGRAM_H

#include "../object/dwarf.h"
#include "jumps.h"

struct program {
  struct elf elf;
  struct probes probes;
  struct code code;
  struct dwarf dwarf;
  struct dwarf_lines lines;
  struct dwarf_scopes scopes;
  bool lined;              /* there are lines and scopes */
  const char *debug_error; /* the reason if they are wanted and missing; or
                              NULL */
  struct listing listing;  /* of code */
  struct jumps jumps;      /* between its functions */
};

/* The wanted parts of the program besides its symbols. */
enum program_part {
  PROGRAM_SYMBOLS, /* nothing */
  PROGRAM_NAMES,   /* debug information if there is any; no probes */
  PROGRAM_LINES,   /* lines, required; no probes */
  PROGRAM_PROBES,  /* probes, required */
  PROGRAM_ALL      /* probes, required; debug information if there is any */
};

/* Returns NULL or the error. The caller calls program_close in both cases.
 * encoding is that of probes. file must live as long as program. */
const char *program_open(struct program *program, struct bytes file,
                         unsigned encoding, enum program_part part);
void program_close(struct program *program);

#endif
