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

/* A call of the source, from the outermost function whose code it is in, to
 * the one that it was inlined from. */
struct call_frame {
  const struct probe_function *function;
  uint32_t probe; /* of its call */
  uint32_t discriminator;
};
struct call_place {
  struct call_frame frames[DWARF_FRAMES];
  size_t depth; /* 1 and more */
  bool probed;  /* it has a probe, and so a count already */
};

/* The one at an address, which returns there; false: not known. */
bool targets_place(const struct program *program, uint64_t call,
                   uint64_t returns, struct call_place *place);

/* The line of the profile that a call has. NULL: no memory. */
struct sampled_line *targets_line(struct building *building,
                                  const struct call_place *place);

/* The number of a probe in a discriminator; 0: it is another one. */
uint32_t targets_probe_of(uint32_t discriminator);

#endif
