/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What lower*.c share.
 */
#ifndef PROBE_LOWER_INSIDE_H
#define PROBE_LOWER_INSIDE_H

#include "lower.h"
#include "tree.h"

/* A piece of the assembly. */
struct piece {
  const char *at;
  size_t size;
};

/* ---- lower_scan.c ---- */

/* The next word of *rest: up to a blank or comma, or a quoted string with its
 * quotes. false: there is none. */
bool lower_word(struct piece *rest, struct piece *word);
bool lower_is(struct piece word, const char *text);

/* A decimal number, or false. */
bool lower_number(struct piece word, uint64_t *value);

/* A name without its quotes. */
struct piece lower_name(struct piece word);

/* Where the assembler is. */
struct lower_place {
  struct piece group; /* size 0: none */
  bool comdat;
};
struct lower_places {
  struct lower_place now, previous, stack[64];
  unsigned depth;
};

/* Takes a directive that may switch sections. NULL, or what is wrong. */
const char *lower_move(struct lower_places *places, struct piece word,
                       struct piece rest);

/* ---- lower.c ---- */

struct lower_function {
  struct piece name; /* as it is written */
  uint64_t guid;
  struct lower_place place;
  bool labelled; /* .Lbareprof_beginN stands where it begins */
};

struct lower_probe {
  uint32_t index, discriminator;
  uint8_t type, attributes;
};

struct lowering {
  FILE *stream;
  enum probe_lowering how;
  bool arm, riscv, hashes; /* # begins a comment wherever it is */
  bool wide;               /* pointers of 8 bytes */
  bool comment;            /* one of several lines */
  struct lower_places places;
  struct piece typed;       /* the last that .type says is a function */
  uint32_t current;         /* the function, or PROBE_NO_BODY */
  struct buffer functions;  /* of struct lower_function */
  struct buffer probes;     /* of struct lower_probe; label .Lbareprof_probeN */
  struct probe_tree tree;   /* a record's site is its function */
  struct probe_table table; /* functions by name */
};

static inline struct lower_function *
lower_function_at(const struct lowering *lowering, uint32_t number) {
  return (struct lower_function *)lowering->functions.data + number;
}

static inline const struct lower_probe *
lower_probe_at(const struct lowering *lowering, uint32_t number) {
  return (const struct lower_probe *)lowering->probes.data + number;
}

/* ---- lower_scan.c ---- */

/* The first statement of a line, up to its end or a semicolon, which is not in
 * it. */
struct piece lower_statement(struct lowering *lowering, struct piece line);

/* Whether the line is, or begins, within a comment of several lines. */
bool lower_comment(struct lowering *lowering, struct piece line);

/* ---- lower.c ---- */

/* The function of that name, a new one if there is none. */
const char *lower_function(struct lowering *lowering, struct piece name,
                           uint32_t *number);

/* ---- lower.c ---- */

/* Writes the sections. */
const char *lower_write(struct lowering *lowering);

#endif
