/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds call targets from samples: distributes the entries of a function over
 * the places that its samples return to. On x86 a probe identifies the call in
 * the source. On other machines, the discriminator that clang -g1 gives the
 * call's line does.
 */
#ifndef SAMPLE_TARGETS_H
#define SAMPLE_TARGETS_H

#include "build.h"
#include "sample_program.h"

struct targets_found {
  size_t pairs;     /* of call and callee */
  size_t unknown;   /* among these, calls that cannot be identified */
  size_t jumped;    /* further pairs, of a callee that another callee jumps
                       to */
  uint64_t refused; /* samples with a stale return address: behind no call,
                       or behind a call of another function */
};

/* A call seen in samples, with its share of all calls of its callee. */
struct targets_pair {
  const struct probe_symbol *callee;
  uint64_t call, returns;
  double share;
  bool jumped; /* not called there: another callee jumped to it */
};

/* Calls take for each pair. Returns NULL or the error, also take's. */
const char *targets_each(struct program *program, const struct samples *samples,
                         struct targets_found *found,
                         const char *(*take)(void *context,
                                             const struct targets_pair *pair),
                         void *context);

/* Returns NULL or the error. */
const char *targets_add(struct building *building, struct program *program,
                        const struct samples *samples,
                        const struct rates *rates, struct targets_found *found);

/* ---- the calls at a sample ---- */

struct stack {
  size_t depth;                            /* 1 and more */
  uint64_t frames[SAMPLES_DEPTH_MOST + 2]; /* the program counter, then return
                                            addresses, the innermost first */
  bool called; /* frames[1] is the return address of the innermost function */
};

/* Reads the stack of a sample. The link register counts only where listing_link
 * says so. */
void stack_read(struct stack *stack, struct program *program,
                const struct samples *samples, const struct sample *sample);

#endif
