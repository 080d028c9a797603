/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files for byte counters share; only they include this.
 * byte_counters.c takes a function's control-flow graph from cfg.c, the mapping
 * from counter_expressions.c and the places of stores from byte_places.c, and
 * writes the code.
 */
#ifndef CC_BYTE_COUNTERS_H
#define CC_BYTE_COUNTERS_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/map.h"
#include "../object/mapping.h"
#include "increment.h"
#include "steps.h"

enum { BYTE_COUNTERS_MOST = 1 << 30, COUNTERS_MOST = 1 << 20 };

/* ---- cfg.c ----
 *
 * The control-flow graph of a function. Each block and edge has a number that
 * stands for how often it runs. The numbers are random, except that for each
 * block the edges into it and the edges out of it have the same sum, as in
 * every run. Two sums that are equal for such numbers are equal in all runs. So
 * a counter expression is stored in the block or on the edge that has the
 * expression's number.
 *
 * clang leaves nested scopes through a variable that selects the next block.
 * The graph has one state of a block for each value that this variable can have
 * there. */

/* A jump from one block to another. */
struct cfg_edge {
  size_t from, to;       /* indices of blocks */
  struct text_part name; /* name of the block `to` in the text of the jump */
  bool unwinds; /* an exception or an asm goto, which no counter counts: the
                   block that it leads to starts a new count */
  bool splits;  /* a block can be inserted on this edge */
  bool chosen;  /* the variable chooses this edge if it has `value` */
  bool other;   /* the variable chooses this edge if no other edge has its
                   value */
  uint64_t value;
  uint64_t number;
  size_t split; /* number of the block that was inserted on the edge; 0: none */
};

/* A basic block. */
struct cfg_block {
  struct text_part name; /* name without %; empty: the first block */
  size_t begin, end;     /* first line of the body in the block, and the line
                            after the last */
  size_t place;       /* the first line before which a call may be inserted */
  size_t edges, last; /* first edge of the block in the list of edges, and the
                         edge after the last */
  bool traps;         /* control never leaves the block */
  bool sets;          /* the block sets the variable to `value` */
  uint64_t value;
  uint64_t number; /* 0: the block never runs */
};

/* A function's control-flow graph, in the memory of an arena. */
struct cfg {
  struct arena *memory;
  const struct text_part *lines; /* lines of the function's body */
  size_t line_count;
  struct cfg_block *blocks;
  struct cfg_edge *edges; /* NULL: a body with one block may have none */
  size_t block_count, edge_count;
};

/* Reads a body: the lines after the one with "define", up to "}". The caller
 * sets memory, lines and line_count. */
void cfg_parse(struct cfg *cfg);

/* Whether a block begins with this line. Sets *name to the block's name. */
bool cfg_is_block_label(struct text_part line, struct text_part *name);

/* ---- counter_expressions.c ----
 *
 * Finds the differences of counters in a module's coverage mappings, and writes
 * the mappings without them: each region whose counter is a difference gets a
 * new counter. */

/* A difference of counters that becomes a new counter. */
struct counter_difference {
  uint64_t counter; /* encoded as in mapping.h */
  bool wide;        /* a region with this counter is not empty. Empty ones are
                       conditions in a macro of a system header: clang subtracts
                       counters of other regions there, and no place in the code
                       counts the result */
};

/* The coverage mapping of one function, and its new counters. */
struct function_counters {
  struct function_counters *next;
  uint32_t number;   /* number of the function in the module */
  uint64_t name;     /* the MD5 of the function's name */
  uint64_t counters; /* number of clang's counters; 0: the code has none */
  struct counter_difference *differences;
  size_t count;
  struct counter_expression *expressions;
  size_t expression_count;
  size_t *order;   /* expressions, operands first */
  size_t *numbers; /* for each expression and sign, the new counter's number;
                      SIZE_MAX: none */
  struct text_part mapping; /* the mapping's text in the module; empty: none */
  size_t length;            /* size of the mapping in bytes */
  bool used;           /* false: the mapping is for code that nothing uses */
  uint64_t files;      /* the MD5 of the list of files */
  unsigned char *text; /* the new mapping */
  size_t size;         /* bytes of the new mapping; 0: unchanged */
  bool alone;          /* no other object has code of this function: its name is
                   private, and one body has all its counters */
  size_t body;         /* the number of this body; 0: none */
  long group;   /* number of the function's attribute group; -1: the function is
                   local, or without a group */
  bool may_drop; /* some of the function's byte counters may be implied by other
                   byte counters */
  uint64_t total; /* if `follows`, the number of byte counters */
  uint64_t hash;  /* hash of the structure; if `own`, also of the byte counters'
                     meaning */
  bool hash_has_counters;
  uint64_t bits;   /* number of MC/DC bits */
  size_t updates;  /* decisions whose outcomes the code stores */
  uint64_t symbol; /* the MD5 of the text after __profc_ in the symbol */
};

