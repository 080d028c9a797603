/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tail calls, which leave no frame: where a call did not call the function
 * that the next frame is in, and branches tell of just one way of jumps from
 * function to function between the two, these are frames as well.
 *
 *     struct tails tails;
 *     const char *error = tails_begin(&tails, program, flow);
 *     ...
 *     tails_free(&tails);
 */
#ifndef BRANCHES_TAILS_H
#define BRANCHES_TAILS_H

#include "flow.h"
#include "../program.h"

enum { TAILS_MOST = 64 };

struct tails {
  struct program *program;
  struct tail *calls, *jumps; /* by place and function; by caller */
  size_t call_count, jump_count;
  struct map targets;  /* functions that jumps reach */
  struct map known;    /* of two functions, how many ways */
  struct buffer paths; /* uint64_t: of those with one */
  uint64_t left;       /* so many edges may be followed still */
};

/* NULL, or what is wrong; in both cases the caller calls tails_free. flow is
 * not needed any more then, program is. */
const char *tails_begin(struct tails *tails, struct program *program,
                        const struct flow *flow);
void tails_free(struct tails *tails);

/* The jumps between a call and the function that `to` is in, the outermost
 * first: how many. */
size_t tails_between(struct tails *tails, uint64_t call, uint64_t to,
                     uint64_t jumps[TAILS_MOST]);

#endif
