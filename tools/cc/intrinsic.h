/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls of LLVM's intrinsics that count, in its assembly language before they
 * are lowered; and the names of blocks in a phi.
 */
#ifndef CC_INTRINSIC_H
#define CC_INTRINSIC_H

#include <stdint.h>
#include <stdio.h>

#include "increment.h"

/* A call: what is before the structure's hash, the hash, what is behind the
 * last number. */
struct call {
  struct text before, function; /* the name of its name: @__profn_f */
  struct text hash;
  uint64_t counters, index;
  struct text rest;
};

/* Up to the parenthesis. */
extern const char call_word[];

/* Moves behind a word. */
bool text_skip_to(struct text *text, const char *word);
bool text_digits(struct text *text, uint64_t *number);

/* The group of attributes that a line defines, or that its function has; -1: it
 * has none. */
long text_group(struct text line);

/* Takes the name of a function's name out of a line. */
struct text text_profiled(struct text line);

bool call_read(struct text line, struct call *call);

/* Whether it is an increment by a value, 0 or 1; then reads it as one by 1. */
bool call_is_step(struct text line);
bool call_read_step(struct text line, struct call *call, struct text *value);

/* Writes the line of a phi. rename: writes into `again` how the nth edge from a
 * block comes now, with %, or leaves it empty. */
struct renaming {
  void (*rename)(void *context, struct text from, size_t nth, char again[40]);
  void *context;
};
void phi_put(FILE *out, struct text line, const struct renaming *renaming);

/* Writes the text. */
void part_put(FILE *out, struct text text);

#endif
