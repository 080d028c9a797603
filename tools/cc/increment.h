/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Increments of counters in LLVM's assembly language, read and written again
 * with 32 bits. LLVM writes an instruction a line, and escapes the ends of
 * lines in strings. Names are in quotes if they have other characters than
 * letters, digits and $ . _ -
 */
#ifndef CC_INCREMENT_H
#define CC_INCREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/part.h"

/* Takes a local name: % and characters up to a blank or comma. Its size is 0 if
 * there is none. */
struct part text_name(struct part *text);

/* Takes a global name: @ and letters, digits, $ . _ - or quotes. */
struct part text_global(struct part *text);

/* Whether the text has the address of a counter. */
bool of_counter(struct part text);

/* One increment. load.size is 0 if the increment is atomic already. */
struct increment {
  struct part load;    /* the name of the loaded value */
  struct part result;  /* the name of the sum, or of the atomic result */
  struct part pointer; /* type and value */
  struct part step;
  struct part rest[3]; /* of each line: metadata */
};

/* Reads the increment that begins with this line. moved: the name of a pointer
 * that is known to be a counter's, or empty. Returns how many lines the
 * increment has, or 0. */
unsigned increment_read(struct increment *increment, struct part line,
                        const char *end, struct part moved);

/* Whether its pointer is a counter's: the address of one, or moved. */
bool increment_is_of(const struct increment *increment, struct part moved);

/* Whether the line counts in a way that increment_read does not know. */
bool counts_otherwise(struct part line);

/* How increments are written. */
struct counting {
  bool big;    /* the low 32 bits are the second half of a counter */
  bool packed; /* a counter has 32 bits; big is false */
  bool atomic; /* one instruction */
};

/* Writes the increment, of 32 bits. */
void increment_put(FILE *out, const struct increment *increment,
                   const struct counting *counting);

/* ---- increment.c ----
 *
 * Calls of LLVM's intrinsics that count, in its assembly language before they
 * are lowered; and the names of blocks in a phi.
 */

/* A call: what is before the structure's hash, the hash, what is behind the
 * last number. */
struct intrinsic_call {
  struct part before, function; /* the name of its name: @__profn_f */
  struct part hash;
  uint64_t counters, index;
  struct part rest;
};

/* Up to the parenthesis. */
extern const char call_word[];

/* Takes an MD5 or a hash, which is written with a sign. */
uint64_t text_take_hash(struct part *text);

/* The group of attributes that a line defines, or that its function has; -1: it
 * has none. */
long text_group(struct part line);

bool call_read(struct part line, struct intrinsic_call *call);

/* A call that notes how a decision came out: its index is the bit that the
 * decision begins at, and a variable has the number of the outcome, 32 bits.
 * false: it is none, or one of clang 18. */
struct outcome_call {
  struct intrinsic_call call;
  struct part variable;
};
bool call_read_outcome(struct part line, struct outcome_call *outcome);

/* A call that says how many such bits a function has: its index. */
bool call_read_outcomes(struct part line, struct intrinsic_call *call);

/* Whether it is an increment by a value, 0 or 1; then reads it as one by 1. */
bool call_is_step(struct part line);
bool call_read_step(struct part line, struct intrinsic_call *call,
                    struct part *value);

/* Writes a store of the call's flag, with this hash. */
void call_put_flag(FILE *out, const struct intrinsic_call *call, uint64_t hash);

/* Writes the line of a phi. rename: writes into `again` how the nth edge from a
 * block comes now, with %, or leaves it empty. */
struct renaming {
  void (*rename)(void *context, struct part from, size_t nth, char again[40]);
  void *context;
};
void phi_put(FILE *out, struct part line, const struct renaming *renaming);

#endif
