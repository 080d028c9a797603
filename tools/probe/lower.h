/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Turns .pseudoprobe directives in clang's assembly into data for any
 * assembler. Only clang's own assembler knows the directives, and on Arm it
 * does not either.
 */
#ifndef PROBE_LOWER_H
#define PROBE_LOWER_H

#include <stdio.h>

#include "../base/bytes.h"

enum probe_lowering {
  LOWER_AUTO,    /* addresses for RISC-V, otherwise differences */
  LOWER_DELTA,   /* differences, as clang 16 and later */
  LOWER_ABSOLUTE /* each probe by its address, which stays correct when the
                    linker relaxes; little-endian targets */
};

/* Copies assembly, with a label in place of each directive and the section
 * .pseudo_probe at the end. Returns NULL, or the error and its line in *line
 * (0: no particular line). After an error the output is unusable. */
const char *probes_lower(FILE *stream, struct bytes assembly,
                         enum probe_lowering how, size_t *line);

#endif
