/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A decision of MC/DC: its conditions in the source, the vectors that ran, and
 * those that have to run.
 */
#ifndef BAREPROF_TOOLS_DECISION_H
#define BAREPROF_TOOLS_DECISION_H

#include "../inputs/source.h"
#include "ties.h"

struct condition {
  struct bytes text; /* in the source; in a macro: where the macro is used */
  struct span place; /* of that, in the decision's file */
  uint32_t number;   /* in the model's vectors */
  bool shown;        /* a pair that ran shows it */
  bool fixed;        /* it has one value alone */
  unsigned char constant; /* that value, if it is known, or VALUE_NONE */
  bool inside;            /* in a macro */
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

/* Finds the conditions of a decision of a model's function. Returns NULL or the
 * error; the caller frees *decision in all cases. */
const char *decision_begin(struct decision *decision,
                           const struct exported *exported,
                           const struct exported_function *function,
                           const struct exported_decision *from);

/* Finds how the conditions in decision->text, which is in the source, are
 * joined: decision->logic, if it is not unknown. */
void decision_parse(struct decision *decision,
                    const struct source_text *source);

/* Finds the missing pairs. declared: of the source. Returns NULL or the error.
 */
const char *decision_solve(struct decision *decision,
                           const struct exported *exported,
                           const struct exported_decision *from,
                           const struct source_text *source,
                           struct declared *declared);
void decision_free(struct decision *decision);

#endif
