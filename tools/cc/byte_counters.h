/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the common parts of the files for byte counters; only they include
 * this header. byte_counters.c takes a function's control-flow graph from
 * cfg.c, the mapping from counter_expressions.c and the places of stores from
 * byte_places.c, and writes the code.
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
 * Builds the control-flow graph of a function. Each block and edge has a number
 * that stands for how often it runs. The numbers are random, but for each block
 * the numbers of the incoming edges and the numbers of the outgoing edges have
 * the same sum, because this is true of every run. Two sums that are equal for
 * such numbers are equal in all runs. So a counter expression is stored in the
 * block or on the edge that has the expression's number.
 *
 * clang leaves nested scopes through a variable that selects the next block. If
 * this variable can have several values in a block, the graph contains the
 * block once for each value. */

/* A jump from one block to another. */
struct cfg_edge {
  size_t from, to;       /* the indices of the blocks */
  struct text_part name; /* the name of the block `to` in the text of the
                            jump */
  bool unwinds; /* an exception or an asm goto takes this edge, and no counter
                   counts it: the block `to` starts a new count */
  bool splits;  /* a block can be inserted on this edge */
  bool chosen;  /* the variable chooses this edge if it has the value `value` */
  bool other;   /* the variable chooses this edge if no other edge has its
                   value */
  uint64_t value;
  uint64_t number;
  size_t place; /* the index of the edge's last place + 1 */
  size_t split; /* the number of the block that was inserted on the edge; 0:
                   none */
};

/* A basic block. */
struct cfg_block {
  struct text_part name; /* the name without %; empty: the first block */
  size_t begin, end;     /* the first line of the block's body, and the line
                            after its last line */
  size_t place;       /* the first line before which a call may be inserted */
  size_t edges, last; /* the index of the block's first edge in the list of
                         edges, and the index after its last edge */
  bool traps;         /* control never leaves the block */
  bool sets;          /* the block sets the variable to `value` */
  uint64_t value;
  uint64_t number; /* the block's number; 0: the block never runs */
};

/* A function's control-flow graph, in the memory of an arena. */
struct cfg {
  struct arena *memory;
  const struct text_part *lines; /* the lines of the function's body */
  size_t line_count;
  struct cfg_block *blocks;
  struct cfg_edge *edges; /* the edges; NULL if a body of one block has none */
  size_t block_count, edge_count;
};

/* Parses a body: the lines after the line with "define", up to "}". The caller
 * sets memory, lines and line_count. */
void cfg_parse(struct cfg *cfg);

/* Returns whether a line begins a block. Sets *name to the block's name. */
bool cfg_parse_block_label(struct text_part line, struct text_part *name);

/* ---- counter_expressions.c ----
 *
 * Finds the differences of counters in a module's coverage mappings, and writes
 * the mappings without them: each region whose counter is a difference gets a
 * new counter. */

/* A difference of counters that becomes a new counter. */
struct counter_difference {
  uint64_t counter; /* the difference, encoded as in mapping.h */
  bool wide;        /* a region with this counter is not empty. Empty regions
                       are conditions in a macro of a system header: clang
                       subtracts counters of other regions there, and no place
                       in the code counts the result */
};

/* The coverage mapping of one function, and its new counters. */
struct function_counters {
  struct function_counters *next;
  uint32_t number;   /* the function's number in the module */
  uint64_t name;     /* the MD5 of the function's name */
  uint64_t counters; /* the number of clang's counters, or 0 */
  struct counter_difference *differences;
  size_t count;
  struct counter_expression *expressions;
  size_t expression_count;
  size_t *order;   /* the expressions of the mapping; operands come before the
                      expressions that use them */
  size_t *numbers; /* for each expression and sign, the number of the new
                      counter; SIZE_MAX: none */
  struct text_part mapping; /* the mapping's text in the module; empty: none */
  size_t length;            /* the size of the mapping in bytes */
  bool used;           /* false if the mapping is for code that nothing uses */
  uint64_t files;      /* the MD5 of the list of files */
  unsigned char *text; /* the bytes of the new mapping */
  size_t size;         /* the size of the new mapping in bytes; 0: the mapping
                          is unchanged */
  bool alone;          /* no other object has code of this function, because its
                          name is private and one body has all its counters */
  size_t body;         /* the number of this body; 0: none */
  long group;          /* the number of the function's attribute group; -1: the
                   function is local, or lacks a group */
  bool scattered;      /* several bodies have its counters */
  bool sums;           /* the mapping gets sums of byte counters */
  uint64_t total;      /* the number of byte counters if `sums` is set */
  uint64_t hash; /* the hash of the structure; if `own` is set, the hash also
                     covers the meaning of the byte counters */
  bool hash_has_counters;
  uint64_t bits;   /* the number of MC/DC bits */
  size_t updates;  /* the number of decisions whose outcomes the code stores */
  uint64_t symbol; /* the MD5 of the text after __profc_ in the symbol */
};

