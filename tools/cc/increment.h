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

/* A part of a line. */
struct ir_text {
  const char *at;
  size_t size;
};

bool text_begins(struct ir_text text, const char *word);
bool text_contains(struct ir_text text, const char *word);
bool text_same(struct ir_text a, struct ir_text b);

/* Takes word from the beginning of *text. */
bool text_take(struct ir_text *text, const char *word);
struct ir_text text_cut(struct ir_text *text, size_t size);

/* Takes a local name: % and characters up to a blank or comma. Its size is 0 if
 * there is none. */
struct ir_text text_name(struct ir_text *text);

/* Takes a global name: @ and letters, digits, $ . _ - or quotes. */
struct ir_text text_global(struct ir_text *text);

/* The line that begins at `at`; end is that of the module. */
struct ir_text line_at(const char *at, const char *end);

/* The line behind `line`. Empty at the end. */
struct ir_text line_after(struct ir_text line, const char *end);

/* Whether the text has the address of a counter. */
bool of_counter(struct ir_text text);

/* One increment. load.size is 0 if the increment is atomic already. */
struct increment {
  struct ir_text load;    /* the name of the loaded value */
  struct ir_text result;  /* the name of the sum, or of the atomic result */
  struct ir_text pointer; /* type and value */
  struct ir_text step;
  struct ir_text rest[3]; /* of each line: metadata */
};

/* Reads the increment that begins with this line. moved: the name of a pointer
 * that is known to be a counter's, or empty. Returns how many lines the
 * increment has, or 0. */
unsigned increment_read(struct increment *increment, struct ir_text line,
                        const char *end, struct ir_text moved);

/* Whether its pointer is a counter's: the address of one, or moved. */
bool increment_is_of(const struct increment *increment, struct ir_text moved);

/* Whether the line counts in a way that increment_read does not know. */
bool counts_otherwise(struct ir_text line);

/* How increments are written. */
struct counting {
  bool big;    /* the low 32 bits are the second half of a counter */
  bool packed; /* a counter has 32 bits; big is false */
  bool atomic; /* one instruction */
};

/* Writes the increment, of 32 bits. */
void increment_put(FILE *out, const struct increment *increment,
                   const struct counting *counting);

/* ---- intrinsic.c ----
 *
 * Calls of LLVM's intrinsics that count, in its assembly language before they
 * are lowered; and the names of blocks in a phi.
 */

/* A call: what is before the structure's hash, the hash, what is behind the
 * last number. */
struct intrinsic_call {
  struct ir_text before, function; /* the name of its name: @__profn_f */
  struct ir_text hash;
  uint64_t counters, index;
  struct ir_text rest;
};

/* Up to the parenthesis. */
extern const char call_word[];

/* Moves behind a word. */
bool text_skip_to(struct ir_text *text, const char *word);
bool text_digits(struct ir_text *text, uint64_t *number);

/* Takes an MD5 or a hash, which is written with a sign. */
uint64_t text_take_hash(struct ir_text *text);

/* The group of attributes that a line defines, or that its function has; -1: it
 * has none. */
long text_group(struct ir_text line);

/* Takes the name of a function's name out of a line. */
struct ir_text text_profiled(struct ir_text line);

bool call_read(struct ir_text line, struct intrinsic_call *call);

/* A call that notes how a decision came out: its index is the bit that the
 * decision begins at, and a variable has the number of the outcome, 32 bits.
 * false: it is none, or one of clang 18. */
struct outcome_call {
  struct intrinsic_call call;
  struct ir_text variable;
};
bool call_read_outcome(struct ir_text line, struct outcome_call *outcome);

/* A call that says how many such bits a function has: its index. */
bool call_read_outcomes(struct ir_text line, struct intrinsic_call *call);

/* Whether it is an increment by a value, 0 or 1; then reads it as one by 1. */
bool call_is_step(struct ir_text line);
bool call_read_step(struct ir_text line, struct intrinsic_call *call,
                    struct ir_text *value);

/* Writes a store of the call's flag, with this hash. */
void call_put_flag(FILE *out, const struct intrinsic_call *call, uint64_t hash);

/* Writes the line of a phi. rename: writes into `again` how the nth edge from a
 * block comes now, with %, or leaves it empty. */
struct renaming {
  void (*rename)(void *context, struct ir_text from, size_t nth,
                 char again[40]);
  void *context;
};
void phi_put(FILE *out, struct ir_text line, const struct renaming *renaming);

/* Writes the text. */
void part_put(FILE *out, struct ir_text text);

#endif
