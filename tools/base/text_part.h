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
bool text_equals_ignoring_case(const char *a, const char *b);

/* Return whether a word is in a list of words that blanks separate, and whether
 * a text begins with one of the words. */
bool text_is_listed(const char *word, const char *list);
bool text_starts_with_any(const char *text, const char *list);

/* Returns an error if the text is a shell pattern where a regular expression is
 * needed: a star is at its beginning, or at the beginning of a name in it.
 * Otherwise returns NULL. */
const char *text_refuse_glob(const char *text);

/* Removes and returns the first `size` characters, which must exist. */
struct text_part part_cut_front(struct text_part *text, size_t size);

/* Removes a word if the text begins with it; otherwise returns false. */
bool part_skip_word(struct text_part *text, const char *word);

/* Removes everything up to and including a word. If the word is missing,
 * returns false and an empty text. */
bool part_skip_past(struct text_part *text, const char *word);

/* Removes the next word of a command, and writes the word without its quotes to
 * `word`, which needs one character more than the text. The word ends as in a
 * shell. A backslash before a letter stays, because it separates folders on
 * Windows. Returns false if no word is left. */
bool part_next_word(struct text_part *text, char *word);

/* Removes and parses decimal digits, at most 9. Returns false if the text does
 * not begin with a digit. */
bool part_parse_number(struct text_part *text, uint64_t *number);

void part_skip_blanks(struct text_part *text);

/* Removes and returns the part at the beginning of the text for which a letter
 * of a pattern stands. Returns an empty part if the text does not begin with
 * such a part. */
typedef struct text_part part_kind(struct text_part *text, char letter);

/* Matches the beginning of a text with a pattern, and removes what matched. %d
 * stands for 1 to 9 digits, %w for a word up to a blank, %b for blanks; `kind`
 * handles any other letter. Each letter except %b needs an argument of type
 * struct text_part *. Other characters stand for themselves. Returns false if
 * the text does not match; then *text is unchanged, but some of the parts are
 * set. */
bool part_match_pattern(struct text_part *text, part_kind *kind,
                        const char *pattern, ...);

/* Prints a pattern: %p stands for a struct text_part, %s for a string. */
void part_print_pattern(FILE *out, const char *pattern, ...);
void part_print_text(FILE *out, struct text_part text);

#endif
