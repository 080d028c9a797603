/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * MC/DC of one decision: how && || ! and brackets join its conditions, and
 * which pairs of vectors show that a condition alone changes the result.
 * Callers begin with decision_init.
 *
 * The criterion is llvm-cov's: both vectors ran, their results differ, and
 * exactly one of the conditions that both evaluated differs. (This is
 * unique-cause MC/DC, except that a condition which the operators skip may have
 * any value: masking by short circuit.)
 *
 * A vector is count + 1 bytes of enum condition_value: the conditions in the
 * order of the source, VALUE_NONE if skipped, then the result.
 */
#ifndef BAREPROF_TOOLS_MCDC_H
#define BAREPROF_TOOLS_MCDC_H

#include "../../base/storage.h"
#include "../../object/mapping.h"
#include "../inputs/paths.h"
#include "../inputs/source.h"
#include "../model/coverage_model.h"
#include "../model/tokens.h"

/* Values of logic_graph.next besides condition numbers: the result is known. */
#define LOGIC_FALSE (UINT32_MAX - 1)
#define LOGIC_TRUE UINT32_MAX

enum { LOGIC_CONDITIONS_MOST = 256 };

/* The graph of a decision's conditions. */
struct logic_graph {
  uint32_t count;
  /* [0]: where the evaluation goes if the condition is false; [1]: if the
   * condition is true. LOGIC_FALSE or LOGIC_TRUE: to the result. */
  uint32_t (*next)[2];
};

/* A condition in the text of a decision. */
struct condition_text {
  size_t begin, end;
  bool macro; /* A macro's use, which may hide any operators. */
};

/* Returns the offset after a macro's arguments. at: where the macro's name
 * ends. Returns `at` if the arguments are missing. */
size_t logic_find_arguments_end(struct bytes text, size_t at);

/* Parses the operators between the conditions. Returns false if the text
 * contains anything else, or too many conditions. The caller frees *logic in
 * both cases. */
bool logic_parse(struct logic_graph *logic, struct bytes text,
                 const struct condition_text *atoms, uint32_t count);
void logic_free(struct logic_graph *logic);

/* Whether a vector is possible with these operators. */
bool logic_allows_vector(const struct logic_graph *logic,
                         const unsigned char *vector);

/* Whether two vectors are an independence pair of the condition. */
bool logic_is_pair(uint32_t count, const unsigned char *a,
                   const unsigned char *b, uint32_t condition);

enum pair_state {
  PAIR_RAN,     /* both vectors ran */
  PAIR_MISSING, /* at least one of the vectors has not run */
  PAIR_NONE,    /* no pair is possible with these constants and groups */
  PAIR_UNKNOWN  /* the search would take too many steps */
};

/* Facts about a condition that hold for all vectors. constant: its only value,
 * or VALUE_NONE. group: all conditions of a group have one value, or the
 * opposite value if contrary. */
struct condition_facts {
  unsigned char constant, group;
  bool contrary;
};

enum { GROUP_NONE = 255, GROUPS_MOST = 6 };

/* The independence pair of a condition, as numbers of vectors. */
struct independence_pair {
  enum pair_state state;
  uint32_t vectors[2];
};

/* All pairs of a decision. vectors: the vectors that ran, then vectors that
 * have to run so that each condition is shown. Each further vector, with the
 * vectors before it, shows one more condition. */
struct decision_pairs {
  struct buffer vectors;
  uint32_t ran, count;       /* vectors that ran; all vectors */
  struct independence_pair *pairs; /* one pair for each condition */
};

/* Finds the pairs. ran: `count` vectors. known: one for each condition, with
 * groups below GROUPS_MOST. The caller frees *pairs. */
void pairs_find(struct decision_pairs *pairs, const struct logic_graph *logic,
                const unsigned char *ran, uint32_t count,
                const struct condition_facts *known);

/* Whether, in a vector, all conditions of a group have the same value (or the
 * opposite value if contrary). */
bool pairs_vector_fits(const struct condition_facts *known, uint32_t count,
                       const unsigned char *vector);
void pairs_free(struct decision_pairs *pairs);

/* ---- coupled.c ----
 *
 * Finds conditions of a decision that have one value, because their text is the
 * same or a negation: in `(a && b) || (!a && c)` the first and the third.
 */

/* A file and the words that it declares as volatile. The words are read when a
 * decision needs them. Initialise as {.text = ...}. */
struct volatile_words {
  struct bytes text;
  struct bytes *words, *types; /* slices of the text; types: names of types */
  size_t count, type_count;
  bool read;
};

