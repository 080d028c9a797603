/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the files of flags share. Only they include this.
 */
#ifndef CC_FLAGS_INSIDE_H
#define CC_FLAGS_INSIDE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/map.h"
#include "../base/error.h"
#include "../base/ways.h"
#include "../object/mapping.h"
#include "increment.h"
#include "modes.h"

/* ---- cfg.c ----
 *
 * How often each place of a function runs, as far as its graph tells: numbers
 * for blocks and edges of which as much flows into a block as out of it, and
 * which are random otherwise. Two sums that are equal for such numbers are
 * equal for all runs, so a block or an edge is the place of an expression of
 * counters if its number is that of the expression.
 *
 * clang leaves scopes by a variable that says where to go on. A block is one
 * for each value that this variable may have there.
 */

struct cfg_edge {
  size_t from, to;     /* blocks */
  struct part name;    /* of the block, where the instruction has it */
  bool unwinds;        /* for an exception or from an asm goto, which no counter
                       counts: another count begins in the block */
  bool splits;         /* another block may be put between both */
  bool chosen;         /* by the variable, for this value: */
  bool other;          /* all others */
  uint64_t value;
  uint64_t number;
  size_t split; /* the number of a block between both; 0: none */
};

struct cfg_block {
  struct part name;    /* empty: the first one */
  size_t begin, end;   /* lines */
  size_t place;        /* the first line that calls may come before */
  size_t edges, last;  /* of it: from, up to */
  bool traps;          /* control never leaves it */
  bool sets;           /* the variable, to this value: */
  uint64_t value;
  uint64_t number; /* 0: it never runs */
};