/* All functions of a module that have a name or a mapping. Begins as
 * module_functions_none. */
struct module_functions {
  struct function_counters *first, *last;
  uint32_t count;
  struct map known;       /* functions, by name and by symbol */
  struct mapping mapping; /* the mapping that is open */
  struct buffer record, written;
  struct arena memory;
};
extern const struct module_functions module_functions_none;

/* Returns the function of a name such as @__profn_f, or NULL. */
struct function_counters *
expressions_find_function(const struct module_functions *functions,
                          struct text_part symbol);

/* The results of checking a module. Begins with module_functions_none. */
struct module_check_result {
  struct module_functions functions;
  size_t bodies; /* number of bodies so far */
  long group;    /* attribute group of the last body; -1: none, or local */
  unsigned raw;  /* raw version that the module's clang writes; 0: unknown */
  bool old;      /* the module has MC/DC calls of clang 18 */
  bool done;     /* the module has byte counters already */
};

/* Reads a module of clang's front end, and checks it: every call that counts is
 * known and agrees with the coverage mapping. Raises an error if not. */
void expressions_check_module(struct module_check_result *check,
                              struct bytes module);

/* Decodes the mapping that clang wrote. The mapping is valid until the next
 * call. */
struct mapping *expressions_open_mapping(struct module_functions *functions,
                                         const struct function_counters *of);

/* Makes the open mapping the function's new mapping. */
void expressions_set_mapping(struct module_functions *functions,
                             struct function_counters *function);

/* Adds a number to a hash in which the order counts. The hash has 60 bits, as
 * index version 13 and later keep only 60 bits of a function's hash. */
uint64_t expressions_mix_hash(uint64_t sum, uint64_t number);

/* Replaces the differences with new counters, once the numbers of clang's
 * counters are known. */
void expressions_add_counters(struct module_functions *functions);

/* Writes a line outside functions, with the new mappings and their symbols. */
void expressions_print_line(const struct module_functions *functions,
                            struct text_part line, FILE *out);
void expressions_free(struct module_functions *functions);

/* Returns the values of all expressions if plain counters have these values,
 * modulo 2^64. */
uint64_t *expressions_evaluate(struct arena *memory,
                               const struct function_counters *function,
                               const uint64_t *values);

/* Returns a counter's value, given the values of plain counters and the result
 * of expressions_evaluate. */
uint64_t expressions_counter_value(const struct function_counters *function,
                                   uint64_t counter, const uint64_t *values,
                                   const uint64_t *sums);

/* Returns the number of a plain counter, or of the new counter for a
 * difference. Returns SIZE_MAX if the counter is a sum of other counters. */
size_t expressions_counter_number(const struct function_counters *function,
                                  uint64_t counter);

/* ---- cfg.c ----
 *
 * Finds the calls that always return. A function always returns if it has
 * neither loops nor assembly and calls only functions that always return. So
 * nothing can write a dump or jump away between the code before a call and the
 * code after it, and a byte counter before the call may be implied by one after
 * it. */

/* The functions of a module. Begins as call_effects_none. */
struct call_effects {
  struct map functions; /* map of the functions' effects; a key is the MD5 of a
                           name with @ */
  struct map blocks;    /* map of the current function's blocks; a key is the
                           MD5 of a name */
  struct call_edge *calls; /* calls in functions that may always return */
  size_t call_count;
  uint64_t function; /* MD5 of the current function's name; 0: may not return */
  struct arena memory;
};
extern const struct call_effects call_effects_none;

