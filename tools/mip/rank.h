/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How often functions ran, and in what order they were called first.
 */
#ifndef MIP_RANK_H
#define MIP_RANK_H

#include "model.h"

/* How often a function ran, as far as is known: calls, or runs. */
static inline uint64_t mip_count(const struct mip_profile *profile,
                                 const struct mip_function *function) {
  return mip_has_counts(profile) ? function->calls : function->runs;
}

/* The average place in the order of first calls; 0: not known. */
static inline double mip_rank(const struct mip_function *function) {
  return function->runs ? (double)function->order / function->runs : 0;
}

/* Before, after (-1, 1), or the same (0) by that. */
int mip_compare_ranks(const struct mip_function *a,
                      const struct mip_function *b);

/* The functions with a place in that order, first called first; of those with
 * one name only the first. The caller frees the list; NULL: out of memory. */
const struct mip_function **mip_ranked(const struct mip_profile *profile,
                                       size_t *count);

#endif
