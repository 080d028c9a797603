/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parses increments of counters in LLVM IR text, and writes 32-bit increments
 * instead. narrow.c, trace_ir.c, byte_counters.c, byte_mcdc.c pass the lines.
 * LLVM writes one instruction per line and escapes line ends in strings. A name
 * is in quotes if it has characters other than letters, digits and $ . _ -
 */
#ifndef CC_INCREMENT_H
#define CC_INCREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../base/bytes.h"
#include "../base/catch.h"
#include "../base/storage.h"
#include "../base/text_part.h"

/* ---- memory: increment.c ----
 *
 * These functions raise out_of_memory (../base/catch.h) if memory runs out. The
 * function that catches errors owns the arenas and maps with all memory. */

/* Returns zeroed memory of the arena. */
void *cc_allocate(struct arena *arena, size_t size);

/* Appends an element to a list in the arena. An empty list is NULL. */
#define CC_APPEND(arena, list, count, ...)                          \
  ((list) = cc_grow_list((arena), (list), (count), sizeof *(list)), \
   (list)[(count)++] = __VA_ARGS__)
void *cc_grow_list(struct arena *arena, void *list, size_t count, size_t size);

/* Returns the value of a key, which is 0 if the key is new. */
uint64_t *cc_map_find_or_add(struct map *map, uint64_t a, uint64_t b,
                             uint64_t c);

/* Calls `act`, which prints to *out, and returns the printed text. The caller
 * frees the text. */
char *cc_print_to_memory(FILE **out, void (*act)(void *context), void *context,
                         size_t *size);

/* ---- text ---- */

/* Removes the next line from the text. Returns false if the text is empty. */
bool text_next_line(struct bytes *text, struct text_part *line);

/* Removes and returns everything before the first of the characters in `stops`.
 */
struct text_part text_cut_until(struct text_part *text, const char *stops);

/* Returns the text from the beginning of `from` to the beginning of `to`. */
struct text_part text_between(struct text_part from, struct text_part to);

/* Returns the low 64 bits of the MD5 of a name. */
uint64_t text_hash(struct text_part name);

/* Removes and returns a local name: % and characters up to a blank or comma, or
 * a quoted string. Returns an empty part if the text does not begin with a
 * local name. */
struct text_part text_cut_local(struct text_part *text);

/* Removes and returns a global name: @ or $, and letters, digits and $ . _ - or
 * a quoted string. Returns an empty part if the text does not begin with a
 * global name. */
struct text_part text_cut_global(struct text_part *text);

/* Returns the function's name, with @, from a line that begins with
 * "define". */
struct text_part text_defined_name(struct text_part line);

/* Handles the letters of part_match_pattern: %n is a local name, %v a value, %o
 * an operand. */
struct text_part text_cut_operand(struct text_part *text, char letter);

/* Returns whether the text contains the address of a counter. */
bool text_has_counter_symbol(struct text_part text);

/* One increment in the IR. If the increment is atomic already, load.size is 0.
 */
struct increment {
  struct text_part load;    /* the name of the loaded value */
  struct text_part result;  /* the name of the sum, or of the atomic result */
  struct text_part pointer; /* the pointer, with its type */
  struct text_part step;    /* the addend: a number or a local name */
  struct text_part rest[3]; /* the metadata at the end of each line */
};

/* Parses the increment that begins with this line and continues in `rest`. If
 * -runtime-counter-relocation made a pointer to a counter, `moved` is its name,
 * otherwise empty. Returns the number of lines, or 0 if no known increment
 * begins here. */
unsigned increment_parse(struct increment *to, struct text_part line,
                         struct bytes rest, struct text_part moved);

/* Returns whether the increment changes a counter: its pointer is the address
 * of a counter, or the pointer named `moved`. */
bool increment_has_counter(const struct increment *increment,
                           struct text_part moved);

/* Returns whether the line uses a counter in a way that increment_parse does
 * not know. */
bool increment_touches_counter(struct text_part line);

/* The style in which increment_print writes an increment. */
struct increment_style {
  bool big;    /* the target is big-endian: the low 32 bits are the second half
                  of the counter */
  bool packed; /* a counter has 32 bits; big is false */
  bool atomic; /* the increment is one atomic instruction */
};

/* Writes the increment as a 32-bit increment. */
void increment_print(FILE *out, const struct increment *increment,
                     const struct increment_style *how);

/* ---- increment.c ----
 *
 * Parses calls of LLVM's counting intrinsics, before clang lowers them, and the
 * names of blocks in a phi. */

/* A call of an intrinsic. `before` is the text before the function's hash.
 * `counters` is the function's number of counters, and `index` the counter. An
 * MC/DC call has only one number, which is in both members. */
struct intrinsic_call {
  struct text_part before, function; /* `function` is the variable that holds
                                        the function's name, @__profn_f */
  struct text_part hash;
  uint64_t counters, index;
  struct text_part rest;
};

/* The text of a call that increments a counter, up to the parenthesis. */
extern const char call_word[];

/* Removes and returns an MD5 or a hash, which IR writes as a signed number. */
uint64_t text_parse_hash(struct text_part *text);

/* Returns the number of the attribute group that the line defines, or that the
 * function in the line has. Returns -1 if the group is missing. */
long text_find_attribute_group(struct text_part line);

bool call_parse_increment(struct text_part line, struct intrinsic_call *call);

/* A call that stores the outcome of a decision. call.index is the decision's
 * first bit. The 32-bit variable holds the number of the outcome. The parser
 * returns false for other lines, and for calls of clang 18. */
struct outcome_call {
  struct intrinsic_call call;
  struct text_part variable;
};
bool call_parse_outcome(struct text_part line, struct outcome_call *outcome);

/* Parses a call that tells how many MC/DC bits a function has. Stores the
 * number in call->index. */
bool call_parse_bit_count(struct text_part line, struct intrinsic_call *call);

/* call_is_step returns whether the line adds a value of 0 or 1 to a counter.
 * call_parse_step fills *call as for an increment by 1. */
bool call_is_step(struct text_part line);
bool call_parse_step(struct text_part line, struct intrinsic_call *call,
                     struct text_part *value);

/* Writes a store to the byte counter of the call, with this hash. */
void call_print_byte_store(FILE *out, const struct intrinsic_call *call,
                           uint64_t hash);

/* Writes the line of a phi. `rename` is called for the nth edge from a block:
 * it sets `again` to the block's new name with %, or leaves it empty. */
struct phi_renaming {
  void (*rename)(void *context, struct text_part from, size_t nth,
                 char again[40]);
  void *context;
};
void phi_print_renamed(FILE *out, struct text_part line,
                       const struct phi_renaming *renaming);

#endif
