/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The values of a site as files have them: from the largest count down, of
 * equal counts in the order that the profile has, and no more than 255.
 */
#ifndef BAREPROF_TOOLS_RANKING_H
#define BAREPROF_TOOLS_RANKING_H

#include "summary.h"

enum { SITE_VALUES_MOST = 255 };

struct ranked {
  struct value value;
  uint32_t at; /* its place in the site */
};

struct ranking {
  struct ranked *list; /* the ranked values; room for those of any site */
  uint32_t most;       /* of which the largest has so many */
};

/* For all sites of these functions. false: out of memory. */
bool ranking_new(struct ranking *ranking, struct functions_list functions);
void ranking_free(struct ranking *ranking);

/* Ranks a site's values; returns how many are kept. */
uint32_t rank_values(struct ranking *ranking, const struct site *site);

static inline uint32_t ranked_count(const struct site *site) {
  return site->count < SITE_VALUES_MOST ? site->count : SITE_VALUES_MOST;
}

/* The functions to be written, by name; sparse: without those all of whose
 * counts and bitmaps are 0. list is NULL: out of memory; the caller frees
 * it. */
struct functions_list written_functions(const struct profile *profile,
                                        bool sparse);

#endif
