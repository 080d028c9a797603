/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parses increments of counters in LLVM IR text, and writes them with 32 bits.
 * narrow.c passes the lines. LLVM writes one instruction per line and escapes
 * line ends in strings. A name is in quotes if it has characters other than
 * letters, digits and $ . _ -
 */
#ifndef CC_INCREMENT_H
#define CC_INCREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/part.h"

/* Cuts a local name off the text: % and characters up to a blank or comma, or a
 * quoted string. Returns an empty part if there is none. */
struct part text_name(struct part *text);

/* Cuts a global name off the text: @ and letters, digits and $ . _ - or a
 * quoted string. Returns an empty part if there is none. */
struct part text_global(struct part *text);

/* Whether the text contains the address of a counter. */
bool of_counter(struct part text);

/* One increment in the IR. load.size is 0 if the increment is atomic
 * already. */
struct increment {
  struct part load;    /* the name of the loaded value */
  struct part result;  /* the name of the sum, or of the atomic result */
  struct part pointer; /* with its type */
  struct part step;
  struct part rest[3]; /* what follows on each line: metadata */
};

/* Reads the increment that begins with this line. moved: the name of a pointer
 * to a counter that -runtime-counter-relocation made, or empty. Returns the
 * number of lines, or 0 if no known increment begins here. */
unsigned increment_read(struct increment *increment, struct part line,
                        const char *end, struct part moved);

/* Whether the increment's pointer is the address of a counter, or moved. */
bool increment_is_of(const struct increment *increment, struct part moved);

/* Whether the line uses a counter in a way that increment_read does not
 * know. */
bool counts_otherwise(struct part line);

/* How increment_put writes an increment. */
struct counting {
  bool big;    /* the low 32 bits are the second half of the counter */
  bool packed; /* a counter has 32 bits; big is false */
  bool atomic; /* one atomic instruction */
};

/* Writes the increment with 32 bits. */
void increment_put(FILE *out, const struct increment *increment,
                   const struct counting *counting);

/* ---- increment.c ----
 *
 * Calls of LLVM's counting intrinsics, in IR before they are lowered; and the
 * names of blocks in a phi. */

/* A call, divided into the text before the structure's hash, the hash, and the
 * text after the last number. */
struct intrinsic_call {
  struct part before, function; /* function: the variable with the name,
                                   @__profn_f */
  struct part hash;
  uint64_t counters, index;
  struct part rest;
};

/* The line of an increment up to the parenthesis. */
extern const char call_word[];

/* Cuts off an MD5 or a hash, which IR writes as a signed number. */
uint64_t text_take_hash(struct part *text);

/* Returns the number of the attribute group that a line defines or that its
 * function has; -1: none. */
long text_group(struct part line);

bool call_read(struct part line, struct intrinsic_call *call);

/* A call that stores the outcome of a decision. call.index is the decision's
 * first bit; the variable holds the outcome's number, 32 bits. Returns false
 * for other lines, and for calls of clang 18. */
struct outcome_call {
  struct intrinsic_call call;
  struct part variable;
};
bool call_read_outcome(struct part line, struct outcome_call *outcome);

/* Reads a call that tells how many MC/DC bits a function has: call->index. */
bool call_read_outcomes(struct part line, struct intrinsic_call *call);

/* Increments by a value that is 0 or 1. call_read_step fills *call as for an
 * increment by 1. */
bool call_is_step(struct part line);
bool call_read_step(struct part line, struct intrinsic_call *call,
                    struct part *value);

/* Writes a store of the call's byte counter, with this hash. */
void call_put_flag(FILE *out, const struct intrinsic_call *call, uint64_t hash);

/* Writes the line of a phi. For the nth edge from a block, rename sets `again`
 * to the block's new name with %, or leaves it empty. */
struct renaming {
  void (*rename)(void *context, struct part from, size_t nth, char again[40]);
  void *context;
};
void phi_put(FILE *out, struct part line, const struct renaming *renaming);

#endif