void volatile_words_free(struct volatile_words *declared);

/* Puts conditions with equal texts into a group. text: the decision's, in the
 * file of `declared`; atoms: its conditions. Returns NULL, or why such
 * conditions may have different values. */
const char *coupled_set_groups(struct condition_facts *known, struct bytes text,
                               const struct condition_text *atoms,
                               uint32_t count, struct volatile_words *declared);

/* ---- decision.c ----
 *
 * A decision of MC/DC: its conditions in the source, the vectors that ran, and
 * the vectors that have to run.
 */

/* A condition in the source. */
struct condition {
  struct bytes text;        /* in a macro: the text of the macro's use */
  struct source_span place; /* place of the text, in the decision's file */
  uint32_t number;          /* number of the condition in the model's vectors */
  bool shown;               /* An independence pair ran. */
  bool fixed;               /* The condition can have only one value. */
  unsigned char constant;   /* the only value; VALUE_NONE: not known */
  bool inside;              /* The condition is in a macro. */
};

/* A decision with its vectors. */
struct decision {
  struct bytes text;
  struct condition *conditions;  /* in the order of the source */
  struct condition_facts *known; /* one for each condition */
  struct condition_text *atoms;  /* the conditions in the text */
  uint32_t count;
  uint32_t missing; /* conditions that no pair shows, except constants */
  /* Why the operators, and so the missing pairs, are unknown; NULL if they are
   * known. */
  const char *unknown;
  struct logic_graph logic;
  struct decision_pairs pairs; /* without logic, only the vectors that ran */
};

/* Finds the conditions of a decision in a model's function. The caller frees
 * *decision. */
void decision_init(struct decision *decision, const struct model *exported,
                   const struct model_function *function,
                   const struct model_decision *from);

/* Parses how decision->text, which is in the source, joins the conditions. Sets
 * decision->logic, or decision->unknown if the text cannot be parsed. */
void decision_parse(struct decision *decision,
                    const struct source_text *source);

/* Parses the decision, and finds the missing pairs. declared: volatile words of
 * the source. */
void decision_find_pairs(struct decision *decision,
                         const struct model *exported,
                         const struct model_decision *from,
                         const struct source_text *source,
                         struct volatile_words *declared);
void decision_free(struct decision *decision);

/* ---- unmeasured.c ----
 *
 * Finds decisions that MC/DC does not count. Clang leaves out decisions with
 * another boolean expression inside (`a && f(b || c)`), decisions with too many
 * conditions, and all decisions of objects without -fcoverage-mcdc. llvm-cov
 * does not show them: its MC/DC may be complete without them.
 */

/* A decision that MC/DC does not measure. */
struct unmeasured_decision {
  char *file;                   /* the compiler's name, without "." and ".." */
  struct source_position begin; /* first condition, as in clang's warning */
  struct source_position end;
};

/* The limit of the list, in bytes. */
enum { UNMEASURED_MOST = 1 << 26 };

/* Appends the decisions of an ELF to a list of struct unmeasured_decision.
 * summary: the sources that the report has; NULL: it has all. Returns NULL or
 * the error. */
const char *unmeasured_append_elf(struct buffer *list, const struct elf *elf,
                                  const struct scores_summary *summary);

/* Appends a decision, and takes over the file's name. */
void unmeasured_append(struct buffer *list, char *file,
                       struct source_position begin,
                       struct source_position end);

/* Sorts the list. Keeps one of several decisions at one place, which templates,
 * macros and several ELFs cause. Leaves out a decision inside another one. */
void unmeasured_merge(struct buffer *list);
size_t unmeasured_count(const struct buffer *list);
const struct unmeasured_decision *unmeasured_list(const struct buffer *list);
void unmeasured_free(struct buffer *list);

/* ---- negated.c ----
 *
 * Finds decisions that MC/DC counts wrongly. clang 22 measures `!(a || b) &&
 * c`, and llvm-cov takes the value of the last evaluated condition for the
 * result. Where ! stands before several conditions, the result is the opposite
 * value. Conditions then count as covered that no two vectors show.
 */

/* Sets the cause of decisions whose source shows a ! before several conditions,
 * or whose macros may hide such a !: the MC/DC of these is not known. Decisions
 * whose source is missing stay as they are. Returns 0, or reports the error and
 * returns 1. */
int negated_set_causes(struct model *exported, const struct source_maps *paths);

/* Appends the decisions that MC/DC counts wrongly, or whose mapping lacks
 * conditions, to a list of struct unmeasured_decision. */
void negated_append_decisions(struct buffer *list,
                              const struct model *exported);

#endif
