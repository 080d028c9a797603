/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which addresses are instructions, and what these do: of the symbols that are
 * asked for, decoded once.
 *
 *     struct listing listing;
 *     listing_begin(&listing, program);
 *     const struct listed *one = listing_at(&listing, address);
 *     ...
 *     listing_free(&listing);
 *
 * What is given is valid until the next call.
 */
#ifndef SAMPLE_LISTING_H
#define SAMPLE_LISTING_H

#include "program.h"

struct listed {
  uint64_t address;
  uint32_t until; /* number, from its symbol's first, of the next instruction
                     behind which it does not go on; all: none */
  uint8_t length;
  bool call, returns;
  bool jump; /* neither, and it does not go on behind it */
};

struct listing {
  const struct program *program;
  struct map symbols; /* number: where in list, and how many */
  struct buffer list;
  const struct probe_symbol *last; /* that was asked for, and its value */
  uint64_t place;
  const char *error; /* out of memory: then nothing is found any more */
};

void listing_begin(struct listing *listing, const struct program *program);
void listing_free(struct listing *listing);

/* The instruction that begins there, or NULL. */
const struct listed *listing_at(struct listing *listing, uint64_t address);

/* The call that returns there, or NULL. */
const struct listed *listing_call_before(struct listing *listing,
                                         uint64_t address);

/* The first instruction from there on, in the same symbol or the one right
 * behind it, or NULL. */
const struct listed *listing_from(struct listing *listing, uint64_t address);

/* Whether what runs from an instruction to another one can run as one: no
 * jump, call or return is between. */
bool listing_runs(struct listing *listing, uint64_t begin, uint64_t end);

/* Whether it is one of the first two instructions of a function, or a return
 * or the one before: there the chain of frames is not whole. */
bool listing_frameless(struct listing *listing, uint64_t address);

#endif