/* All functions of a module that have a name or a mapping. Begins as
 * module_functions_none. */
struct module_functions {
  struct function_counters *first, *last;
  uint32_t count;
  struct map known;       /* map of the functions, by name and by symbol */
  struct mapping mapping; /* the mapping that was decoded last */
  struct buffer record, written;
  struct arena memory;
};
extern const struct module_functions module_functions_none;

/* Returns the function for a variable's name such as @__profn_f, or NULL. */
struct function_counters *
expressions_find_function(const struct module_functions *functions,
                          struct text_part symbol);

/* The results of checking a module. Begins with module_functions_none. */
struct module_check_result {
  struct module_functions functions;
  size_t bodies; /* the number of bodies read so far */
  long group;    /* the attribute group of the last body; -1: the body is local,
                    or lacks a group */
  unsigned raw;  /* the version of raw profiles that the module's clang writes;
                    0: unknown */
  bool old;      /* the module has MC/DC calls of clang 18 */
  bool done;     /* the module has byte counters already */
};

/* Reads a module of clang's front end, and checks that every call that counts
 * is known and agrees with the coverage mapping. Raises an error if not. */
void expressions_parse_and_check(struct module_check_result *check,
                                 struct bytes module);

/* Decodes the mapping that clang wrote for a function. The result is valid
 * until the next call. */
struct mapping *expressions_decode_mapping(struct module_functions *functions,
                                           const struct function_counters *of);

/* Encodes the mapping that was decoded last as the function's new mapping. */
void expressions_encode_mapping(struct module_functions *functions,
                                struct function_counters *function);

/* Adds a number to a hash that depends on the order of the numbers. The hash
 * has 60 bits, because index version 13 and later keep only 60 bits of a
 * function's hash. */
uint64_t expressions_mix_hash(uint64_t sum, uint64_t number);

/* Gives each difference a new counter. Call it when the numbers of clang's
 * counters are known. */
void expressions_replace_differences(struct module_functions *functions);

/* Writes a line outside functions. Replaces the mappings in the line, and their
 * symbols, with the new ones. */
void expressions_print_global_line(const struct module_functions *functions,
                                   struct text_part line, FILE *out);
void expressions_free(struct module_functions *functions);

/* Returns the values of all expressions, modulo 2^64, for the given values of
 * the plain counters. */
uint64_t *expressions_evaluate(struct arena *memory,
                               const struct function_counters *function,
                               const uint64_t *values);

/* Returns the value of a counter, given the values of the plain counters and
 * the result of expressions_evaluate. */
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
 * neither loops nor assembly and calls only functions that always return. In
 * such a function nothing can write a dump or jump away. So a byte counter
 * after a call of such a function may imply a byte counter before the call. */

/* The functions of a module. Begins as call_effects_none. */
struct call_effects {
  struct map functions; /* map of the known facts about the functions; the key
                           is the MD5 of a name with @ */
  struct map blocks;    /* map of the current function's blocks; the key is the
                           MD5 of a name */
  struct call_edge *calls; /* the calls in functions that may turn out to always
                              return */
  size_t call_count;
  uint64_t function; /* the MD5 of the current function's name; 0: none, or the
                        function need not be read further */
  struct arena memory;
};
extern const struct call_effects call_effects_none;

void call_effects_parse_line(struct call_effects *effects,
                             struct text_part line);

/* Decides which functions always return. Call it after the last line. */
void call_effects_decide(struct call_effects *effects);

