/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The instructions of a program's functions: each function is decoded once,
 * when it is first asked for.
 *
 *     struct listing listing;
 *     listing_begin(&listing, &probes, &code);
 *     const struct listed *one = listing_at(&listing, address);
 *     ...
 *     listing_free(&listing);
 *
 * What is given is valid until the next call.
 */
#ifndef SAMPLE_LISTING_H
#define SAMPLE_LISTING_H

#include "../probe/probe.h"
#include "code.h"

/* Whether the link register is the return address: it is from the entry on
 * along every way that neither calls nor saves it, and again once it is
 * restored, up to the block's end. Behind a save it may be, or hold data: what
 * saves it is free to use it. Behind a call it is of that call. */
enum link_state { LINK_LOST, LINK_MAY_LIVE, LINK_LIVES };

struct listed {
  uint64_t address;
  uint64_t target; /* of one that is direct */
  uint32_t until;  /* number, from its symbol's first, of the next instruction
                       behind which it does not go on; all: none */
  uint8_t length;
  uint8_t link;      /* enum instruction_link */
  uint8_t live;      /* enum link_state before it runs; see listing_link */
  bool call, branch; /* as enum instruction_kind has it */
  bool direct, returns, ends;
  bool leader; /* a block begins here */
};

/* One symbol's. */
struct listed_function {
  size_t first, count;      /* of its instructions in listing.list */
  size_t jumps, jump_count; /* of direct jumps out of it in listing.jumps */
  bool known, linked;       /* first to jump_count are set; live is, too */
  bool whole;               /* all of it are known instructions */
};

struct listing {
  const struct probes *probes;
  const struct code *code;
  struct listed_function *functions; /* by symbol; NULL: none was asked for */
  struct buffer list;                /* struct listed */
  struct buffer jumps;               /* uint64_t: where to */
  const struct probe_symbol *last;   /* that was asked for */
  const char *error; /* out of memory: then nothing is found any more */
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

/* Whether what runs from an instruction to another one can run as one: no
 * jump, call or return is between. */
bool listing_runs(struct listing *listing, uint64_t begin, uint64_t end);

/* Whether it is one of the first two instructions of a function, or a return
 * or the one before: there the chain of frames is not whole. */
bool listing_frameless(struct listing *listing, uint64_t address);

/* What the link register is before the instruction at pc runs. Each function is
 * looked through once, in time that is linear in its size. */
enum link_state listing_link(struct listing *listing, uint64_t pc);

/* Whether jumps lead from that function to address `to`, where another one
 * begins, directly or by a few others: a function that ends in a jump to
 * another leaves no frame, and what then runs returns to a place that never
 * called it. Indirect jumps are not known. */
bool listing_jumps_lead(struct listing *listing,
                        const struct probe_symbol *from, uint64_t to);

/* Neither a call nor a return, and it does not go on behind it. */
static inline bool listed_jump(const struct listed *one) {
  return one->ends && !one->returns && !one->call;
}

#endif
