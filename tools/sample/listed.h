/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sampled program: the instructions of its functions, jumps between them,
 * and its debug information.
 */
#ifndef SAMPLE_LISTED_H
#define SAMPLE_LISTED_H

#include "../base/storage.h"
#include "../code/code.h"
#include "../object/dwarf.h"
#include "../probe/probe.h"

struct jump_node;
struct jump_part;

/* ---- listing.c ----
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

/* Whether the link register holds the return address. It does from the entry
 * on, along every path that neither calls nor saves the register, and again
 * from a restore to the block's end. Behind a save the register may hold the
 * return address or data. Behind a call the register belongs to that call. */
enum link_state { LINK_LOST, LINK_MAY_LIVE, LINK_LIVES };

struct listed {
  uint64_t address;
  uint64_t target; /* of one that is direct */
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

/* The first instruction from there on, in the same symbol or the one right
 * behind it, or NULL. */
const struct listed *listing_from(struct listing *listing, uint64_t address);

/* Returns the state of the link register before the instruction at pc. Each
 * function is analysed once, in linear time. */
enum link_state listing_link(struct listing *listing, uint64_t pc);

/* Whether it is neither a call nor a return, and does not fall through. */
static inline bool listed_jump(const struct listed *one) {
  return one->ends && !one->returns && !one->call;
}

/* ---- listing.c ----
 *
 * A function that ends in a jump to another one leaves no frame: a tail call.
 * If a call did not call the function that a stack has next, and there is
 * exactly one way of jumps between the two, the functions on that way are the
 * missing frames. The code says the ways: direct jumps of each function. Jumps
 * by registers are unknown.
 *
 *     struct jumps jumps;
 *     jumps_begin(&jumps, &listing);
 *     struct jump_way way = jumps_lead(&jumps, call.target, address);
 *     ...
 *     jumps_free(&jumps);
 *
 * Cold code that was split off a function (NAME.cold) is that function's, and a
 * linker's veneer is the function that it leads to.
 */

enum jump_ways { JUMPS_NONE, JUMPS_ONE, JUMPS_SEVERAL };

/* A direct jump to another function. */
struct jump {
  uint32_t to; /* symbol of that function */
  uint64_t place, behind;
};

/* Jumps of one function to another, one or more. */
struct jump_hop {
  const struct probe_symbol *function;
  size_t first, count; /* see jumps_at */
  uint32_t to;         /* symbol of the other one */
};

enum { JUMPS_MOST = 64 };

struct jump_way {
  enum jump_ways ways;
  size_t count;                /* of hops; 0: it is the function itself */
  const struct jump_hop *hops; /* the outermost first; if there is one way */
};

struct jumps {
  struct listing *listing;
  uint32_t *functions;     /* by symbol: which symbol its function has */
  struct jump_part *parts; /* symbols of each function, by function */
  struct jump_node *nodes; /* by symbol of a function */
  uint32_t *reached; /* by symbol of a function: see struct jumps_reached */
  struct buffer list, hops; /* struct jump; struct jump_hop, by function */
  struct buffer ways;       /* struct jump_hop, way by way */
  struct map known;         /* for two functions, the way */
  uint64_t left;            /* hops that may still be looked at */
};

/* listing must live as long. */
void jumps_begin(struct jumps *jumps, struct listing *listing);
void jumps_free(struct jumps *jumps);

/* The symbol of the function that a symbol is a part of; mostly the same.
 * NULL: no memory, which listing->error says then. */
const struct probe_symbol *jumps_function(struct jumps *jumps,
                                          const struct probe_symbol *symbol);

/* How jumps lead from the function that begins at `called` to the one that has
 * the address `to`. Several ways, also any number of rounds of a loop, are no
 * way to be sure of; so is one through a function that could not be decoded.
 * What it points to is valid until the next call. */
struct jump_way jumps_lead(struct jumps *jumps, uint64_t called, uint64_t to);

/* Jump number first + i of a hop. */
const struct jump *jumps_at(const struct jumps *jumps, size_t number);

/* ---- sample_match.c ----
 *
 * The sampled program: ELF, code, probes, debug information.
 */

struct program {
  struct elf elf;
  struct probes probes;
  struct code code;
  struct dwarf dwarf;
  struct dwarf_lines lines;
  struct dwarf_scopes scopes;
  bool lined;              /* there are lines and scopes */
  const char *debug_error; /* the reason if they are wanted and missing; or
                              NULL */
  struct listing listing;  /* of code */
  struct jumps jumps;      /* between its functions */
};

/* The wanted parts of the program besides its symbols. */
enum program_part {
  PROGRAM_SYMBOLS, /* nothing */
  PROGRAM_LINES,   /* lines, required; no probes */
  PROGRAM_PROBES,  /* probes, required */
  PROGRAM_ALL      /* probes, required; debug information if there is any */
};

/* Returns NULL or the error. The caller calls program_close in both cases.
 * encoding is that of probes. file must live as long as program. */
const char *program_open(struct program *program, struct bytes file,
                         unsigned encoding, enum program_part part);
void program_close(struct program *program);

#endif
