/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instructions of a program's functions: each function is decoded once, at
 * the first request.
 *
 *     struct listing listing;
 *     listing_begin(&listing, &probes, &code);
 *     const struct listed *one = listing_at(&listing, address);
 *     ...
 *     listing_free(&listing);
 *
 * Returned pointers are valid until the next call.
 */
#ifndef SAMPLE_LISTING_H
#define SAMPLE_LISTING_H

#include "../probe/probe.h"
#include "code.h"

/* Whether the link register holds the return address. It does from the entry
 * on, along every path that neither calls nor saves the register, and again
 * from a restore to the block's end. Behind a save the register may hold the
 * return address or data. Behind a call the register belongs to that call. */
enum link_state { LINK_LOST, LINK_MAY_LIVE, LINK_LIVES };

struct listed {
  uint64_t address;
  uint64_t target; /* of one that is direct */
  uint32_t until;  /* index in the symbol of the next instruction that does
                      not fall through; all ones: none */
  uint8_t length;
  uint8_t link;      /* enum instruction_link */
  uint8_t live;      /* enum link_state before it runs; see listing_link */
  bool call, branch; /* as enum instruction_kind has it */
  bool direct, returns, ends;
  bool leader; /* a block begins here */
};

/* A direct jump out of a symbol's code. */
struct listed_exit {
  uint64_t place, behind, to;
};

/* One symbol's. */
struct listed_function {
  size_t first, count;      /* of its instructions in listing.list */
  size_t jumps, jump_count; /* of direct jumps out of it; see listing_exit */
  bool known, linked;       /* first to jump_count are set; live is set, too */
  bool whole;               /* every instruction is known */
};

struct listing {
  const struct probes *probes;
  const struct code *code;
  struct listed_function *functions; /* by symbol; NULL: no request yet */
  struct buffer list;                /* struct listed */
  struct buffer jumps;               /* struct listed_exit */
  const struct probe_symbol *last;   /* the last request */
  const char *error; /* out of memory: from then on nothing is found */
};

/* probes and code must live as long. */
void listing_begin(struct listing *listing, const struct probes *probes,
                   const struct code *code);
void listing_free(struct listing *listing);

/* The instructions of a symbol, and how many. NULL: no memory. */
const struct listed *listing_of(struct listing *listing,
                                const struct probe_symbol *symbol,
                                const struct listed_function **function);

/* The instruction that begins there, or NULL. */
const struct listed *listing_at(struct listing *listing, uint64_t address);

/* The call that returns there, or NULL. */
const struct listed *listing_call_before(struct listing *listing,
                                         uint64_t address);

/* The first instruction from there on, in the same symbol or the one right
 * behind it, or NULL. */
const struct listed *listing_from(struct listing *listing, uint64_t address);

/* Whether the code between two instructions can run as one: without a jump,
 * call or return. */
bool listing_runs(struct listing *listing, uint64_t begin, uint64_t end);

/* Whether the instruction is one of the first two of a function, or a return,
 * or the one before a return: the chain of frames is incomplete there. */
bool listing_frameless(struct listing *listing, uint64_t address);

/* Returns the state of the link register before the instruction at pc. Each
 * function is analysed once, in linear time. */
enum link_state listing_link(struct listing *listing, uint64_t pc);

/* Direct jump number jumps + i of a function that listing_of has returned. */
const struct listed_exit *listing_exit(const struct listing *listing,
                                       size_t number);

/* Whether it is neither a call nor a return, and does not fall through. */
static inline bool listed_jump(const struct listed *one) {
  return one->ends && !one->returns && !one->call;
}

#endif
