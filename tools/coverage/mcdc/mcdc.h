/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This module computes the MC/DC of one decision: how && || ! and brackets join
 * its conditions, and which pairs of vectors show that a condition alone
 * changes the result. Callers begin with decision_init.
 *
 * The rule for a pair is the same as in llvm-cov: both vectors ran, their
 * results differ, and exactly one of the conditions that both evaluated
 * differs. (This is unique-cause MC/DC, except that a condition which the
 * operators skip may have any value: masking by short circuit.)
 *
 * A vector is an array of count + 1 bytes of enum condition_value. The array
 * has the value of each condition in the order of the source (VALUE_NONE if the
 * condition was skipped), then the result.
 */
#ifndef BAREPROF_TOOLS_MCDC_H
#define BAREPROF_TOOLS_MCDC_H

#include "../../base/storage.h"
#include "../../object/mapping.h"
#include "../inputs/paths.h"
#include "../inputs/source.h"
#include "../model/coverage_model.h"
#include "../model/tokens.h"

/* ---- decision.c: operators ---- */

/* logic_graph.next contains numbers of conditions, or these values if the
 * result is known. */
#define LOGIC_FALSE (UINT32_MAX - 1)
#define LOGIC_TRUE UINT32_MAX

enum { LOGIC_CONDITIONS_MOST = 256 };

/* The order in which a decision evaluates its conditions, as a graph. */
struct logic_graph {
  uint32_t count;
  /* next[i][0] follows condition i if the condition is false, next[i][1] if it
   * is true. LOGIC_FALSE and LOGIC_TRUE are the two results. */
  uint32_t (*next)[2];
};

/* The place of a condition in the text of a decision. */
struct condition_text_span {
  size_t begin, end;
  bool macro; /* The condition is the use of a macro. */
};

/* Returns the offset after the arguments of a macro, or `at` if the arguments
 * are missing. `at` is the offset where the macro's name ends. */
size_t logic_find_arguments_end(struct bytes text, size_t at);

/* Parses the operators between the conditions. Returns false if the text
 * contains anything else, or too many conditions. The caller frees *logic in
 * both cases. */
bool logic_parse(struct logic_graph *logic, struct bytes text,
                 const struct condition_text_span *atoms, uint32_t count);
void logic_free(struct logic_graph *logic);

/* Returns whether these operators allow a vector. */
bool logic_allows_vector(const struct logic_graph *logic,
                         const unsigned char *vector);

/* Returns the size of a packed vector with `count` conditions, in words. */
size_t pairs_packed_words(uint32_t count);

/* Packs the values of a vector into pairs of words. The first word says which
 * conditions were evaluated, the second one which conditions were true. */
void pairs_pack_vector(const unsigned char *vector, uint32_t count,
                       uint64_t *packed);

/* The rule for a pair: if the results of two packed vectors differ, they are an
 * independence pair of the condition `which`. This is the only condition that
 * both evaluate to different values. Returns false unless there is exactly
 * one. */
bool pairs_find_only_difference(const uint64_t *a, const uint64_t *b,
                                uint32_t count, uint32_t *which);

enum pair_state {
  PAIR_RAN,     /* Both vectors ran. */
  PAIR_MISSING, /* At least one of the two vectors has not run. */
  PAIR_NONE,    /* No pair is possible with these constants and groups. */
  PAIR_UNKNOWN  /* The search for a pair would take too many steps. */
};

/* The facts about a condition that hold for all vectors. `constant` is the only
 * value that the condition can have, or VALUE_NONE. All conditions of a group
 * have the same value, or the opposite value if `contrary` is set. */
struct condition_constraints {
  unsigned char constant, group;
  bool contrary;
};

enum { GROUP_NONE = 255, GROUPS_MOST = 6 };

/* The independence pair of a condition, as the numbers of its vectors. */
struct independence_pair {
  enum pair_state state;
  uint32_t vectors[2];
};

/* All independence pairs of a decision. `vectors` begins with the vectors that
 * ran. The vectors that still have to run come next; each of these completes
 * the pair of one more condition. */
struct decision_pairs {
  struct buffer vectors;
  uint32_t ran, count;             /* number of vectors that ran, and of all
                                vectors */
  struct independence_pair *pairs; /* one pair for each condition */
};

/* Finds the pairs of a decision. `ran` has `count` vectors. `known` has an
 * element for each condition, with groups below GROUPS_MOST. The caller frees
 * *pairs. */
void pairs_find(struct decision_pairs *pairs, const struct logic_graph *logic,
                const unsigned char *ran, uint32_t count,
                const struct condition_constraints *known);

/* Returns whether a vector agrees with the groups: all conditions of a group
 * have the same value, or the opposite value if `contrary` is set. */
bool pairs_vector_fits(const struct condition_constraints *known,
                       uint32_t count, const unsigned char *vector);
void pairs_free(struct decision_pairs *pairs);

/* ---- coupled.c ----
 *
 * This file finds conditions of a decision whose values depend on each other,
 * because one text equals the other or negates it: in `(a && b) || (!a && c)`,
 * the first and the third condition.
 */

/* A source file and the words that it declares as volatile. The words are
 * collected when a decision first needs them. Initialise as {.text = ...}. */
