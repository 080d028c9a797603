/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Text in parts: a part is a cursor, from which words, numbers and patterns are
 * taken. The text need not end in a zero.
 */
#ifndef BASE_PART_H
#define BASE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A part of a text that another object owns. */
struct part {
  const char *at;
  size_t size;
};

bool part_begins(struct part text, const char *word);
bool part_contains(struct part text, const char *word);
bool part_same(struct part a, struct part b);

/* For a text that ends in a zero. */
bool text_begins(const char *text, const char *word);

/* Takes so many characters, which are there. */
struct part part_cut(struct part *text, size_t size);

/* Takes a word, if the text begins with it. */
bool part_take(struct part *text, const char *word);

/* Goes up to a word and takes it. false: there is none, nor any text left. */
bool part_skip_to(struct part *text, const char *word);

/* Takes the decimal digits that are there, at most 9. false: there are none. */
bool part_take_number(struct part *text, uint64_t *number);

/* Takes blanks and tabs. */
void part_skip_blanks(struct part *text);

/* The line that begins at `at`, without its newline. The text ends at `end`. */
struct part line_at(const char *at, const char *end);

/* The line after `line`. Empty at the end. */
struct part line_after(struct part line, const char *end);

/* Takes what a letter of a pattern stands for; empty: the text has none. */
typedef struct part part_kind(struct part *text, char letter);

/* Takes a text as the pattern has it: %d is 1 to 9 digits, %w a word up to a
 * blank, %b blanks; any other letter is what `kind` takes. Each but %b needs a
 * struct part *. Another character stands for itself. false: *text is
 * unchanged, and some of the parts are set. */
bool part_match(struct part *text, part_kind *kind, const char *pattern, ...);

/* Writes a pattern: %p is a struct part, %s a string. */
void part_print(FILE *out, const char *pattern, ...);
void part_put(FILE *out, struct part text);

#endif
