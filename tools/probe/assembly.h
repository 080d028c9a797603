/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Assembly: its statements, their words, and the section that they are in, as
 * far as groups go.
 */
#ifndef PROBE_ASSEMBLY_H
#define PROBE_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of the assembly. */
struct piece {
  const char *at;
  size_t size;
};

/* Where the assembler is. */
struct assembly_place {
  struct piece group; /* size 0: none */
  bool comdat;
};

struct assembly_places {
  struct assembly_place now, previous, stack[64];
  unsigned depth;
};

struct assembly_text {
  bool arm, riscv;
  bool hashes;  /* # begins a comment wherever it is */
  bool comment; /* one of several lines */
  struct assembly_places places;
};

/* The next word of *rest: up to a blank or comma, or a quoted string with its
 * quotes. false: there is none. */
bool word_next(struct piece *rest, struct piece *word);

bool word_is(struct piece word, const char *text);

/* A decimal number, or false. */
bool word_decimal(struct piece word, uint64_t *value);

/* A name without its quotes. */
struct piece word_unquoted(struct piece word);

/* Whether they are one name, with quotes or without; an empty one is none. */
bool word_same_name(struct piece a, struct piece b);

/* Takes a directive that may switch sections. Returns NULL or the error. */
const char *assembly_switch(struct assembly_places *places, struct piece word,
                            struct piece rest);

/* Whether the line is, or begins, within a comment of several lines. */
bool assembly_in_comment(struct assembly_text *text, struct piece line);

/* The first statement of a line, up to its end or a semicolon, which is not in
 * it. */
struct piece assembly_statement(struct assembly_text *text, struct piece line);

#endif
