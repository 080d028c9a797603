/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Assembly of clang with .pseudoprobe directives, which only clang's own
 * assembler knows, and on Arm not even that: to data, for any assembler.
 */
#ifndef PROBE_LOWER_H
#define PROBE_LOWER_H

#include <stdbool.h>
#include <stdio.h>

#include "../base/bytes.h"

enum probe_lowering {
  LOWER_AUTO,    /* addresses for RISC-V, else differences */
  LOWER_DELTA,   /* differences, as clang 16 and later */
  LOWER_ABSOLUTE /* each probe by its address, which the linker keeps right
                    when it relaxes; little-endian targets */
};

/* Copies assembly, with a label in the place of each directive and the section
 * .pseudo_probe at the end. NULL, or what is wrong, and then *line is where;
 * 0: nowhere in particular. What was written is then of no use. */
const char *probes_lower(FILE *stream, struct bytes assembly,
                         enum probe_lowering how, size_t *line);

/* bareprof probes lower */
int probes_lower_command(int argc, char **argv);

#endif
