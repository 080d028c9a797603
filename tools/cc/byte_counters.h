/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files for byte counters (`flags`) share; only they include this.
 * byte_counters.c takes a function's control-flow graph from cfg.c, the mapping
 * from counter_expressions.c and the places of stores from byte_places.c, and
 * writes the code.
 */
#ifndef CC_BYTE_COUNTERS_H
#define CC_BYTE_COUNTERS_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/map.h"
#include "../base/error.h"
#include "../base/flow_graph.h"
#include "../object/mapping.h"
#include "increment.h"
#include "steps.h"

/* ---- cfg.c ----
 *
 * The control-flow graph of a function, with a number for each block and edge
 * that says how often it runs, as far as the graph determines that. The numbers
 * are random, but what flows into a block also flows out. Two sums that are
 * equal for such numbers are equal in all runs. So a counter expression is
 * stored in the block or on the edge that has the expression's number.
 *
 * clang leaves nested scopes through a variable that says where to go next. The
 * graph has one state of a block for each value that this variable can have
 * there. */

/* A jump from one block to another. */
struct cfg_edge {
  size_t from, to;     /* blocks */
  struct text_part name; /* the block's name, at its place in the jump */
  bool unwinds;        /* an exception or an asm goto, which no counter counts:
                          the block that it leads to starts a new count */
  bool splits;         /* a block can be inserted on this edge */
  bool chosen;         /* the variable chooses this edge if it has `value` */
  bool other;          /* the variable chooses this edge if no other edge has
                          its value */
  uint64_t value;
  uint64_t number;
  size_t split; /* number of the block that was inserted on the edge; 0: none */
};

/* A basic block. */
struct cfg_block {
  struct text_part name; /* without %; empty: the first block */
  size_t begin, end;   /* lines of the body, from, up to */
  size_t place;        /* the first line before which a call may be inserted */
  size_t edges, last;  /* of the block, in the list of edges: from, up to */
  bool traps;          /* control never leaves it */
  bool sets;           /* the block sets the variable to `value` */
  uint64_t value;
  uint64_t number; /* 0: the block never runs */
};

/* A function's control-flow graph. */
struct cfg {
  const struct text_part
      *lines; /* the lines of the function's body, not owned */
  size_t line_count;
  struct buffer blocks, edges;
  size_t block_count, edge_count;
};

static inline struct cfg_block *cfg_blocks(const struct cfg *flow) {
  return (struct cfg_block *)flow->blocks.data;
}

static inline struct cfg_edge *cfg_edges(const struct cfg *flow) {
  return (struct cfg_edge *)flow->edges.data;
}

/* Reads a body: the lines after the one with "define", up to "}". Returns NULL
 * or the error. The caller calls cfg_free in both cases. The graph refers to
 * the lines. */
const char *cfg_read(struct cfg *flow, const struct text_part *lines,
                     size_t count);
void cfg_free(struct cfg *flow);

/* Whether a block begins with this line. Sets *name to the block's name. */
bool cfg_is_block_label(struct text_part line, struct text_part *name);

/* ---- counter_expressions.c ----
 *
 * Finds the differences of counters in a module's coverage mappings, and writes
 * the mappings without them: each region whose counter is a difference gets a
 * new counter. */

/* A difference of counters that becomes a new counter. */
struct difference {
  uint64_t counter; /* encoded as in mapping.h */
  bool wide;        /* a region with this counter is not empty. Empty ones are
                       conditions in a macro of a system header: clang subtracts
                       counters of other regions there, and no place in the code
                       counts the result */
};

/* The coverage mapping of one function, and its new counters. */
struct function_counters {
  uint64_t name;     /* the MD5 of the function's name */
  uint64_t counters; /* number of clang's counters; 0: the code has none */
  struct difference *list;
  size_t count;
  struct counter_expression *expressions;
  size_t expression_count;
  size_t *order;          /* expressions, operands first */
  size_t *numbers;        /* the new counters' numbers, by expression and sign;
                             SIZE_MAX: none */
  struct text_part mapping; /* the mapping's string in the module; empty: no
                             mapping */
  size_t length;          /* size of the mapping in bytes */
  bool used;              /* false: the mapping is for code that nothing uses */
  uint64_t files;         /* the MD5 of the list of files */
  struct buffer record;   /* the new mapping record; empty: unchanged */
  size_t size;            /* size of the new record without its header */
  bool alone;   /* no other object has code of this function: its name is
                   private, and one body has all its counters */
  size_t body;  /* the number of this body; 0: none */
  long group;   /* number of the function's attribute group; -1: the function is
                   local, or without a group */
  bool follows; /* some of its byte counters may be implied by others */
  uint64_t total; /* if so, the number of byte counters */
  uint64_t hash;  /* of the structure; if `own`, also of the byte counters'
                     meaning */
  bool own;
  uint64_t bits;   /* number of MC/DC bits */
  size_t updates;  /* decisions whose outcomes the code stores */
  uint64_t symbol; /* the MD5 of what follows __profc_ in its symbol */
};

