/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A memory profile (MemProf) of one indexed file, carried into another: it
 * counts its offsets from the beginning of the file, so they change with its
 * place there. Nothing else in it is looked at.
 */
#ifndef BAREPROF_TOOLS_MEMPROF_MOVE_H
#define BAREPROF_TOOLS_MEMPROF_MOVE_H

#include <stddef.h>
#include <stdint.h>

struct memprof_place {
  unsigned version; /* 0 to 4; 0 has no number of its own */
  uint64_t from, to;
};

/* NULL, or what is wrong; then some may be changed. */
const char *memprof_move(unsigned char *bytes, size_t size,
                         const struct memprof_place *place);

#endif
