/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The parts of the sampled program: its ELF, the instructions of its functions,
 * the jumps between functions, and its debug information. sample_rates.h and
 * build.h look up the addresses of samples here.
 */
#ifndef BAREPROF_TOOLS_LISTING_H
#define BAREPROF_TOOLS_LISTING_H

#include "../base/storage.h"
#include "../code/code.h"
#include "../object/dwarf.h"
#include "../probe/probe.h"

struct jump_node;
struct function_part;

/* ---- listing.c ----
 *
 * Decodes the instructions of a program's functions. Each function is decoded
 * once, when it is first needed.
 *
 *     struct listing listing;
 *     listing_begin(&listing, &probes, &code);
 *     const struct listed_instruction *one =
 *         listing_find_at(&listing, address);
 *     ...
 *     listing_free(&listing);
 *
 * Returned pointers are valid until the next call. */

/* Whether the link register holds the return address. The register holds this
 * address from the entry on, along every path without a call and without a save
 * of the register, and again from a restore to the block's end. After a save
 * the register may hold the return address or data. A call overwrites the
 * register. */
enum link_state { LINK_LOST, LINK_MAY_LIVE, LINK_LIVES };

/* A decoded instruction. */
struct listed_instruction {
  uint64_t address;
  uint64_t target;   /* only set if `direct` is true */
  uint8_t length;    /* bytes */
  uint8_t link;      /* enum instruction_link */
  uint8_t live;      /* enum link_state before the instruction runs; see
                        listing_get_link_state */
  bool call, branch; /* from enum instruction_kind */
  bool direct, returns, ends; /* see struct instruction */
  bool leader;                /* a block begins here */
};

/* A direct jump out of a symbol's code. */
struct exit_jump {
  uint64_t place, next, to; /* the jump, the next instruction, the target */
};

/* The instructions of one symbol. */
struct listed_function {
  size_t first, count;      /* instructions in listing.list */
  size_t jumps, jump_count; /* direct jumps out of the function; see
                               exit_jump */
  bool known, linked;       /* `known`: `first` to `jump_count` are set;
                               `linked`: `live` is set in the instructions */
  bool whole;               /* all bytes of the function could be decoded */
};

/* All functions that have been decoded so far. */
struct listing {
  const struct probes *probes;
  const struct elf_code *code;
  struct listed_function *functions; /* by symbol; NULL: no request yet */
  struct listed_instruction *list;
  struct exit_jump *jumps;
  size_t count, jump_count;
  const struct probe_symbol *last; /* the last request */
};

/* probes and code must live as long as listing. */
void listing_begin(struct listing *listing, const struct probes *probes,
                   const struct elf_code *code);
void listing_free(struct listing *listing);

/* Returns the instructions of a symbol; (*function)->count is their number. */
const struct listed_instruction *
listing_get_symbol(struct listing *listing, const struct probe_symbol *symbol,
                   const struct listed_function **function);

/* Returns the instruction that begins at the address, or NULL. */
const struct listed_instruction *listing_find_at(struct listing *listing,
                                                 uint64_t address);

/* Returns the first instruction at or after the address, in the same symbol or
 * in the symbol right after it, or NULL. */
const struct listed_instruction *listing_find_from(struct listing *listing,
                                                   uint64_t address);

/* Returns the state of the link register before the instruction at pc. Each
 * function is analysed once, in linear time. */
enum link_state listing_get_link_state(struct listing *listing, uint64_t pc);

/* Whether the instruction is a jump that always leaves the straight path, and
 * neither a call nor a return. */
static inline bool listed_is_jump(const struct listed_instruction *one) {
  return one->ends && !one->returns && !one->call;
}

