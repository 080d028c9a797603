/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Parses text with a cursor: a part is the rest of a text, from which words,
 * numbers and patterns are taken. The text need not end with a zero.
 */
#ifndef BAREPROF_TOOLS_TEXT_PART_H
#define BAREPROF_TOOLS_TEXT_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A range of a text that another object owns. */
struct text_part {
  const char *at;
  size_t size;
};

bool part_starts_with(struct text_part text, const char *word);
bool part_contains(struct text_part text, const char *word);
bool part_equals(struct text_part a, struct text_part b);

bool text_starts_with(const char *text, const char *word);

/* Returns the error for a shell pattern where a regular expression is needed,
 * which has a star at its beginning or at the beginning of a name in it.
 * Otherwise NULL. */
const char *text_check_glob(const char *text);

/* Removes and returns the first `size` characters, which must exist. */
struct text_part part_cut_front(struct text_part *text, size_t size);

/* Removes a word if the text begins with it. Returns false if not. */
bool part_skip_word(struct text_part *text, const char *word);

/* Removes everything up to and including a word. Returns false, and an empty
 * text, if the word is missing. */
bool part_skip_to(struct text_part *text, const char *word);

/* Removes and parses decimal digits, at most 9. Returns false if there are
 * none. */
bool part_parse_number(struct text_part *text, uint64_t *number);

void part_skip_blanks(struct text_part *text);

/* Returns the line at `at` without its newline. The text ends at `end`. */
struct text_part part_line_at(const char *at, const char *end);

/* Returns the line after `line`; empty at the end. */
struct text_part part_next_line(struct text_part line, const char *end);

/* Removes the part for which a letter in a pattern stands from the text, and
 * returns the part. The part is empty if the text does not begin with such a
 * part. */
typedef struct text_part part_kind(struct text_part *text, char letter);

/* Matches and removes a text according to a pattern: %d is 1 to 9 digits, %w a
 * word up to a blank, %b blanks; `kind` handles any other letter. Each of them
 * except %b needs an argument of type struct text_part *. Other characters
 * stand for themselves. Returns false if the text does not match; then *text is
 * unchanged, but some of the parts are set. */
bool part_match_pattern(struct text_part *text, part_kind *kind,
                        const char *pattern, ...);

/* Prints a pattern: %p is a struct text_part, %s a string. */
void part_print_pattern(FILE *out, const char *pattern, ...);
void part_print_text(FILE *out, struct text_part text);

#endif
