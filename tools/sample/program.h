/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All that is read of the program that was sampled.
 */
#ifndef SAMPLE_PROGRAM_H
#define SAMPLE_PROGRAM_H

#include "../base/dwarf_inline.h"
#include "../probe/probe.h"
#include "code.h"
#include "map.h"

struct program {
  struct elf elf;
  struct probes probes;
  struct code code;
  struct dwarf dwarf;
  struct dwarf_lines lines;
  struct dwarf_scopes scopes;
  bool lined;              /* there are lines and scopes */
  struct sample_map links; /* of use to stack.c only */
};

/* NULL, or what is wrong; in both cases the caller calls program_close. Debug
 * information is read if wanted, and none is no error. file must live as long
 * as program. */
const char *program_open(struct program *program, struct bytes file,
                         unsigned encoding, bool debug);
/* The same of a program without probes, which must have lines then. */
const char *program_open_lines(struct program *program, struct bytes file);
void program_close(struct program *program);

#endif
