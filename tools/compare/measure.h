/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How much of what A and B counted is counted at the same places: the measure
 * of `llvm-profdata overlap`. Of every place take its part of all that A
 * counted and its part of all that B did; the sum of the lesser parts is the
 * overlap, 1 if both are distributed alike.
 */
#ifndef BAREPROF_TOOLS_COMPARE_MEASURE_H
#define BAREPROF_TOOLS_COMPARE_MEASURE_H

#include "pair.h"

/* Counters, then values by kind. */
enum { MEASURE_EDGES, MEASURE_VALUES, MEASURES = MEASURE_VALUES + VALUE_KINDS };

/* What is compared: "edge counters", ...; and in JSON "edges", ... */
extern const char *const measure_names[MEASURES];
extern const char *const measure_keys[MEASURES];

struct measure {
  double sums[SIDES]; /* what was counted; above 2^53 rounded */
  double overlap;     /* 0 to 1, and so are the others: */
  double mismatched;  /* of B's sum, in functions that A has, but not like B */
  double only_b;      /* of B's sum, in functions that A does not have */
};

struct function_measure {
  const char *name;
  uint64_t hash;
  uint32_t counters;
  struct measure of[MEASURES];
};

struct overlap {
  uint64_t functions, mismatched, only_b, only_a; /* records */
  struct measure of[MEASURES];
  struct buffer list; /* struct function_measure, that were asked for */
};

/* Which functions to list, and what records to take. */
struct overlap_wishes {
  const char *function;   /* those with this in their names; NULL: none */
  bool by_count;          /* those of which B counted somewhere */
  uint64_t cutoff;        /* more than this */
  bool context_sensitive; /* these records, not the others */
};

/* Measures; sums are of all records that take part. false: out of memory. The
 * caller frees overlap->list, in both cases. */
bool overlap_measure(struct overlap *overlap, struct pair *pair,
                     const struct overlap_wishes *wishes);

/* Whether there is anything to say of this kind. */
bool measure_is(const struct measure *measure);

#endif
