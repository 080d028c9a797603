/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module compares two profiles, A and B, from two runs or two builds.
 * profile_overlap.c walks over both and computes their overlap, build_match.c
 * matches a profile with the records of a build. Commands in cmd/ print the
 * results.
 */
#ifndef BAREPROF_TOOLS_COMPARISON_H
#define BAREPROF_TOOLS_COMPARISON_H

#include "../base/storage.h"
#include "../object/elf.h"
#include "../profile/profile_merge.h"
#include "../profile/model.h"

/* ---- profile_overlap.c ---- */

enum { SIDE_A, SIDE_B, SIDES };

struct profile_pair {
  const char *names[SIDES]; /* names of the files */
  struct profile_merge sides[SIDES];
  const struct profile *profiles[SIDES]; /* the complete profiles, or the
                                            windows that are being compared */
  /* The files cannot be read in windows: call pair_read_whole_files and start
   * again. */
  bool wrong;
  /* Only profile_overlap.c uses the other members. */
  bool windows;
  size_t bucket, buckets; /* number of buckets read so far; number of all
                             buckets */
  bool *found;            /* for each function of B: A also has the function */
  struct buffer records;
  struct arena kept; /* memory for names from windows */
};

/* Opens both files. If both are indexed profiles that can be read in windows,
 * the caller reads a part of the functions of both at a time. Otherwise, reads
 * both files completely. `elf` is the name of the image for raw profiles
 * without records, or NULL. Local names in B get A's separator (which is a
 * colon up to clang 17, a semicolon later). Returns 0, or prints the error and
 * returns 1. The caller calls pair_close in both cases. `names` must live as
 * long as the pair. */
int pair_open(struct profile_pair *pair, const char *const names[SIDES],
              const char *elf);
int pair_read_whole_files(struct profile_pair *pair);
void pair_close(struct profile_pair *pair);

/* The current function in a walk over the functions of A and B. */
struct function_pair_cursor {
  size_t next[SIDES]; /* index of the next function of A and of B; initialise
                         this and the next member as 0 */
  size_t expected;    /* index in B of the function that follows the function of
                         the latest step */
  /* The entries in A and in B. A profile without the function has NULL. */
  const struct function_entry *entries[SIDES];
  const char *name;
};

/* The records of a function with one hash, in A and in B. One of the two may be
 * NULL. */
struct counts_pair {
  const struct record_counts *sides[SIDES];
  uint64_t hash; /* see profile_comparable_hash */
  bool same;     /* Both profiles have a record with this hash. */
};

struct counts_pair_list {
  const struct counts_pair *list; /* pairs by hash; valid until the next call */
  size_t count;
};

/* ==== The overlap of the counts of A and B, as in `llvm-profdata overlap`.
 * Each counter has a share of A's total and a share of B's total. The overlap
 * is the sum of the smaller shares: 1 if the counts are distributed equally.
 */

/* The measures of the overlap: counters, then each kind of values. */
enum { MEASURE_EDGES, MEASURE_VALUES, MEASURES = MEASURE_VALUES + VALUE_KINDS };

/* The names of the measures in text, such as "edge counters", and in JSON, as
 * "edges".
 */
extern const char *const measure_names[MEASURES];
extern const char *const measure_keys[MEASURES];

struct overlap_shares {
  double sums[SIDES]; /* total counts of A and B; rounded above 2^53 */
  double overlap;     /* the overlap, from 0 to 1, like the next two shares */
  double mismatched;  /* share of B's counts in functions whose records in A
                         have another shape */
  double only_b;      /* share of B's counts in functions that A lacks */
};

struct function_overlap {
  const char *name;
  uint64_t hash;
  uint32_t counters;
  struct overlap_shares of[MEASURES];
};

struct profile_overlap {
  /* The numbers of records: compared, with another shape, only in B, only in
   * A. */
  uint64_t functions, mismatched, only_b, only_a;
  struct overlap_shares of[MEASURES];
  struct buffer list; /* list of the requested struct function_overlap, sorted
                         by name, then by hash */
};

/* The functions to list and the records to use. */
struct overlap_settings {
  const char *function;   /* lists functions with this in their names; or
                             NULL */
  bool by_count;          /* lists functions with a high count in B */
  uint64_t cutoff;        /* the smallest count that counts as high */
  bool context_sensitive; /* uses only context-sensitive records; else only the
                             other records */
};

/* Computes the overlap. The sums include all records that are used. Returns
 * false if pair->wrong is set. The caller frees overlap->list in both cases. */
bool overlap_compute(struct profile_overlap *overlap, struct profile_pair *pair,
                     const struct overlap_settings *settings);

/* Returns whether the profiles have counts for a measure. */
bool measure_has_counts(const struct overlap_shares *measure);

/* ---- build_match.c ----
 *
 * This file finds which part of a profile the next build uses, and why it does
 * not use the rest.
 */

/* The reason why the build uses a record or not. Each record has one reason. */
enum match_reason {
  MATCH_TAKEN,   /* The build has a function with this name, hash and number of
                    counters. */
  MATCH_HASH,    /* The function has another hash or number of counters. */
  MATCH_PATH,    /* The static function is in a file with another name. */
  MATCH_UNIQUE,  /* The function has another suffix .__uniq.N, or none. */
  MATCH_RENAMED, /* The function has another name. */
  MATCH_GONE,
  MATCH_KIND, /* The build has another kind of instrumentation. */
  MATCH_REASONS
};

/* The names of the reasons in the output. */
extern const char *const match_reasons[MATCH_REASONS];

/* A function of the build, or a record of the profile. */
struct match_function {
  const char *name; /* name of the function; "" if unknown */
  uint64_t reference, hash;
  uint32_t counters;
  /* The other members are set only for a record. */
  double weight; /* sum of the counters of the record; rounded above 2^53 */
  enum match_reason reason;
  const char *now; /* name of the function in the build; NULL if the name is the
                      same, or if the function is missing */
};

struct match_reason_total {
  double weight;
  size_t functions;
};

struct build_match {
  /* The records of the profile as a list of struct match_function, sorted by
   * reason, weight (heaviest first) and name. */
  struct buffer records;
  struct buffer build; /* list of struct match_function of the build */
  struct match_reason_total sums[MATCH_REASONS], all;
  struct arena names; /* names that some readers of profiles allocate */
};

/* An instrumented image of the build, with its records. */
struct image_functions;
struct build_image {
  const struct elf *elf;
  unsigned raw;                      /* raw version; 0: as the ELF says */
  struct image_functions *functions; /* functions, which the caller frees */
};

/* Matches a profile with a build. The caller frees *match and the functions in
 * any case, and need not initialise them. The names in the result live as long
 * as the profile and the functions. Returns NULL or the error in the ELF. Names
 * in the profile get the separators of the build. */
const char *match_profile(struct build_match *match, struct profile *profile,
                          const struct build_image *build);
/* These functions match in steps: call match_begin, fill both lists, then call
 * match_compute_reasons. `same_kind` says that both sides have the same kind of
 * instrumentation. */
void match_begin(struct build_match *match);
void match_compute_reasons(struct build_match *match, bool same_kind);

void match_free(struct build_match *match);

#endif