void call_effects_parse_line(struct call_effects *effects,
                             struct text_part line);

/* Decides which functions always return, after the last line. */
void call_effects_decide(struct call_effects *effects);

/* Whether the line calls a function that may not return. */
bool call_effects_may_not_return(const struct call_effects *effects,
                                 struct text_part line);

void call_effects_free(struct call_effects *effects);

/* ---- byte_counters.c, byte_places.c ---- */

extern const char byte_counters_unknown[];

/* The state of byte_counters.c while it reads and writes a module. */
struct byte_counter_rewriter {
  struct byte_counters *result;
  FILE *out;
  struct bytes module;
  struct call_effects effects;
  struct module_check_result check;
  struct arena memory;     /* memory for the current function */
  struct text_part *lines; /* the current function's body */
  size_t line_count;
  struct text_part block;  /* name of the block with the last line; empty: the
                             first block */
  struct text_part *steps; /* increments by 0 or 1 in this body: their blocks,
                              whose rest gets another name */
  size_t step_count;
  struct map copied; /* attribute groups of functions that other objects may
                        have, too */
  bool declared; /* the module declares the intrinsic, so its bitcode has byte
                    counters already */
};

/* A place in the code where a byte counter could be stored. */
struct byte_counter_place {
  size_t line; /* the store goes before this line; SIZE_MAX: on the edge */
  size_t edge;
  bool own; /* clang's own increment is in this line */
  struct intrinsic_call call;
  struct function_counters *function;
  const uint32_t *from; /* if the store is dropped: the places that imply it */
  size_t from_count;
  bool dropped;
  uint64_t number; /* the byte counter's number; BYTE_COUNTER_NONE: no region
                      needs it */
};
#define BYTE_COUNTER_NONE UINT64_MAX

/* A counter of the mapping, and a place where it is stored. */
struct byte_counter_use {
  size_t place;
  uint64_t index;
};

/* A store to byte counter `index` of a function with `count` byte counters. */
struct byte_counter_store {
  size_t line, edge;
  const struct intrinsic_call *call;
  uint64_t count, index;
};

/* The body of one function while its byte counters are placed. Lists are in the
 * reader's memory. */
struct function_body {
  struct byte_counter_rewriter *reader;
  struct arena *memory;
  struct cfg cfg;
  struct map known;   /* places + 1; a key is a function, line and edge */
  struct map numbers; /* blocks, edges or runs of edges; a key is a number
                         and a shape */
  size_t *edges_by_target; /* edges, sorted by target block */
  size_t *endless_edges;   /* edges into endless loops */
  size_t into_count;
  size_t tries; /* sums tried so far */
  struct byte_counter_place *places;
  size_t place_count;
  struct byte_counter_use *uses;
  size_t use_count;
  uint32_t *drops; /* dropped places, in the order of dropping */
  size_t drop_count;
  struct byte_counter_store *stores; /* sorted by line */
  size_t store_count;
  size_t splits;
};

/* Returns the number of a function's byte counters, without MC/DC. */
static inline uint64_t
count_byte_counters(const struct function_counters *function) {
  return function->may_drop ? function->total
                            : function->counters + function->count;
}

/* Finds the places of all byte counters. */
void byte_places_choose(struct function_body *body);

/* Drops the stores of byte counters that other byte counters imply. */
void byte_drop_implied_places(struct function_body *body);

/* ---- byte_mcdc.c ----
 *
 * MC/DC with a byte counter for each bit. Their numbers follow the numbers of
 * the function's other byte counters. */

/* Returns the number of the function's bytes for MC/DC. */
uint64_t byte_mcdc_count_bytes(const struct byte_counter_rewriter *reader,
                               const struct function_counters *function);

/* Writes a line with an MC/DC intrinsic if bits are byte counters. Returns
 * false for all other lines, which the caller writes. */
bool byte_mcdc_print_line(struct byte_counter_rewriter *reader,
                          struct text_part line);

/* Stores the numbers that byte_counters_finish_lowered checks later. */
void byte_mcdc_plan_numbers(const struct byte_counter_rewriter *reader);

#endif