/* Lists in buffers. */
struct cfg {
  const struct part *lines; /* of the function's body */
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

/* Reads a body: the lines behind the one with "define", up to "}". Returns NULL
 * or the error. The caller calls cfg_free in both cases. */
const char *cfg_read(struct cfg *flow, const struct part *lines, size_t count);
void cfg_free(struct cfg *flow);

/* Whether a block begins with this line, and its name. */
bool cfg_is_block(struct part line, struct part *name);

/* ---- differences.c ----
 *
 * The differences in the coverage mappings of a module, and the mappings again
 * without them: each region whose counter is a difference gets a new counter.
 */

struct difference {
  uint64_t counter; /* as mapping.h has it */
  bool wide;        /* a region with it has a width. Others are conditions for a
                       macro of a system header, where clang subtracts counters
                       of other regions: what they say is nowhere in the code */
};

/* Of a function. */
struct differences_of {
  uint64_t name;     /* the MD5 of its name */
  uint64_t counters; /* 0: nothing counts it */
  struct difference *list;
  size_t count;
  struct expression *expressions;
  size_t expression_count;
  size_t *order;          /* expressions, each behind its operands */
  size_t *numbers;        /* of the counters that expressions have become */
  struct part mapping;    /* in the module, its characters; empty: none */
  size_t length;          /* of it, in bytes */
  bool used;              /* it is no mapping of code that nothing uses */
  uint64_t files;         /* that it refers to */
  struct buffer record;   /* the new one; empty: as it was */
  size_t size;            /* of it, without its header */
  bool alone;   /* no other object has code of it: its name is private, and one
                    body has all its counters */
  size_t body;  /* the number of that body; 0: none */
  long group;   /* of its attributes; -1: it is local, or has none */
  bool follows; /* some of its flags may follow from others */
  uint64_t total; /* if so: flags */
  uint64_t hash;  /* of its structure; if `own`, of what its flags mean, too */
  bool own;
  uint64_t bits;   /* of MC/DC */
  size_t updates;  /* decisions whose outcomes are noted (differences.c) */
  uint64_t symbol; /* the MD5 of what its symbol has behind __profc_ */
};

struct differences {
  struct buffer list; /* struct differences_of */
};

enum { DIFFERENCE_PARTS = 256 };

/* What the map's first key is for a name such as @__profn_f. */
uint64_t differences_key(struct part name);

/* Reads a line of a global variable. Returns NULL or the error. */
const char *differences_read(struct differences *differences, struct map *known,
                             struct part line);

/* Reads the mapping as clang made it. The caller closes the mapping and frees
 * the record in both cases. Returns NULL or the error. */
const char *differences_open(const struct differences_of *function,
                             struct mapping *mapping, struct buffer *record);

/* Puts a mapping in its place. Returns NULL or the error. */
const char *differences_replace(struct differences_of *function,
                                const struct mapping *mapping);

/* A sum of numbers in their order. The sum has 60 bits, as it is a function's
 * hash: index version 13 and later hold no more bits of hashes. */
uint64_t differences_mix(uint64_t sum, uint64_t number);

/* Finds the differences, once the numbers of counters are known. Returns NULL
 * or the error. */
const char *differences_number(struct differences *differences);

/* Writes the line of a global variable. Returns NULL or the error. */
const char *differences_put(const struct differences *differences,
                            const struct map *known, struct part line,
                            FILE *out);
void differences_free(struct differences *differences);

/* By the map's value. */
struct differences_of *differences_at(const struct differences *differences,
                                      size_t number);

/* The values of all expressions, from those of plain counters; modulo 2^64. The
 * caller frees them. NULL: out of memory. */
uint64_t *differences_sums(const struct differences_of *function,
                           const uint64_t *values);

/* A counter's value, by these. */
uint64_t differences_value(const struct differences_of *function,
                           uint64_t counter, const uint64_t *values,
                           const uint64_t *sums);

/* The number of a plain counter, or of the one that a difference has become;
 * SIZE_MAX: it is a sum of others. */
size_t differences_number_of(const struct differences_of *function,
                             uint64_t counter);

/* Sets both parts of a sum. false: it is none. */
bool differences_parts(const struct differences_of *function, uint64_t counter,
                       uint64_t parts[2]);

/* ---- cfg.c ----
 *
 * Functions of a module that always return, and call none of another kind: no
 * dump, and no jump out of them. They have neither loops nor assembly. A flag
 * may follow from one behind a call of them.
 */

struct quiet {
  struct map functions; /* by the MD5 of @f: whether it is quiet */
  struct map blocks;    /* of the function at hand, by the MD5 of their names */
  struct buffer calls;  /* struct quiet_call: of functions that may be quiet */
  uint64_t function;    /* at hand: the MD5 of its name; 0: it is loud */
};

/* Begins as quiet_none. */
extern const struct quiet quiet_none;

/* Reads a line of the module. Returns NULL or the error. */
const char *quiet_read(struct quiet *quiet, struct part line);

/* Once all lines are read. */
void quiet_settle(struct quiet *quiet);

/* Whether the instruction is a call behind which all may be otherwise. */
bool quiet_is_call(const struct quiet *quiet, struct part line);

void quiet_free(struct quiet *quiet);

enum { FLAGS_MOST = 1 << 30 };

static const char flags_unknown[] =
    "its counters are in a form that is not known; compile with clang 14 to "
    "23, or with --counters=64";

struct flags_reader {
  struct flags *flags;
  FILE *out;
  const char *end;
  bool keeps; /* flags that follow from others, too */
  bool bytes; /* a flag for each bit of MC/DC */
  struct quiet quiet;
  struct map known; /* functions, by the MD5 of @__profn_f */
  struct differences list;
  struct buffer lines;  /* struct part: the function's body */
  struct part block;    /* that its last line is in; empty: the first */
  struct buffer steps;  /* struct choice_step: of this body */
  size_t bodies;        /* that have begun */
  long group;           /* of attributes, of the last one: as of a function */
  struct map copied;    /* groups of functions that others may have a copy of */
  unsigned raw;
  bool declared; /* the intrinsic: its bitcode has flags already */
};

/* An increment by a value, 0 or 1: a choice without a jump. It becomes one with
 * jumps, so that the block goes on under another name. */
struct choice_step {
  struct part block;
  char *lines;
  size_t number;
};

/* Where a flag may be stored. */
struct flag_place {
  size_t line; /* before it; SIZE_MAX: on an edge */
  size_t edge;
  bool own; /* the line is clang's increment */
  struct intrinsic_call call;
  struct differences_of *function;
  size_t from, last; /* of the body's list, if the place's flag is dropped: the
                        places that it follows from */
  bool dropped;
  uint64_t number; /* of its flag; FLAG_NONE: no region needs it */
};
#define FLAG_NONE UINT64_MAX

/* A counter of the mapping counts at a place. */
struct flag_use {
  size_t place;
  uint64_t index;
};

struct flag_store {
  size_t line, edge;
  const struct intrinsic_call *call;
  uint64_t count, index;
};

struct body {
  struct flags_reader *reader;
  struct cfg cfg;
  struct map known;   /* places, by function, line and edge: from 1 on */
  struct buffer in;   /* size_t: edges, by the blocks that they lead to */
  struct buffer into; /* size_t: edges into loops without an end */
  struct map numbers; /* where they are, by number and shape */
  size_t tries;       /* of sums */
  struct buffer places, uses;
  struct buffer from;   /* size_t: places */
  struct buffer drops;  /* size_t: places, in the order of their dropping */
  struct buffer stores; /* struct flag_store, in the order of lines */
  size_t splits;
};

static inline struct flag_place *body_places(const struct body *body) {
  return (struct flag_place *)body->places.data;
}

static inline size_t body_place_count(const struct body *body) {
  return body->places.size / sizeof(struct flag_place);
}

enum { COUNTERS_MOST = 1 << 20 };

/* The function that a call counts; NULL: it has no name. */
static inline struct differences_of *
flags_function_of(const struct flags_reader *reader,
                  const struct intrinsic_call *call) {
  const uint64_t *number =
      map_find(&reader->known, differences_key(call->function), 0, 0);
  return number ? differences_at(&reader->list, (size_t)*number) : NULL;
}

/* How many flags a function has, without those of MC/DC. */
static inline uint64_t flags_total(const struct differences_of *function) {
  return function->follows ? function->total
                           : function->counters + function->count;
}

/* ---- cover.c ----
 *
 * MC/DC whose bits are flags, behind the function's others.
 */

/* How many there are. */
static inline uint64_t flags_bits(const struct flags_reader *reader,
                                  const struct differences_of *function) {
  /* clang 18 has other calls, of raw version 9. */
  return reader->bytes && reader->raw > 9 ? function->bits : 0;
}

/* Keeps how many bits a function has. Returns NULL or the error. */
const char *mcdc_look(struct flags_reader *reader,
                      const struct intrinsic_call *call);

/* Writes a line that calls an intrinsic of MC/DC, if bits are flags. Else, and
 * for all other lines: false. */
bool mcdc_put(struct flags_reader *reader, struct part line);

/* Keeps what flags_lowered needs to know. Returns NULL or the error. */
const char *mcdc_end(const struct flags_reader *reader);

/* Finds the places of all flags. Returns NULL or the error. */
const char *flags_place(struct body *body);

/* Drops flags that follow from others. Returns NULL or the error. */
const char *flags_follow(struct body *body);

#endif