struct volatile_words {
  struct bytes text;
  struct bytes *words, *types; /* volatile names, and names of volatile types;
                                  both are slices of the text */
  size_t count, type_count;
  bool read;
};

void volatile_words_free(struct volatile_words *declared);

/* Puts conditions with equal texts into a group. `text` is the text of the
 * decision, from the file of `declared`; `atoms` are the decision's conditions.
 * Returns NULL, or the reason why conditions with equal texts may still have
 * different values. */
const char *coupled_set_groups(struct condition_constraints *known,
                               struct bytes text,
                               const struct condition_text_span *atoms,
                               uint32_t count, struct volatile_words *declared);

/* ---- decision.c ----
 *
 * This file describes a decision for the pages: its conditions in the source,
 * the vectors that ran, and the vectors that have to run.
 */

/* A condition of a decision, as the pages show it. */
struct condition {
  struct bytes text;        /* text of the condition; in a macro, the text of
                               the macro's use */
  struct source_span place; /* position of the text, in the decision's file */
  uint32_t number;          /* number of the condition in the model's vectors */
  bool shown;               /* An independence pair of the condition ran. */
  bool fixed;               /* The condition can have only one value. */
  unsigned char constant;   /* only possible value; VALUE_NONE: unknown */
  bool inside;              /* The condition is in a macro. */
};

/* A decision with its vectors. */
struct decision {
  struct bytes text;
  struct condition *conditions;        /* in the order of the source */
  struct condition_constraints *known; /* the facts about each condition */
  struct condition_text_span *atoms; /* places of the conditions in the text */
  uint32_t count;
  uint32_t missing; /* number of conditions without a pair, except constants */
  /* The reason why the operators could not be read, or NULL. Without operators,
   * missing pairs are not known. */
  const char *unknown;
  struct logic_graph logic;
  struct decision_pairs pairs; /* the pairs; only the vectors that ran if the
                                  operators are unknown */
};

/* Finds the conditions of a decision in a model's function. The caller frees
 * *decision. */
void decision_init(struct decision *decision, const struct model *exported,
                   const struct model_function *function,
                   const struct model_decision *from);

/* Parses from the source how the decision joins its conditions. Sets
 * decision->logic, or decision->unknown if the text cannot be parsed. */
void decision_parse(struct decision *decision,
                    const struct source_text *source);

/* Parses the decision and finds its pairs. `declared` has the volatile words of
 * the source. */
void decision_find_pairs(struct decision *decision,
                         const struct model *exported,
                         const struct model_decision *from,
                         const struct source_text *source,
                         struct volatile_words *declared);
void decision_free(struct decision *decision);

/* ---- unmeasured.c ----
 *
 * This file finds decisions that MC/DC does not count. Clang leaves out
 * decisions with another boolean expression inside (`a && f(b || c)`),
 * decisions with too many conditions, and all decisions of objects without
 * -fcoverage-mcdc. llvm-cov does not show these decisions, so its MC/DC may be
 * complete without them.
 */

/* A decision that MC/DC does not measure. */
struct unmeasured_decision {
  char *file;                   /* the compiler's name, without "." and ".." */
  struct source_position begin; /* position of the first condition, as in
                                   clang's warning */
  struct source_position end;
};

/* The largest size of the list, in bytes. */
enum { UNMEASURED_MOST = 1 << 26 };

/* Appends the unmeasured decisions of an ELF to a list of struct
 * unmeasured_decision. `summary` has the sources of the report; NULL selects
 * all sources. Returns NULL or the error. */
const char *unmeasured_append_elf(struct buffer *list, const struct elf *elf,
                                  const struct scores_summary *summary);

/* Sorts the list. If several decisions are at one position, because of
 * templates, macros or several ELFs, keeps one of them. Removes decisions
 * inside another decision. */
void unmeasured_merge(struct buffer *list);
size_t unmeasured_count(const struct buffer *list);
const struct unmeasured_decision *unmeasured_list(const struct buffer *list);
void unmeasured_free(struct buffer *list);

/* ---- unmeasured.c: decisions with a ! ----
 *
 * This file finds decisions that MC/DC counts wrongly. clang 22 measures `!(a
 * || b) && c`, and llvm-cov takes the value of the last evaluated condition for
 * the result. But if a ! stands before several conditions, the result is the
 * opposite value. llvm-cov then shows conditions as covered without an
 * independence pair.
 */

/* Sets the cause of each decision whose source shows a ! before several
 * conditions, or whose macros may contain such a !. The MC/DC of these
 * decisions is not known, so the function also clears their conditions and
 * vectors, unless the model is as llvm-cov's. A decision stays as it is if its
 * source is missing, or if `tokens`, which may be NULL, has forgotten the
 * source. Returns 0, or reports the error and returns 1. */
int negated_mark_and_clear(struct model *exported,
                           const struct source_maps *paths,
                           const struct token_store *tokens);

/* Appends the decisions that MC/DC counts wrongly, or whose mapping lacks
 * conditions, to a list of struct unmeasured_decision. */
void negated_append_decisions(struct buffer *list,
                              const struct model *exported);

#endif
