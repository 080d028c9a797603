/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tail calls leave no frame. If a call did not call the function of the next
 * frame, and branches show exactly one path of jumps between the two functions,
 * the jumps of that path become frames.
 *
 *     struct tails tails;
 *     const char *error = tails_begin(&tails, program, flow);
 *     ...
 *     tails_free(&tails);
 */
#ifndef BRANCHES_TAILS_H
#define BRANCHES_TAILS_H

#include "flow.h"
#include "../sample_program.h"

enum { TAILS_MOST = 64 };

struct tails {
  struct program *program;
  struct tail *calls, *jumps; /* by place and function; by caller */
  size_t call_count, jump_count;
  struct map targets;  /* functions that jumps reach */
  struct map known;    /* for two functions, the number of paths */
  struct buffer paths; /* uint64_t: the paths of pairs with one path */
  uint64_t left;       /* edges that may still be followed */
};

/* Returns NULL or the error. The caller calls tails_free in both cases. flow is
 * not needed afterwards; program is. */
const char *tails_begin(struct tails *tails, struct program *program,
                        const struct flow *flow);
void tails_free(struct tails *tails);

/* Lists the jumps between a call and the function of `to`, the outermost first.
 * Returns their number. */
size_t tails_between(struct tails *tails, uint64_t call, uint64_t to,
                     uint64_t jumps[TAILS_MOST]);

#endif
