/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Who was called from where, as samples tell: the entries of a function are
 * shared out over the places that its samples return to. Which call of the
 * source that is, its probe says on x86, elsewhere the discriminator that
 * clang -g1 gives the call's line.
 */
#ifndef SAMPLE_TARGETS_H
#define SAMPLE_TARGETS_H

#include "build.h"
#include "program.h"

struct targets_found {
  size_t pairs;     /* of call and callee */
  size_t unknown;   /* of these, calls of which nothing says which they are */
  size_t jumped;    /* others, of a callee that another callee jumps to */
  uint64_t refused; /* samples with a return address behind no call, or behind
                       one of another function: left over from it */
};

/* A call that was seen, with what part of all the calls of its callee it is. */
struct targets_pair {
  const struct probe_symbol *callee;
  uint64_t call, returns;
  double share;
  bool jumped; /* it was not called there: another callee jumped to it */
};

/* Calls take for each. NULL, or what is wrong, which take may say. */
const char *targets_each(struct program *program, const struct samples *samples,
                         struct targets_found *found,
                         const char *(*take)(void *context,
                                             const struct targets_pair *pair),
                         void *context);

/* NULL, or what is wrong. */
const char *targets_add(struct building *building, struct program *program,
                        const struct samples *samples,
                        const struct rates *rates, struct targets_found *found);

/* ---- who called whom when a sample was taken ---- */

struct stack {
  size_t depth;                            /* 1 and more */
  uint64_t frames[SAMPLES_DEPTH_MOST + 2]; /* the program counter, then return
                                            addresses, the innermost first */
  bool called; /* frames[1] is where the innermost function returns to */
};

/* What the link register holds counts only where listing_link says so. */
void stack_read(struct stack *stack, struct program *program,
                const struct samples *samples, const struct sample *sample);

#endif
