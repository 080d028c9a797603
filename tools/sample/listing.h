/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the code at the addresses of the sampled program: its instructions, the
 * jumps between its functions, and its debug information. sample_rates.h and
 * build.h look up the addresses of samples with these functions.
 */
#ifndef BAREPROF_TOOLS_LISTING_H
#define BAREPROF_TOOLS_LISTING_H

#include "../base/storage.h"
#include "../code/code.h"
#include "../object/dwarf.h"
#include "../probe/probe.h"

struct function_hops;
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

/* Says whether the link register holds the return address. The register holds
 * this address from the entry on, along every path without a call and without a
 * save of the register, and again from a restore to the block's end. After a
 * save the register may hold the return address or data. A call overwrites the
 * register. */
enum link_state { LINK_LOST, LINK_MAY_LIVE, LINK_LIVES };

/* A decoded instruction. */
struct listed_instruction {
  uint64_t address;
  uint64_t target; /* only set if `direct` is true */
  uint8_t length;  /* length of the instruction in bytes */
  uint8_t link;    /* an enum instruction_link */
  /* The enum link_state before the instruction runs. See
   * listing_get_link_state. */
  uint8_t live;
  bool call, branch;          /* both are derived from enum instruction_kind */
  bool direct, returns, ends; /* these are as in struct instruction */
  bool leader;                /* a block begins at the instruction */
};

/* A direct jump out of a symbol's code. */
struct exit_jump {
  uint64_t place, next, to; /* addresses of the jump, the next instruction and
                               the target */
};

/* The instructions of one symbol. */
struct listed_function {
  size_t first, count;      /* range of the symbol's instructions in
                               listing.list */
  size_t jumps, jump_count; /* range of the direct jumps out of the function:
                               see exit_jump */
  bool known, linked;       /* `known`: the members `first` to `jump_count`
                               are set; `linked`: `live` is set in all
                               instructions */
  bool whole;               /* all bytes of the function could be decoded */
};

/* All functions that have been decoded so far. */
struct listing {
  const struct probes *probes;
  const struct elf_code *code;
  struct listed_function *functions; /* the functions, indexed by symbol; NULL
                                        before the first request */
  struct listed_instruction *list;
  struct exit_jump *jumps;
  size_t count, jump_count;
  const struct code_symbol *last; /* the symbol of the last request */
};

/* Starts a listing without decoded functions. probes and code must live as long
 * as listing. */
void listing_begin(struct listing *listing, const struct probes *probes,
                   const struct elf_code *code);
void listing_free(struct listing *listing);

/* Returns the instructions of a symbol. The number of instructions is
 * (*function)->count. */
const struct listed_instruction *
listing_get_instructions(struct listing *listing,
                         const struct code_symbol *symbol,
                         const struct listed_function **function);

/* Returns the instruction that begins at an address, or NULL. */
const struct listed_instruction *listing_find_at(struct listing *listing,
                                                 uint64_t address);

/* Returns the first instruction at or after an address, in the same symbol or
 * in the symbol right after it. Returns NULL without such an instruction. */
const struct listed_instruction *
listing_find_at_or_after(struct listing *listing, uint64_t address);

/* Returns the state of the link register before the instruction at pc. Each
 * function is analysed once, in linear time. */
enum link_state listing_get_link_state(struct listing *listing, uint64_t pc);

/* Returns whether the instruction is a jump after which the next instruction
 * never runs, but neither a call nor a return. */
static inline bool listed_always_jumps(const struct listed_instruction *one) {
  return one->ends && !one->returns && !one->call;
}

/* ---- listing.c ----
 *
 * Finds functions that are missing on a stack. A function that ends in a jump
 * to another function (a tail call) leaves no frame on the stack. So the target
 * of a call may be another function than the function of the next inner frame.
 * If exactly one path of jumps connects these two functions, the functions on
 * that path are the missing frames. Only direct jumps are followed; jumps
 * through registers are unknown.
 *
 *     struct jump_graph jumps;
 *     jumps_begin(&jumps, &listing);
 *     struct jump_path path = jumps_find_path(&jumps, call.target, address);
 *     ...
 *     jumps_free(&jumps);
 *
 * Cold code that was split off a function (NAME.cold) counts as part of that
 * function. A linker's veneer counts as part of the function to which it leads.
 */

