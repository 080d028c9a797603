/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Damages a file at random places, the same in each run, for the programs that
 * test a reader of traces.
 */
#ifndef BAREPROF_TESTS_DAMAGE_H
#define BAREPROF_TESTS_DAMAGE_H

#include <string.h>

#include "base/bytes.h"

static uint64_t damage_state = 1;

/* Returns a number below `below`; 0 if `below` is 0. */
static size_t any(size_t below) {
  damage_state = damage_state * UINT64_C(6364136223846793005) +
                 UINT64_C(1442695040888963407);
  return (size_t)(damage_state >> 33) % (below ? below : 1);
}

/* How the size changes. */
enum damage { DAMAGE_CUT, DAMAGE_DOUBLE, DAMAGE_END };

/* Cuts out or doubles the bytes at a place, or ends the file there. Returns the
 * new size. */
static size_t damage_size(unsigned char *to, size_t size, enum damage how,
                          size_t at, size_t length) {
  switch (how) {
  case DAMAGE_CUT:
    memmove(to + at, to + at + length, size - at - length);
    return size - length;
  case DAMAGE_DOUBLE:
    memmove(to + at + length, to + at, size - at);
    return size + length;
  default:
    return at;
  }
}

#endif
