/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What changed from A to B, function by function.
 */
#ifndef BAREPROF_TOOLS_COMPARE_CHANGES_H
#define BAREPROF_TOOLS_COMPARE_CHANGES_H

#include "pair.h"

/* In the order in which they are told. */
enum change {
  CHANGE_CODE,   /* another hash, or other counters of one hash */
  CHANGE_ONLY_A, /* functions, or records of a hash that B has no other for */
  CHANGE_ONLY_B,
  CHANGE_COVERED,   /* ran in B, not in A */
  CHANGE_UNCOVERED, /* ran in A, not in B */
  CHANGE_COUNTS,    /* counters, or MC/DC bits */
  CHANGE_NONE,
  CHANGES
};

/* A record of one side; all 0 if it has none. */
struct amount {
  uint64_t hash;
  uint64_t entry; /* the first counter */
  uint64_t sum;   /* of all; of sums beyond 2^64 - 3, that */
  uint64_t bits;  /* MC/DC bits that are set */
  bool ran;
};

struct changed {
  const char *name;
  enum change change;
  struct amount sides[SIDES];
  uint64_t size;  /* of the change: from one sum to the other */
  bool ambiguous; /* the name has several records */
};

struct totals {
  uint64_t functions, ran; /* records */
  uint64_t sum;
};

struct changes {
  struct buffer list; /* struct changed, without those of CHANGE_NONE; by
                         change, the biggest first, then by name */
  size_t counts[CHANGES];
  struct totals totals[SIDES];
};

/* Of functions with text in their names, or of all: NULL. false: out of
 * memory. The caller frees changes->list, in both cases. */
bool changes_find(struct changes *changes, struct pair *pair, const char *text);

#endif