enum jump_path_count { JUMPS_NONE, JUMPS_ONE, JUMPS_SEVERAL };

/* A direct jump to another function. */
struct function_jump {
  uint32_t to;          /* number of the symbol of that function */
  uint64_t place, next; /* addresses of the jump and of the next
                             instruction */
};

/* All jumps from one function to one other function, which are at least one. */
struct jump_hop {
  const struct code_symbol *function; /* the function that jumps */
  size_t first, count;                /* range of the jumps in
                                          jump_graph.list */
  uint32_t to;                        /* number of the target's symbol */
};

enum { JUMPS_MOST = 64 };

/* The path of jumps from one function to another function. */
struct jump_path {
  enum jump_path_count path_count; /* number of paths: none, one or several */
  size_t count;                    /* number of hops; 0: both functions are the
                                  same */
  const struct jump_hop *hops;     /* the hops, outermost first; only set for
                                  JUMPS_ONE */
};

/* The jumps between the functions of a program, and the paths found so far. */
struct jump_graph {
  struct listing *listing;
  uint32_t *functions;         /* for each symbol, the number of its function's
                                  symbol */
  struct function_part *parts; /* the symbols of each function, sorted by
                                  function */
  struct function_hops *nodes; /* the nodes, indexed by function symbol */
  uint32_t *reached; /* as in struct reached_function_list, indexed by function
                        symbol */
  struct function_jump *list;
  struct jump_hop *hops; /* the hops, grouped by function */
  size_t count, hop_count;
  struct buffer path_hops; /* the hops of the paths found, path after path;
                              elements are struct jump_hop */
  struct map known;        /* maps two functions to the path between both */
  uint64_t left;           /* number of hops that searches may still follow */
};

/* Starts a graph. listing must live as long as jumps. */
void jumps_begin(struct jump_graph *jumps, struct listing *listing);
void jumps_free(struct jump_graph *jumps);

/* Returns the symbol of the function to which a symbol belongs. For most
 * symbols this is the symbol itself. */
const struct code_symbol *jumps_get_function(struct jump_graph *jumps,
                                             const struct code_symbol *symbol);

/* Finds the path of jumps from the function that begins at `called` to the
 * function that contains the address `to`. JUMPS_SEVERAL means that the path is
 * not certain: several paths exist, the path has a loop, or a function could
 * not be decoded completely. The result's hops are valid until the next call.
 */
struct jump_path jumps_find_path(struct jump_graph *jumps, uint64_t called,
                                 uint64_t to);

/* ---- sample_match.c ----
 *
 * Opens the parts of the sampled program.
 */

struct sampled_program {
  struct elf elf;
  struct probes probes;
  struct elf_code code;
  struct dwarf dwarf;
  struct dwarf_lines lines;
  struct dwarf_scopes scopes;
  bool lined;              /* the lines and scopes of the debug information
                              could be read */
  const char *debug_error; /* the reason why PROGRAM_ALL could not read lines
                              and scopes; or NULL */
  struct listing listing;  /* the decoded instructions of the code */
  struct jump_graph jumps; /* the jumps between the program's functions */
};

/* The parts of a program that are read in addition to the symbols. */
enum program_part {
  PROGRAM_SYMBOLS, /* no parts except the symbols */
  PROGRAM_LINES,   /* lines, which are required, but no probes */
  PROGRAM_PROBES,  /* probes, which are required */
  PROGRAM_ALL      /* probes, which are required, and debug information if
                      possible */
};

/* Opens a program. `encoding` is an enum probe_encoding. Returns NULL or the
 * error. The caller calls program_close in both cases. file must live until
 * then. */
const char *program_open(struct sampled_program *program, struct bytes file,
                         unsigned encoding, enum program_part part);
void program_close(struct sampled_program *program);

#endif
