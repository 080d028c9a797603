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
#include <stdio.h>

/* A part of a line. */
struct text {
  const char *at;
  size_t size;
};

bool text_begins(struct text text, const char *word);
bool text_contains(struct text text, const char *word);
bool text_same(struct text a, struct text b);

/* Takes word from the beginning of *text. */
bool text_take(struct text *text, const char *word);
struct text text_cut(struct text *text, size_t size);

/* Takes a local name: % and characters up to a blank or comma. Its size is 0 if
 * there is none. */
struct text text_name(struct text *text);

/* Takes a global name: @ and letters, digits, $ . _ - or quotes. */
struct text text_global(struct text *text);

/* The line that begins at `at`; end is that of the module. */
struct text line_at(const char *at, const char *end);

/* The line behind `line`. Empty at the end. */
struct text line_after(struct text line, const char *end);

/* Whether the text has the address of a counter. */
bool of_counter(struct text text);

/* One increment. load.size is 0 if the increment is atomic already. */
struct increment {
  struct text load;    /* the name of the loaded value */
  struct text result;  /* the name of the sum, or of the atomic result */
  struct text pointer; /* type and value */
  struct text step;
  struct text rest[3]; /* of each line: metadata */
};

/* Reads the increment that begins with this line. moved: the name of a pointer
 * that is known to be a counter's, or empty. Returns how many lines the
 * increment has, or 0. */
unsigned increment_read(struct increment *increment, struct text line,
                        const char *end, struct text moved);

/* Whether its pointer is a counter's: the address of one, or moved. */
bool increment_is_of(const struct increment *increment, struct text moved);

/* Whether the line counts in a way that increment_read does not know. */
bool counts_otherwise(struct text line);

/* How increments are written. */
struct counting {
  bool big;    /* the low 32 bits are the second half of a counter */
  bool packed; /* a counter has 32 bits; big is false */
  bool atomic; /* one instruction */
};

/* Writes the increment, of 32 bits. */
void increment_put(FILE *out, const struct increment *increment,
                   const struct counting *counting);

#endif