/* All functions of a module that have a name or a mapping. */
struct module_functions {
  struct buffer list; /* struct function_counters */
};

enum { DIFFERENCE_PARTS = 256 };

/* Returns the map's first key for a name such as @__profn_f. */
uint64_t expressions_name_key(struct text_part name);

/* Reads a global variable's line: a function's name or mapping. Returns NULL or
 * the error. */
const char *expressions_parse_line(struct module_functions *differences,
                                   struct map *known, struct text_part line);

/* Decodes the mapping that clang wrote. The caller closes the mapping and frees
 * the record in both cases. Returns NULL or the error. */
const char *expressions_open_mapping(const struct function_counters *function,
                                     struct mapping *mapping,
                                     struct buffer *record);

/* Makes a mapping the function's new record. Returns NULL or the error. */
const char *expressions_set_mapping(struct function_counters *function,
                                    const struct mapping *mapping);

/* Adds a number to a hash in which the order counts. The hash has 60 bits, as
 * index version 13 and later keep only 60 bits of a function's hash. */
uint64_t expressions_mix_hash(uint64_t sum, uint64_t number);

/* Replaces the differences with new counters, once the numbers of clang's
 * counters are known. Returns NULL or the error. */
const char *expressions_add_counters(struct module_functions *differences);

/* Writes a line outside functions, with the new mappings and their symbols.
 * Returns NULL or the error. */
const char *expressions_print_line(const struct module_functions *differences,
                                   const struct map *known,
                                   struct text_part line, FILE *out);
void expressions_free(struct module_functions *differences);

/* Returns the function that has this value in the map. */
struct function_counters *
expressions_function_at(const struct module_functions *differences,
                        size_t number);

/* Returns the values of all expressions if plain counters have these values,
 * modulo 2^64; NULL: out of memory. The caller frees the array. */
uint64_t *expressions_evaluate(const struct function_counters *function,
                               const uint64_t *values);

/* Returns a counter's value, given the values of plain counters and the result
 * of expressions_evaluate. */
uint64_t expressions_counter_value(const struct function_counters *function,
                                   uint64_t counter, const uint64_t *values,
                                   const uint64_t *sums);

/* Returns the number of a plain counter, or of the new counter for a
 * difference; SIZE_MAX: a sum of others. */
size_t expressions_counter_number(const struct function_counters *function,
                                  uint64_t counter);

/* Sets the two operands of a sum. Returns false if the counter is not a sum. */
bool expressions_sum_operands(const struct function_counters *function,
                              uint64_t counter, uint64_t parts[2]);

/* ---- cfg.c ----
 *
 * Quiet functions: those that always return and call only quiet functions.
 * Quiet functions contain neither loops nor assembly. So nothing can write a
 * dump or jump away between the code before a call and the code after it, and a
 * byte counter before the call may be implied by one after it. */

/* The functions of a module; call_effects_free frees the maps. */
struct call_effects {
  struct map functions; /* the state of each function, by the MD5 of its name
                           with @ */
  struct map blocks;    /* blocks of the current function, by the MD5 of their
                           names */
  struct buffer calls;  /* struct call_edge: calls in functions that may be
                           quiet */
  uint64_t function;    /* the current function, the MD5 of its name; 0: it is
                           not quiet */
};

/* The initial value of struct call_effects. */
extern const struct call_effects call_effects_none;

/* Reads a line of the module. Returns NULL or the error. */
const char *call_effects_read(struct call_effects *quiet,
                              struct text_part line);

/* Decides which functions are quiet, after the last line. */
void call_effects_settle(struct call_effects *quiet);

/* Whether the line calls a function that is not quiet. */
bool call_effects_may_leave(const struct call_effects *quiet,
                            struct text_part line);

void call_effects_free(struct call_effects *quiet);

enum { BYTE_COUNTERS_MOST = 1 << 30 };

static const char byte_counters_unknown[] =
    "the counters have an unsupported format; compile with clang 14 to 23, or "
    "with --counters=64";