/* Returns whether the line calls a function that is not known to always return.
 */
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
  struct arena memory;     /* the memory for the current function */
  struct text_part *lines; /* the lines of the current function's body */
  size_t line_count;
  struct text_part block;  /* the name of the block that contains the last line;
                              empty: the first block */
  struct text_part *steps; /* the blocks of increments by 0 or 1 in this body;
                              the rest of each block gets another name */
  size_t step_count;
  struct map copied_groups; /* map of the attribute groups of functions that
                               other objects may have, too */
  bool declared; /* the module declares the intrinsic of byte counters, so its
                    bitcode has byte counters already */
};

/* A place in the code where a byte counter could be stored. */
struct byte_counter_place {
  size_t line; /* the line before which the store goes; SIZE_MAX: the store is
                  on the edge */
  size_t edge;
  bool own; /* the line contains clang's own increment */
  struct intrinsic_call call;
  struct function_counters *function;
  const uint32_t *from; /* the places whose counters imply this one, if the
                           store is dropped */
  size_t from_count;
  uint64_t *implying; /* the set of kept places that imply a dropped one */
  bool dropped;
  uint64_t number; /* the byte counter's number; BYTE_COUNTER_NONE: no region
                      needs this place */
};
#define BYTE_COUNTER_NONE UINT64_MAX

/* A counter of the mapping, and adjacent places of the stores for it. Each case
 * of a switch may need a store in all other cases, so places are not listed one
 * by one. */
struct byte_counter_use {
  size_t place, count;
  uint64_t index;
};

/* A store to byte counter `index` of a function with `count` byte counters. */
struct byte_counter_store {
  size_t line, edge;
  const struct intrinsic_call *call;
  uint64_t count, index;
};

/* The body of one function while the places of its byte counters are chosen.
 * The lists are in the reader's memory. */
struct function_body {
  struct byte_counter_rewriter *reader;
  struct arena *memory;
  struct cfg cfg;
  struct map known;   /* map of places; the key is a function, a line and an
                         edge, the value is the place's index + 1 */
  struct map numbers; /* map of blocks, edges or runs of edges; the key is a
                         number and a shape */
  size_t *edges_by_target; /* the edges, sorted by target block */
  size_t *endless_edges;   /* the edges into endless loops */
  size_t endless_count;
  size_t tries; /* the number of sums tried so far, at most TRIES_MOST */
  struct byte_counter_place *places;
  size_t place_count;
  struct byte_counter_use *uses;
  size_t use_count;
  size_t store_most; /* the number of stores if each use keeps its own */
  uint32_t *drops;   /* the dropped places, in the order of dropping */
  size_t drop_count;
  struct byte_counter_store *stores; /* the stores, sorted by line */
  size_t store_count;
  size_t splits; /* the number of blocks that were inserted on edges */
};

/* Returns the number of a function's byte counters, except those for MC/DC. */
static inline uint64_t
count_byte_counters(const struct function_counters *function) {
  return function->sums ? function->total
                        : function->counters + function->count;
}

/* Finds the places of all byte counters. */
void byte_places_choose(struct function_body *body);

/* Drops the stores of byte counters that other byte counters imply. */
void byte_drop_implied_places(struct function_body *body);

/* ---- byte_mcdc.c ----
 *
 * Implements MC/DC with a byte counter for each bit. These byte counters are
 * numbered after the function's other byte counters. */

/* Returns the number of byte counters for a function's MC/DC. */
uint64_t byte_mcdc_count_bytes(const struct byte_counter_rewriter *reader,
                               const struct function_counters *function);

/* Writes a line that contains an MC/DC intrinsic, if MC/DC uses byte counters.
 * Returns false for all other lines, which the caller writes. */
bool byte_mcdc_print_if_intrinsic(struct byte_counter_rewriter *reader,
                                  struct text_part line);

/* The beginning of a line that loads an outcome's number. */
extern const char byte_mcdc_index_word[];

/* ---- byte_lowered.c ---- */

/* Stores the numbers that byte_lowered_rewrite_module checks later. */
void byte_lowered_note_expectations(const struct byte_counter_rewriter *reader);

#endif
