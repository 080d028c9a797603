/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How much of a profile another build takes, and why not the rest.
 */
#ifndef COMPARE_BUILD_MATCH_H
#define COMPARE_BUILD_MATCH_H

#include "../base/arena.h"
#include "../object/elf.h"
#include "../profile/model.h"

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
  struct arena names;    /* for readers of profiles that need one */
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
