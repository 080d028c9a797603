/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the programs of bareprof_fold share: the counter of shared(), of which
 * code counts the lower half, and jumps of it, in place of counts that no test
 * has the time for.
 */
#ifndef FOLD_H
#define FOLD_H

#include "bareprof.h"
#include "common.h"
#include "profile/instr_prof_interface.h"

enum { LOWER = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ };

typedef union {
  uint64_t whole;
  uint32_t halves[2];
} volatile counter;

/* The one that a call makes 1. */
static inline counter *counter_of_shared(void) {
  void *at = (void *)__llvm_profile_begin_counters();
  counter *found = at;
  bareprof_reset();
  shared();
  while (found->halves[LOWER] != 1)
    found++;
  return found;
}

#endif
