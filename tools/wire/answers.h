/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lists all kinds of requests to the firmware, except requests for dumps. Each
 * row of ANSWERS, X(KIND, OPTION, HELP, TELL), defines one kind: the command
 * BAREPROF_COMMAND_KIND (bareprof_wire.h), and the OPTION of `bareprof receive`
 * that requests it. The option table, the requests and the readers of answers
 * all use the rows. requester.c sends these requests in the order of the rows,
 * before it requests a dump.
 *
 * TELL is a function that prints the body of an answer. TELL returns NULL, or
 * an error if the body is damaged. If the answers of a kind do not have a body,
 * TELL is answer_print_none.
 */
#ifndef BAREPROF_TOOLS_ANSWERS_H
#define BAREPROF_TOOLS_ANSWERS_H

#include <stdio.h>

#include "frame.h"

static inline const char *answer_print_none(const struct answer *answer,
                                            FILE *stream) {
  (void)answer, (void)stream;
  return NULL;
}

#define ANSWERS(X)                                                             \
  X(RESET, "reset",                                                            \
    "reset the counters first: send a reset request to the firmware, or with " \
    "--port gdb, write the initial values into the counters",                  \
    answer_print_none)

/* ---- requester.c ---- */

enum answer_kind {
#define ANSWER_NUMBER(kind, option, about, tell) ANSWER_##kind,
  ANSWERS(ANSWER_NUMBER) ANSWER_KINDS
};

/* Prints the body of an answer, if it has one. Returns NULL or the error. */
const char *answer_print(const struct answer *answer, FILE *stream);

#endif
