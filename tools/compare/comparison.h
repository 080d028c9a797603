/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two profiles side by side, A and B, of two runs or two builds.
 */
#ifndef BAREPROF_TOOLS_COMPARISON_H
#define BAREPROF_TOOLS_COMPARISON_H

#include "../base/storage.h"
#include "../object/elf.h"
#include "../profile/gather.h"
#include "../profile/model.h"

enum { SIDE_A, SIDE_B, SIDES };

struct record_pair {
  const char *names[SIDES]; /* of the files */
  struct gather sides[SIDES];
  const struct profile *profiles[SIDES]; /* whole, or of a window */
  bool wrong; /* It cannot be read in windows: call pair_whole, and begin
                 again. */
  /* What follows is of use to measure.c only. */
  bool windows;
  size_t bucket, buckets; /* windows are read up to here, of those */
  struct buffer found;    /* by number of B's function: bool, A has it, too */
  struct buffer records;
  struct arena kept; /* names of windows */
};

/* Opens both, to read two indexed ones side by side in windows; else reads
 * both. elf: the name of the image of raw profiles without records, or
 * NULL. Local names of B get the separator that A has (clang 17 and older, or
 * newer). Returns 0, or prints the error and returns 1; pair_close it in both
 * cases. names must live as long. */
int pair_open(struct record_pair *pair, const char *const names[SIDES],
              const char *elf);
int pair_whole(struct record_pair *pair);
void pair_close(struct record_pair *pair);

/* A function that A or B has, or both. */
struct pair_step {
  size_t next[SIDES]; /* 0 at first, and so is: */
  size_t behind; /* number of B's function behind that of the latest step */
  const struct function_entry *entries[SIDES]; /* NULL: it has none */
  const char *name;
};

/* The function's records of one hash: A's and B's, of which one may be NULL. */
struct compared_records {
  const struct counts *sides[SIDES];
  uint64_t hash; /* what tells it apart: see profile_hash */
  bool same;     /* both have that hash */
};

struct records_list {
  const struct compared_records
      *list; /* by hash; valid until the next is asked for */
  size_t count;
};

/* ==== The overlap of A's and B's counts, as in `llvm-profdata overlap`. Each
 * place has a share of A's total count and a share of B's. The overlap is the
 * sum of the lesser shares: 1 if both are distributed alike. */

/* Counters, then values by kind. */
enum { MEASURE_EDGES, MEASURE_VALUES, MEASURES = MEASURE_VALUES + VALUE_KINDS };

/* The names of the measures: "edge counters", ...; and in JSON "edges", ... */
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
  struct buffer list; /* struct function_measure, that were asked for; by name,
                         then by hash */
};

/* Which functions to list, and what records to take. */
struct overlap_settings {
  const char *function;   /* those with this in their names; NULL: none */
  bool by_count;          /* functions with a count in B somewhere */
  uint64_t cutoff;        /* more than this */
  bool context_sensitive; /* these records, not the others */
};

/* Measures; sums are of all records that take part. false: out of memory, or
 * the pair is wrong. The caller frees overlap->list, in both cases. */
bool overlap_measure(struct overlap *overlap, struct record_pair *pair,
                     const struct overlap_settings *settings);

/* Whether the measure has anything of this kind. */
bool measure_is(const struct measure *measure);

/* ---- build_match.c ----
 *
 * How much of a profile another build takes, and why not the rest.
 */

/* A record of the profile has exactly one. */
enum match_reason {
  MATCH_TAKEN,   /* a function of this name, hash and number of counters */
  MATCH_HASH,    /* the function has another one of both */
  MATCH_PATH,    /* the same static function is of another file's name */
  MATCH_UNIQUE,  /* the same function has another suffix .__uniq.N, or none */
  MATCH_RENAMED, /* the one new function of this structure */
  MATCH_GONE,
  MATCH_KIND, /* the build has another kind of instrumentation */
  MATCH_REASONS
};

/* As the output has them. */
extern const char *const match_reasons[MATCH_REASONS];

/* A function of the build, or a record of the profile. */
struct match_function {
  const char *name; /* "": not known */
  uint64_t reference, hash;
  uint32_t counters;
  /* Of a record: */
  double weight; /* the sum of its counters; above 2^53 rounded */
  enum match_reason reason;
  const char *now; /* the build's name for it; NULL: the same, or none */
};

struct match_sum {
  double weight;
  size_t functions;
};

struct match {
  struct buffer records; /* struct match_function, of the profile: by reason,
                            the heaviest first, then by name */
  struct buffer build;   /* struct match_function */
  struct match_sum sums[MATCH_REASONS], all;
  struct arena names; /* for readers of profiles that need one */
};

/* An instrumented image of the build, with its records. */
struct functions;
struct match_build {
  const struct elf *elf;
  unsigned raw;                /* its raw version; 0: the ELF says it */
  struct functions *functions; /* the caller frees them */
};

/* Matches. *match and the functions need not be initialised; the caller frees
 * both in any case. The names live as long as profile and functions. Returns
 * NULL or the error in the ELF. The profile gets the build's separators. */
const char *match_find(struct match *match, struct profile *profile,
                       const struct match_build *build);
/* The same in steps: match_begin; then both lists get all functions; then
 * match_settle. same_kind: whether both are of one kind. */
void match_begin(struct match *match);
const char *match_settle(struct match *match, bool same_kind);

void match_free(struct match *match);

#endif
