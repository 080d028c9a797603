/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All that is read of the program that was sampled.
 */
#ifndef SAMPLE_PROGRAM_H
#define SAMPLE_PROGRAM_H

#include "../object/dwarf_inline.h"
#include "../probe/probe.h"
#include "code.h"
#include "../base/map.h"

struct program {
  struct elf elf;
  struct probes probes;
  struct code code;
  struct dwarf dwarf;
  struct dwarf_lines lines;
  struct dwarf_scopes scopes;
  bool lined;              /* there are lines and scopes */
  const char *debug_error; /* why not, if they are wanted; or NULL */
  struct map links;        /* of use to live.c only, as is this: */
  struct buffer live;
};

/* NULL, or what is wrong; in both cases the caller calls program_close. Debug
 * information is read if wanted; that there is none is no error. file must
 * live as long as program. */
const char *program_open(struct program *program, struct bytes file,
                         unsigned encoding, bool debug);
/* The same of one whose probes, if it has any, are not wanted; and which must
 * have lines. */
const char *program_open_symbols(struct program *program, struct bytes file);
const char *program_open_lines(struct program *program, struct bytes file);
void program_close(struct program *program);

#endif
