/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Two profiles side by side, A and B: of two runs, or of two builds.
 */
#ifndef BAREPROF_TOOLS_COMPARE_PAIR_H
#define BAREPROF_TOOLS_COMPARE_PAIR_H

#include "../profile/gather.h"

enum { SIDE_A, SIDE_B, SIDES };

struct pair {
  const char *names[SIDES]; /* of the files */
  struct gather sides[SIDES];
  struct function_entry **functions[SIDES]; /* by name */
  struct buffer records;                    /* of use to pair.c only */
};

/* Reads both. elf: the name of the image of raw profiles without records, or
 * NULL. Local names of B get the separator that A has (clang 17 and older, or
 * newer). 0, or 1: printed what is wrong; pair_close it in both cases. names
 * must live as long. */
int pair_open(struct pair *pair, const char *const names[SIDES],
              const char *elf);
void pair_close(struct pair *pair);

/* A function that A or B has, or both. */
struct pair_step {
  size_t next[SIDES];                          /* 0 at first */
  const struct function_entry *entries[SIDES]; /* NULL: it has none */
  const char *name;
};

/* The next function, by name. false: there are no more. */
bool pair_next(const struct pair *pair, struct pair_step *step);

/* The function's records of one hash: A's and B's, of which one may be NULL. */
struct records {
  const struct counts *sides[SIDES];
  uint64_t hash; /* what tells it apart: see profile_hash */
  bool same;     /* both have that hash */
};

struct records_list {
  const struct records *list; /* by hash; valid until the next is asked for */
  size_t count;
};

/* All of them. false: out of memory. */
bool pair_records(struct pair *pair, const struct pair_step *step,
                  struct records_list *records);

/* Whether they have as many counters, and of each kind as many sites. */
bool counts_alike(const struct counts *a, const struct counts *b);

/* Whether text is in the name, or no text is wanted (NULL). */
bool name_wanted(const char *name, const char *text);

#endif
