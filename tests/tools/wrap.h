/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The firmware of tests/unit/compose.h as a linked ELF: sections of a profile
 * by their names, a build id, a segment, two symbols. For versions and
 * machines that no installed compiler makes, and to be damaged.
 */
#ifndef WRAP_H
#define WRAP_H

#include "compose.h"

/* Shapes, to be combined. */
enum {
  WRAP_CORRELATED = 1, /* records and names named as correlation does */
  WRAP_COMPRESSED = 2, /* the names are a compressed section */
  WRAP_EXTENDED = 4,   /* counts in section 0, not in the header */
  WRAP_SEGMENT = 8,    /* the build id is in the segment only */
  WRAP_SHAPES = 16
};

#define WRAP_ROOM 4096

/* The symbol whose value is the counters' address; and a local one of the
 * same name before it, with another value. */
#define WRAP_SYMBOL "__start___llvm_prf_cnts"

/* Writes the ELF to to, of WRAP_ROOM bytes. Returns its size; its last byte
 * belongs to something that a reader needs. */
size_t wrap(unsigned char *to, const struct firmware *firmware, unsigned shape);

#endif
