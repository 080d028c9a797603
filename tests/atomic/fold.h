/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The common part of the programs for bareprof_fold: the counter of shared(),
 * whose lower half code increments. The programs set the counter to large
 * values, because no test has the time to count up to 2^32.
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

/* Returns the counter of shared(): the only one that a call makes 1. */
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
