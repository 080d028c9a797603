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

#include "../../base/storage.h"
#include "../../object/mapping.h"
#include "../inputs/paths.h"
#include "../inputs/source.h"
#include "../model/exported.h"
#include "../model/tokens.h"

/* Where the evaluation goes on: the number of a condition, or the result. */
#define LOGIC_FALSE (UINT32_MAX - 1)
#define LOGIC_TRUE UINT32_MAX

enum { LOGIC_CONDITIONS_MOST = 256 };

struct logic {
  uint32_t count;
  /* After a condition that is false, and true: always a later condition. */
  uint32_t (*next)[2];
};

/* A condition in the text of a decision. */
struct atom {
  size_t begin, end;
  bool macro; /* It is a macro's use, which may hide anything. */
};

/* The offset after blanks and, if there are any, the arguments of a macro that
 * ends at `at`; else `at`. */
size_t logic_behind_arguments(struct bytes text, size_t at);

/* Reads what stands between the conditions. false: something else does, or
 * there are too many conditions. The caller frees *logic in both cases. */
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
struct vector_pair {
  enum pair_state state;
  uint32_t vectors[2];
};

/* All pairs of a decision. vectors: those that ran, then those that have to run
 * so that each condition is shown. Each of these, with those before it, shows
 * one condition more. */
struct pairs {
  struct buffer vectors;
  uint32_t ran, count;       /* vectors; count: both kinds */
  struct vector_pair *pairs; /* of each condition */
};

/* Finds the pairs. known: of each condition; groups are below GROUPS_MOST. The
 * caller frees *pairs. */
void pairs_find(struct pairs *pairs, const struct logic *logic,
                const unsigned char *ran, uint32_t count,
                const struct known *known);

/* Whether the conditions of each group have one value in a vector. */
bool known_holds(const struct known *known, uint32_t count,
                 const unsigned char *vector);
void pairs_free(struct pairs *pairs);

/* ---- ties.c ----
 *
 * Conditions of a decision that have one value, as their text is the same, or
 * the negation: of `(a && b) || (!a && c)` the first and the third.
 */

/* A file, and the words that it declares as volatile, which are read when a
 * decision needs them. Begins as {.text = ...}. */
struct declared {
  struct bytes text;
  struct bytes *words, *types; /* in the text; types: of such words */
  size_t count, type_count;
  bool read;
};

void declared_free(struct declared *declared);

/* Puts conditions of one text into a group. text: the decision, with the atoms
 * in it, of a file. Returns NULL, or why such conditions may have different
 * values. */
const char *ties_find(struct known *known, struct bytes text,
                      const struct atom *atoms, uint32_t count,
                      struct declared *declared);

/* ---- decision.c ----
 *
 * A decision of MC/DC: its conditions in the source, the vectors that ran, and
 * those that have to run.
 */

struct condition {
  struct bytes text; /* in the source; in a macro: where the macro is used */
  struct source_span place; /* of that, in the decision's file */
  uint32_t number;          /* in the model's vectors */
  bool shown;               /* a pair that ran shows it */
  bool fixed;               /* it has one value alone */
  unsigned char constant;   /* that value, if it is known, or VALUE_NONE */
  bool inside;              /* in a macro */
};

struct decision {
  struct bytes text;
  struct condition *conditions; /* in the order of the source */
  struct known *known;          /* of each of them */
  struct atom *atoms;           /* the same in the text */
  uint32_t count;
  uint32_t missing; /* conditions that no pair shows, except constants */
  /* Why the operators, and so the missing pairs, are not known; NULL: they
   * are. */
  const char *unknown;
  struct logic logic;
  struct pairs pairs; /* without logic the vectors that ran alone */
};

/* Finds the conditions of a decision of a model's function. The caller frees
 * *decision. */
void decision_begin(struct decision *decision, const struct exported *exported,
                    const struct exported_function *function,
                    const struct exported_decision *from);

/* Finds how the conditions in decision->text, which is in the source, are
 * joined: decision->logic, if it is not unknown. */
void decision_parse(struct decision *decision,
                    const struct source_text *source);

/* Finds the missing pairs. declared: of the source. */
void decision_solve(struct decision *decision, const struct exported *exported,
                    const struct exported_decision *from,
                    const struct source_text *source,
                    struct declared *declared);
void decision_free(struct decision *decision);

/* ---- mcdc_skipped.c ----
 *
 * Decisions that MC/DC does not count. Clang leaves out decisions with another
 * boolean expression inside (`a && f(b || c)`), decisions with too many
 * conditions, and all of objects without -fcoverage-mcdc. llvm-cov does not
 * show them: without them, all of the others may be covered.
 */

struct unmeasured {
  char *file; /* as the compiler has it, without "." and ".." */
  struct source_position begin; /* of the first condition, as clang warns */
  struct source_position end;
};

/* The limit of the list, in bytes. */
enum { UNMEASURED_MOST = 1 << 26 };

/* Adds the decisions of an ELF to a list of struct unmeasured. summary: of the
 * sources that the report has; NULL: it has all. Returns NULL or the error. */
const char *unmeasured_read(struct buffer *list, const struct elf *elf,
                            const struct scores_summary *summary);

/* Adds a decision, and takes over the file's name. */
void unmeasured_add(struct buffer *list, char *file,
                    struct source_position begin, struct source_position end);

/* Sorts the list, and keeps one of several: those of templates and macros, and
 * of several ELFs. Leaves out a decision inside another one. */
void unmeasured_settle(struct buffer *list);
size_t unmeasured_count(const struct buffer *list);
const struct unmeasured *unmeasured_list(const struct buffer *list);
void unmeasured_free(struct buffer *list);

/* ---- negated.c ----
 *
 * Decisions that MC/DC counts wrongly. clang 22 measures `!(a || b) && c`,
 * and llvm-cov takes the value of the condition that was evaluated last for the
 * result. Where ! stands before several conditions, the result is the contrary:
 * conditions count as covered that no two vectors show.
 */

/* Makes the decisions of a model not known that its sources show to be such, or
 * whose operators macros hide so that they may be. Those whose source is not
 * there stay. Returns 0, or reports the error and returns 1. */
int negated_judge(struct exported *exported, const struct paths *paths);

/* Adds those that are such to a list of struct unmeasured. */
void negated_list(struct buffer *list, const struct exported *exported);

#endif
