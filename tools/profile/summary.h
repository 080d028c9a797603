/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Results from a whole profile, for code that writes or shows the profile. The
 * summary: how much was counted, and which counts are hot; indexed profiles
 * begin with the summary, and compilers use it. The most frequent values of a
 * site. The names behind references.
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
    uint32_t cutoff; /* this part of the total, in millionths, ... */
    uint64_t least;  /* ... is counted where counts are at least this, */
    uint64_t blocks; /* in so many places. */
  } cutoffs[SUMMARY_CUTOFFS];
};

/* Front-end hashes may have the context-sensitive bit by chance. */
enum summary_part { SUMMARY_REGULAR, SUMMARY_CS, SUMMARY_ALL };

/* Sums up the records that are context sensitive, or those that are not, or
 * all. Each but summing_free: NULL or false: out of memory. */
struct summing;
struct summing *summing_new(enum summary_part part);
bool summing_add(struct summing *summing,
                 const struct function_entry *function);
bool summing_end(struct summing *summing, struct summary *summary);
void summing_free(struct summing *summing);

enum { SITE_VALUES_MOST = 255 };

struct ranked {
  struct value value;
  uint32_t at; /* its place in the site */
};

struct ranking {
  struct ranked *list; /* the ranked values; room for those of any site */
  uint32_t most;       /* no site has more values */
};

/* For all sites of a profile. false: out of memory. */
bool ranking_new(struct ranking *ranking, const struct profile *profile);
void ranking_free(struct ranking *ranking);

/* Ranks a site's values; returns how many are kept. */
uint32_t rank_values(struct ranking *ranking, const struct site *site);

static inline uint32_t ranked_count(const struct site *site) {
  return site->count < SITE_VALUES_MOST ? site->count : SITE_VALUES_MOST;
}

/* Whether a function is to be written. sparse: without functions whose counts
 * and bitmaps are all 0. */
bool is_written(const struct function_entry *function, bool sparse);

/* The functions to write, by name. The caller frees list. list NULL: out of
 * memory. */
struct functions_list written_functions(const struct profile *profile,
                                        bool sparse);

struct references {
  const struct profile *profile;
  bool sparse;
  struct keyed *vtables; /* names by reference */
  size_t count;
};

/* Makes the references of the functions that are written, and of all vtables.
 * false: out of memory; free the references anyway. */
bool references_new(struct references *references,
                    const struct profile *profile, bool sparse);
void references_free(struct references *references);

/* Returns the name, or NULL for an unknown reference. */
const char *reference_name(const struct references *references,
                           uint64_t reference);

#endif