/* What byte_counters.c knows of a module while it reads and writes it. */
struct byte_counter_reader {
  struct byte_counters *flags;
  FILE *out;
  const char *end;
  bool keeps; /* also store byte counters that others imply */
  bool bytes; /* a byte for each bit of MC/DC */
  struct call_effects quiet;
  struct map known; /* functions, by the MD5 of @__profn_f */
  struct module_functions list;
  struct buffer lines;    /* struct text_part: the current function's body */
  struct text_part block; /* name of the block with the last line; empty: the
                           first block */
  struct buffer steps;  /* struct choice_step: in this body */
  size_t bodies;        /* number of bodies so far */
  long group;           /* attribute group of the last body; -1: none, or
                           local */
  struct map copied;    /* attribute groups of functions that other objects may
                           have, too */
  unsigned raw;
  bool declared; /* the module declares the intrinsic, so its bitcode has byte
                    counters already */
};

/* An increment by a value that is 0 or 1. A jump replaces it, so the rest of
 * the block gets another name. */
struct choice_step {
  struct text_part block;
  char *lines;
  size_t number;
};

/* A place in the code where a byte counter could be stored. */
struct byte_counter_place {
  size_t line; /* the store goes before this line; SIZE_MAX: on the edge */
  size_t edge;
  bool own; /* clang's own increment is in this line */
  struct intrinsic_call call;
  struct function_counters *function;
  size_t from, last; /* if the store is dropped: the places that imply it, a
                        range of body.from */
  bool dropped;
  uint64_t
      number; /* of the byte counter; BYTE_COUNTER_NONE: no region needs it */
};
#define BYTE_COUNTER_NONE UINT64_MAX

/* A counter of the mapping that is stored at a place. */
struct byte_counter_use {
  size_t place;
  uint64_t index;
};

/* A store of a byte counter: `index` of `count`. */
struct byte_counter_store {
  size_t line, edge;
  const struct intrinsic_call *call;
  uint64_t count, index;
};

/* The body of one function while its byte counters are placed. */
struct counted_body {
  struct byte_counter_reader *reader;
  struct cfg cfg;
  struct map known;   /* places + 1, by function, line and edge */
  struct buffer in;   /* size_t: edges, sorted by the blocks to which they
                         lead */
  struct buffer into; /* size_t: edges into endless loops */
  struct map numbers; /* blocks, edges or runs of edges, by number and shape */
  size_t tries;       /* sums tried so far */
  struct buffer places, uses;
  struct buffer from;   /* size_t: places that imply others */
  struct buffer drops;  /* size_t: dropped places, in the order of dropping */
  struct buffer stores; /* struct byte_counter_store, sorted by line */
  size_t splits;
};

static inline struct byte_counter_place *
body_places(const struct counted_body *body) {
  return (struct byte_counter_place *)body->places.data;
}

static inline size_t body_place_count(const struct counted_body *body) {
  return body->places.size / sizeof(struct byte_counter_place);
}

enum { COUNTERS_MOST = 1 << 20 };

/* Returns the function whose counter a call increments; NULL: its name is not
 * in the module. */
static inline struct function_counters *
byte_find_function(const struct byte_counter_reader *reader,
                   const struct intrinsic_call *call) {
  const uint64_t *number =
      map_find(&reader->known, expressions_name_key(call->function), 0, 0);
  return number ? expressions_function_at(&reader->list, (size_t)*number)
                : NULL;
}

/* Returns the number of a function's byte counters, without MC/DC. */
static inline uint64_t
byte_counter_count(const struct function_counters *function) {
  return function->follows ? function->total
                           : function->counters + function->count;
}

/* ---- coverage_jobs.c ----
 *
 * MC/DC whose bits are byte counters, numbered after the function's others. */

/* Returns the number of MC/DC's bytes. */
static inline uint64_t
byte_mcdc_count(const struct byte_counter_reader *reader,
                const struct function_counters *function) {
  /* clang 18 (raw version 9) has other MC/DC calls. */
  return reader->bytes && reader->raw > 9 ? function->bits : 0;
}

/* Stores the number of a function's MC/DC bits. Returns NULL or the error. */
const char *byte_mcdc_note_bits(struct byte_counter_reader *reader,
                                const struct intrinsic_call *call);

/* Writes a line with an MC/DC intrinsic if bits are byte counters. Returns
 * false for all other lines, which the caller writes. */
bool byte_mcdc_print_line(struct byte_counter_reader *reader,
                          struct text_part line);

/* Stores what byte_counters_finish checks. Returns NULL or the error. */
const char *byte_mcdc_store_plan(const struct byte_counter_reader *reader);

/* Finds the places of all byte counters. Returns NULL or the error. */
const char *byte_place_counters(struct counted_body *body);

/* Drops the stores of byte counters that others imply. Returns NULL or the
 * error. */
const char *byte_drop_implied(struct counted_body *body);

#endif
