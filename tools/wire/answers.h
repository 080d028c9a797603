/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Requests to the firmware for other things than dumps. Each kind is a row of
 * ANSWERS, X(KIND, OPTION, HELP, TELL): its command is BAREPROF_COMMAND_KIND
 * (bareprof_wire.h); OPTION of `bareprof receive` asks for it. The row makes
 * the option, the request and the reader. ask.c asks in the order of the rows,
 * before it asks for a dump.
 *
 * TELL prints what the body of an answer says, and returns NULL; or it returns
 * the error: the body is damaged. no_answer: the kind has no body.
 */
#ifndef BAREPROF_TOOLS_ANSWERS_H
#define BAREPROF_TOOLS_ANSWERS_H

#include <stdio.h>

#include "frame.h"

static inline const char *no_answer(const struct answer *answer, FILE *stream) {
  (void)answer, (void)stream;
  return NULL;
}

#define ANSWERS(X)                                                    \
  X(RESET, "reset",                                                   \
    "request a reset of the counters first (with a GDB server: write their " \
    "initial value)",                                                 \
    no_answer)

enum answer_kind {
#define ANSWER_NUMBER(kind, option, about, tell) ANSWER_##kind,
  ANSWERS(ANSWER_NUMBER) ANSWER_KINDS
};

/* The kind of a command, or ANSWER_KINDS if no row has the command. */
enum answer_kind answer_kind(unsigned command);

/* Prints what an answer says, if that is something. Returns NULL or the
 * error. */
const char *answer_tell(const struct answer *answer, FILE *stream);

#endif
