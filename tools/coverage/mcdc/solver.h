/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The logic of a decision: how && || ! and brackets join its conditions, and
 * which pairs of vectors show that a condition alone changes the result.
 *
 * The criterion is llvm-cov's: both vectors ran, their results differ, and of
 * the conditions that were evaluated in both of them exactly one differs. (It
 * is unique-cause MC/DC, except that a condition which the operators skip may
 * have any value: masking by short circuit.)
 *
 * A vector is count + 1 bytes of enum exported_value: the conditions in the
 * order of the source, VALUE_NONE if skipped, then the result.
 */
#ifndef BAREPROF_TOOLS_SOLVER_H
#define BAREPROF_TOOLS_SOLVER_H

#include "../model/exported.h"

/* Where the evaluation goes on: the number of a condition, or the result. */
#define LOGIC_FALSE (UINT32_MAX - 1)
#define LOGIC_TRUE UINT32_MAX

enum { LOGIC_CONDITIONS_MOST = 256 };

struct logic {
  uint32_t count;
  /* Behind a condition that is false, and true: always a later condition. */
  uint32_t (*next)[2];
};

/* A condition in the text of a decision. */
struct atom {
  size_t begin, end;
  bool macro; /* It is a macro's use, which may hide anything. */
};

/* The offset behind blanks and, if there are any, the arguments of a macro that
 * ends at `at`; else `at`. */
size_t logic_behind_arguments(struct bytes text, size_t at);

/* Reads what stands between the conditions. false: something else does, there
 * are too many conditions, or there is no memory. The caller frees *logic in
 * both cases. */
bool logic_parse(struct logic *logic, struct bytes text,
                 const struct atom *atoms, uint32_t count);
void logic_free(struct logic *logic);

/* Whether a vector is one that the operators give. */
bool logic_gives(const struct logic *logic, const unsigned char *vector);

/* Whether two vectors show that the condition alone changes the result. */
bool logic_is_pair(uint32_t count, const unsigned char *a,
                   const unsigned char *b, uint32_t condition);

enum pair_state {
  PAIR_RAN,     /* both vectors ran */
  PAIR_MISSING, /* at least one has not run */
  PAIR_NONE,    /* no pair can be, as constants and groups leave no choice */
  PAIR_UNKNOWN  /* not found in the steps that it may take */
};

/* What is known of a condition before it is evaluated: its constant, else
 * VALUE_NONE; its group, in whose conditions the value is the same, or, if
 * contrary, the other one. */
struct known {
  unsigned char constant, group;
  bool contrary;
};

enum { GROUP_NONE = 255, GROUPS_MOST = 6 };

/* The pair of a condition: numbers of vectors. */
struct pair {
  enum pair_state state;
  uint32_t vectors[2];
};

/* All pairs of a decision. vectors: those that ran, then those that have to run
 * so that each condition is shown. Each of these, with those before it, shows
 * one condition more. */
struct pairs {
  struct buffer vectors;
  uint32_t ran, count; /* vectors; count: both kinds */
  struct pair *pairs;  /* of each condition */
};

/* Finds the pairs. known: of each condition; groups are below GROUPS_MOST.
 * Returns NULL or the error; the caller frees *pairs in both cases. */
const char *pairs_find(struct pairs *pairs, const struct logic *logic,
                       const unsigned char *ran, uint32_t count,
                       const struct known *known);

/* Whether the conditions of each group have one value in a vector. */
bool known_holds(const struct known *known, uint32_t count,
                 const unsigned char *vector);
void pairs_free(struct pairs *pairs);

#endif
