/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements the text cursor of text_part.h. cc/ parses LLVM IR with it.
 */
#include "text_part.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

bool part_starts_with(struct text_part text, const char *word) {
  size_t size = strlen(word);
  return text.size >= size && memcmp(text.at, word, size) == 0;
}

bool text_starts_with(const char *text, const char *word) {
  return strncmp(text, word, strlen(word)) == 0;
}

bool text_equals_ignoring_case(const char *a, const char *b) {
  while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
    a++, b++;
  return !*a && !*b;
}

/* Returns whether the text is a word of the list, or begins with one. */
static bool find_in_list(const char *text, const char *list, bool begins) {
  for (size_t size; *list; list += size + (list[size] == ' ')) {
    size = strcspn(list, " ");
    if (strncmp(text, list, size) == 0 && (begins || !text[size]))
      return true;
  }
  return false;
}

bool text_is_listed(const char *word, const char *list) {
  return find_in_list(word, list, false);
}

bool text_starts_with_any(const char *text, const char *list) {
  return find_in_list(text, list, true);
}

bool part_contains(struct text_part text, const char *word) {
  size_t size = strlen(word);
  for (; text.size >= size; text.at++, text.size--)
    if (memcmp(text.at, word, size) == 0)
      return true;
  return false;
}

bool part_equals(struct text_part a, struct text_part b) {
  return a.size == b.size && (!a.size || memcmp(a.at, b.at, a.size) == 0);
}

const char *text_refuse_glob(const char *text) {
  for (const char *at = text; (at = strchr(at, '*')) != NULL; at++)
    if (at == text || (at[-1] == '/' && at[1]))
      return "the pattern is a regular expression, not a shell pattern; write, "
             "for example, 'src/.*\\.c' for 'src/*.c'";
  return NULL;
}

struct text_part part_cut_front(struct text_part *text, size_t size) {
  struct text_part first = {text->at, size};
  text->at += size;
  text->size -= size;
  return first;
}

bool part_skip_word(struct text_part *text, const char *word) {
  bool begins = part_starts_with(*text, word);
  if (begins)
    part_cut_front(text, strlen(word));
  return begins;
}

bool part_skip_past(struct text_part *text, const char *word) {
  while (text->size && !part_starts_with(*text, word))
    part_cut_front(text, 1);
  return part_skip_word(text, word);
}

/* Cuts off the leading digits, at most 9, so that their value fits into 32
 * bits. */
static struct text_part cut_digits(struct text_part *text) {
  size_t size = 0;
  while (size < text->size && size < 9 && text->at[size] >= '0' &&
         text->at[size] <= '9')
    size++;
  return part_cut_front(text, size);
}

bool part_next_word(struct text_part *text, char *word) {
  static const char blanks[] = " \t\r\n";
  while (text->size && strchr(blanks, *text->at))
    part_cut_front(text, 1);
  bool any = text->size;
  for (char quote = 0; text->size && (quote || !strchr(blanks, *text->at));
       part_cut_front(text, 1)) {
    if (quote ? *text->at == quote : *text->at == '"' || *text->at == '\'') {
      quote = quote ? 0 : *text->at;
      continue;
    }
    if (*text->at == '\\' && quote != '\'' && text->size > 1 &&
        strchr("\\\"' $`\n", text->at[1]))
      part_cut_front(text, 1);
    *word++ = *text->at;
  }
  *word = 0;
  return any;
}

bool part_parse_number(struct text_part *text, uint64_t *number) {
  struct text_part digits = cut_digits(text);
  *number = 0;
  for (size_t i = 0; i < digits.size; i++)
    *number = *number * 10 + (uint64_t)(digits.at[i] - '0');
  return digits.size > 0;
}

void part_skip_blanks(struct text_part *text) {
  while (text->size && (*text->at == ' ' || *text->at == '\t'))
    part_cut_front(text, 1);
}

static struct text_part cut_word(struct text_part *text) {
  size_t size = 0;
  while (size < text->size && text->at[size] != ' ' && text->at[size] != '\t')
    size++;
  return part_cut_front(text, size);
}

/* ---- patterns ---- */

bool part_match_pattern(struct text_part *text, part_kind *kind,
                        const char *pattern, ...) {
  struct text_part left = *text, taken;
  va_list parts;
  va_start(parts, pattern);
  for (; *pattern; pattern++) {
    if (*pattern != '%') {
      if (!left.size || *left.at != *pattern)
        break;
      part_cut_front(&left, 1);
    } else if (*++pattern == 'b') {
      part_skip_blanks(&left);
    } else {
      taken = *pattern == 'd'   ? cut_digits(&left)
              : *pattern == 'w' ? cut_word(&left)
                                : kind(&left, *pattern);
      if (!taken.size)
        break;
      *va_arg(parts, struct text_part *) = taken;
    }
  }
  va_end(parts);
  if (!*pattern)
    *text = left;
  return !*pattern;
}

void part_print_pattern(FILE *out, const char *pattern, ...) {
  va_list parts;
  va_start(parts, pattern);
  for (; *pattern; pattern++) {
    if (*pattern != '%')
      fputc(*pattern, out);
    else if (*++pattern == 'p')
      part_print_text(out, va_arg(parts, struct text_part));
    else
      fputs(va_arg(parts, const char *), out);
  }
  va_end(parts);
}

void part_print_text(FILE *out, struct text_part text) {
  fwrite(text.at, 1, text.size, out);
}