/* ---- listing.c ----
 *
 * A function that ends in a jump to another function (a tail call) leaves no
 * frame on the stack. So the target of a call may differ from the function of
 * the next inner frame. If exactly one path of jumps connects these two
 * functions, the functions on that path are the missing frames. Only direct
 * jumps are followed; jumps through registers are unknown.
 *
 *     struct jump_graph jumps;
 *     jumps_begin(&jumps, &listing);
 *     struct jump_path way = jumps_find_path(&jumps, call.target, address);
 *     ...
 *     jumps_free(&jumps);
 *
 * Cold code that was split off a function (NAME.cold) counts as part of that
 * function, and a linker's veneer as part of the function that it leads to. */

enum jump_path_count { JUMPS_NONE, JUMPS_ONE, JUMPS_SEVERAL };

/* A direct jump to another function. */
struct function_jump {
  uint32_t to;            /* number of that function's symbol */
  uint64_t place, next;   /* the jump, and the next instruction */
};

/* All jumps from one function to another function, at least one. */
struct jump_hop {
  const struct probe_symbol *function; /* the function that jumps */
  size_t first, count;                 /* range of jump_graph.list */
  uint32_t to;                         /* number of the target's symbol */
};

enum { JUMPS_MOST = 64 };

/* The path of jumps from one function to another function. */
struct jump_path {
  enum jump_path_count path_count; /* how many paths there are */
  size_t count;                /* number of hops; 0: both functions are the
                                  same */
  const struct jump_hop *hops; /* outermost first; only for JUMPS_ONE */
};

/* The jumps between the functions of a program, and the paths found so far. */
struct jump_graph {
  struct listing *listing;
  uint32_t *functions;         /* for each symbol, its function's symbol */
  struct function_part *parts; /* symbols of each function, by function */
  struct jump_node *nodes;     /* indexed by function symbol */
  uint32_t *reached; /* indexed by function symbol; see struct
                        reached_function_list */
  struct function_jump *list;
  struct jump_hop *hops; /* grouped by function */
  size_t count, hop_count;
  struct buffer path_hops; /* struct jump_hop, path by path */
  struct map known;   /* the path between two functions */
  uint64_t left;      /* hops that searches may still follow */
};

/* listing must live as long as jumps. */
void jumps_begin(struct jump_graph *jumps, struct listing *listing);
void jumps_free(struct jump_graph *jumps);

/* Returns the symbol of the function of which a symbol is a part. Mostly this
 * is the same symbol. */
const struct probe_symbol *
jumps_get_function(struct jump_graph *jumps, const struct probe_symbol *symbol);

/* Finds the path of jumps from the function that begins at `called` to the
 * function that contains the address `to`. JUMPS_SEVERAL means that the path is
 * not certain: several paths exist, the path has a loop, or a function could
 * not be decoded completely. hops is valid until the next call. */
struct jump_path jumps_find_path(struct jump_graph *jumps, uint64_t called,
                                 uint64_t to);

/* Opens the parts of the sampled program. */

struct sampled_program {
  struct elf elf;
  struct probes probes;
  struct elf_code code;
  struct dwarf dwarf;
  struct dwarf_lines lines;
  struct dwarf_scopes scopes;
  bool lined;              /* lines and scopes could be read */
  const char *debug_error; /* why PROGRAM_ALL could not read them; or NULL */
  struct listing listing;  /* the decoded instructions of the code */
  struct jump_graph jumps; /* the jumps between the program's functions */
};

/* Which parts of a program to read besides its symbols. */
enum program_part {
  PROGRAM_SYMBOLS, /* no other parts */
  PROGRAM_LINES,   /* lines, required; no probes */
  PROGRAM_PROBES,  /* probes, required */
  PROGRAM_ALL      /* probes, required; debug information if possible */
};

/* Opens a program. Returns NULL or the error. The caller calls program_close in
 * both cases. encoding is an enum probe_encoding. file must live as long as
 * program. */
const char *program_open(struct sampled_program *program, struct bytes file,
                         unsigned encoding, enum program_part part);
void program_close(struct sampled_program *program);

#endif
