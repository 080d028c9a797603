/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes a linked ELF from the firmware of tests/unit/compose.h: named sections
 * of a profile, a build id, a segment, two symbols. Tests need it for versions
 * and machines that no installed compiler supports, and to damage it.
 */
#ifndef WRAP_H
#define WRAP_H

#include "compose.h"

/* The shapes of the ELF are bits. */
enum {
  WRAP_CORRELATED = 1, /* records and names named as correlation does */
  WRAP_COMPRESSED = 2, /* the names are a compressed section */
  WRAP_EXTENDED = 4,   /* counts in section 0, not in the header */
  WRAP_SEGMENT = 8,    /* the build id is in the segment only */
  WRAP_SHAPES = 16
};

#define WRAP_ROOM 4096

/* The symbol whose value is the counters' address. The ELF also has a local
 * symbol with this name before it, with another value. */
#define WRAP_SYMBOL "__start___llvm_prf_cnts"

/* Writes the ELF to to[WRAP_ROOM]. Returns its size. A reader needs also the
 * last byte, so that it must notice a cut file. */
size_t wrap(unsigned char *to, const struct firmware *firmware, unsigned shape);

#endif
