/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a profile comes to: how much was counted, and which counts are hot,
 * as indexed profiles have it at their beginning and compilers go by.
 */
#ifndef BAREPROF_TOOLS_SUMMARY_H
#define BAREPROF_TOOLS_SUMMARY_H

#include "model.h"

enum { SUMMARY_CUTOFFS = 16 };

struct summary {
  uint64_t functions, blocks;
  uint64_t most_entry;    /* of functions' first counters */
  uint64_t most;          /* of all */
  uint64_t most_internal; /* of the others */
  uint64_t total;         /* their sum, modulo 2^64 */
  struct summary_cutoff {
    uint32_t cutoff; /* of the total, in millionths, this part ... */
    uint64_t least;  /* ... is counted where counts are at least this, */
    uint64_t blocks; /* in so many places. */
  } cutoffs[SUMMARY_CUTOFFS];
};

/* A part of a profile's functions, as of profile_sorted. */
struct functions_list {
  struct function_entry *const *list;
  size_t count;
};

/* Front-end hashes may have the context-sensitive bit by chance. */
enum summary_part { SUMMARY_REGULAR, SUMMARY_CS, SUMMARY_ALL };

/* Sums up the records that are context sensitive, or those that are not, or
 * all. false: out of memory. */
bool summary_make(struct summary *summary, struct functions_list functions,
                  enum summary_part part);

#endif
