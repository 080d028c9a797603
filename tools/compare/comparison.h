/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compares two profiles, A and B, from two runs or two builds.
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

enum { SIDE_A, SIDE_B, SIDES };

struct profile_pair {
  const char *names[SIDES]; /* names of the files */
  struct profile_merge sides[SIDES];
  const struct profile *profiles[SIDES]; /* the whole profiles, or the current
                                            windows */
  bool wrong; /* the files cannot be read in windows: call pair_read_whole and
                 start again */
  /* Only profile_overlap.c uses the other members. */
  bool windows;
  size_t bucket, buckets; /* buckets read so far, and their total number */
  bool *found;            /* for each function of B, whether A has it too */
  struct buffer records;
  struct arena kept; /* holds names from windows */
};

/* Opens both files. If both are indexed profiles that suit windows, the caller
 * reads them side by side, a part of the functions at a time; otherwise reads
 * both completely. `elf` is the name of the image for raw profiles without
 * records, or NULL. Local names in B get A's separator (which is a colon up to
 * clang 17, a semicolon later). Returns 0; or prints the error and returns 1.
 * The caller calls pair_close in both cases. `names` must live as long as the
 * pair. */
int pair_open(struct profile_pair *pair, const char *const names[SIDES],
              const char *elf);
int pair_read_whole(struct profile_pair *pair);
void pair_close(struct profile_pair *pair);

/* A function in A, in B, or in both. */
struct function_pair_cursor {
  size_t next[SIDES]; /* `next` and `expected` start at 0 */
  size_t expected;    /* index of the function in B after the latest step's
                         function */
  const struct function_entry *entries[SIDES]; /* NULL: the side does not have
                                                  the function */
  const char *name;
};

/* The records of a function with one hash, in A and in B; one of them may be
 * NULL. */
struct counts_pair {
  const struct record_counts *sides[SIDES];
  uint64_t hash; /* see profile_comparable_hash */
  bool same;     /* both sides have the hash */
};

struct counts_pair_list {
  const struct counts_pair *list; /* sorted by hash; valid until next call */
  size_t count;
};

/* ==== The overlap of A's and B's counts, as in `llvm-profdata overlap`. Each
 * counter has a share of A's total and a share of B's total. The overlap is the
 * sum of the smaller shares: 1 if the profiles are distributed equally.
 */

/* The measures: counters, then each kind of values. */
enum { MEASURE_EDGES, MEASURE_VALUES, MEASURES = MEASURE_VALUES + VALUE_KINDS };

/* The measures' names, such as "edge counters", and in JSON, such as "edges".
 */
extern const char *const measure_names[MEASURES];
extern const char *const measure_keys[MEASURES];

struct overlap_shares {
  double sums[SIDES]; /* total counts of A and B; rounded above 2^53 */
  double overlap;     /* a share from 0 to 1, like the next two */
  double mismatched;  /* share of B in functions whose records in A differ in
                         shape */
  double only_b;      /* share of B in functions that A lacks */
};

struct function_overlap {
  const char *name;
  uint64_t hash;
  uint32_t counters;
  struct overlap_shares of[MEASURES];
};

struct profile_overlap {
  uint64_t functions, mismatched, only_b, only_a; /* numbers of records */
  struct overlap_shares of[MEASURES];
  struct buffer list; /* the requested struct function_overlap, by name, then by
                         hash */
};

/* Selects the functions to list and the records to use. */
struct overlap_settings {
  const char *function;   /* list functions whose names contain this; or NULL */
  bool by_count;          /* list functions with a high count in B */
  uint64_t cutoff;        /* the least such count */
  bool context_sensitive; /* use only context-sensitive records, or only the
                             other records */
};

/* Computes the overlap. Sums include all records that take part. Returns false
 * if pair->wrong. The caller frees overlap->list in both cases. */
bool overlap_compute(struct profile_overlap *overlap, struct profile_pair *pair,
                     const struct overlap_settings *settings);

/* Whether there are any counts for the measure. */
bool measure_has_counts(const struct overlap_shares *measure);

/* ---- build_match.c ----
 *
 * How much of a profile the next build uses, and why not the rest.
 */

/* Why a record is used or not; each record has exactly one reason. */
enum match_reason {
  MATCH_TAKEN,   /* the build has a function with this name, hash and number of
                    counters */
  MATCH_HASH,    /* the function has another hash or number of counters */
  MATCH_PATH,    /* the static function is in a file of another name */
  MATCH_UNIQUE,  /* the function has another suffix .__uniq.N, or none */
  MATCH_RENAMED, /* the only new function with this structure */
  MATCH_GONE,
  MATCH_KIND, /* the build has another kind of instrumentation */
  MATCH_REASONS
};

/* The reasons as the output names them. */
extern const char *const match_reasons[MATCH_REASONS];

/* A function of the build, or a record of the profile. */
struct match_function {
  const char *name; /* "": unknown */
  uint64_t reference, hash;
  uint32_t counters;
  /* The other members are for a record. */
  double weight; /* sum of the record's counters; rounded above 2^53 */
  enum match_reason reason;
  const char *now; /* the function's name in the build; NULL: the same name, or
                      no function */
};

struct match_reason_total {
  double weight;
  size_t functions;
};

struct build_match {
  struct buffer records; /* struct match_function of the profile: by reason,
                            then the heaviest first, then by name */
  struct buffer build;   /* struct match_function */
  struct match_reason_total sums[MATCH_REASONS], all;
  struct arena names; /* names that some readers of profiles allocate */
};

/* An instrumented image of the build, with its records. */
struct image_functions;
struct build_image {
  const struct elf *elf;
  unsigned raw;                      /* raw version; 0: as the ELF says */
  struct image_functions *functions; /* the caller frees the functions */
};

/* Matches a profile with a build. Neither *match nor the functions need to be
 * initialised; the caller frees both in any case. Names live as long as profile
 * and functions. Returns NULL or the error in the ELF. The profile's separators
 * become the build's separators. */
const char *match_profile(struct build_match *match, struct profile *profile,
                          const struct build_image *build);
/* Matches in steps: call match_begin, fill both lists, then call
 * match_compute_reasons. same_kind says that both sides have the same kind of
 * instrumentation. */
void match_begin(struct build_match *match);
void match_compute_reasons(struct build_match *match, bool same_kind);

void match_free(struct build_match *match);

#endif
