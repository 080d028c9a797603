/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where a statement ends. What is taken for a comment is not cut at its
 * semicolons, and so stays one; code that is taken for a comment stays whole,
 * which does no harm.
 */
#include <string.h>

#include "lower_inside.h"

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char at(struct piece line, size_t i) {
  return i < line.size ? line.at[i] : '\n';
}

/* #1 is a number on Arm; where registers are %rax, or there is %hi, # begins
 * a comment. On Arm @ does, but in .pseudoprobe. */
static bool comment_begins(struct lowering *l, struct piece line, size_t i,
                           bool first, bool probe) {
  char c = line.at[i], next = at(line, i + 1);
  if (c == '%' && is_letter(next) && !l->arm)
    l->hashes = true;
  if (c == '/' && next == '*')
    l->comment = true;
  return (c == '/' && (next == '/' || next == '*')) ||
         (c == '@' && l->arm && !probe) ||
         (c == '#' && (l->hashes || l->riscv || first || is_blank(next) ||
                       next == '\n' || next == '#'));
}

/* Behind "...", '"' or '\'', of which line[i] is the first quote. */
static size_t behind_quotes(struct piece line, size_t i) {
  if (line.at[i] == '"') {
    while (++i < line.size && line.at[i] != '"')
      i += line.at[i] == '\\';
    return i + 1;
  }
  i += at(line, i + 1) == '\\' ? 3 : 2;
  return i + (at(line, i) == '\'');
}

bool lower_comment(struct lowering *l, struct piece line) {
  bool was = l->comment;
  for (size_t i = 0; l->comment && i + 1 < line.size; i++)
    if (line.at[i] == '*' && line.at[i + 1] == '/')
      l->comment = false;
  return was;
}

struct piece lower_statement(struct lowering *l, struct piece line) {
  struct piece rest = line, word;
  bool first = true;
  bool probe = lower_word(&rest, &word) && lower_is(word, ".pseudoprobe");
  for (size_t i = 0; i < line.size;) {
    char c = line.at[i];
    if (c == ';')
      return (struct piece){line.at, i};
    if (comment_begins(l, line, i, first, probe)) {
      if (l->comment)
        lower_comment(l, (struct piece){line.at + i + 2, line.size - i - 2});
      return line;
    }
    first &= is_blank(c);
    i = c == '"' || c == '\'' ? behind_quotes(line, i) : i + 1;
  }
  return line;
}

/* ==== Words of assembly, and sections as far as groups go. */

static bool is_between(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

bool lower_word(struct piece *rest, struct piece *word) {
  const char *at = rest->at, *end = rest->at + rest->size;
  while (at < end && is_between(*at))
    at++;
  word->at = at;
  if (at < end && *at == '"') {
    at++;
    while (at < end && *at != '"')
      at += *at == '\\' && end - at > 1 ? 2 : 1;
    at += at < end;
  } else
    while (at < end && !is_between(*at))
      at++;
  word->size = (size_t)(at - word->at);
  *rest = (struct piece){at, (size_t)(end - at)};
  return word->size != 0;
}

bool lower_is(struct piece word, const char *text) {
  return word.size == strlen(text) && memcmp(word.at, text, word.size) == 0;
}

bool lower_number(struct piece word, uint64_t *value) {
  *value = 0;
  for (size_t i = 0; i < word.size; i++) {
    unsigned digit = (unsigned)(word.at[i] - '0');
    if (digit > 9 || *value > (UINT64_MAX - digit) / 10)
      return false;
    *value = *value * 10 + digit;
  }
  return word.size != 0;
}

struct piece lower_name(struct piece word) {
  if (word.size < 2 || *word.at != '"')
    return word;
  return (struct piece){word.at + 1, word.size - 2};
}

/* ---- sections ---- */

static bool has_flag(struct piece flags, char flag) {
  return flags.size && memchr(flags.at, flag, flags.size);
}

/* NAME, "FLAGS", TYPE[, ENTRY SIZE][, LINKED][, GROUP[, comdat]] */
static struct lower_place place_of(struct piece rest) {
  struct lower_place place = {.comdat = false};
  struct piece name, flags = {NULL, 0}, word;
  if (!lower_word(&rest, &name) || !lower_word(&rest, &flags) ||
      !lower_word(&rest, &word) || *flags.at != '"' || !has_flag(flags, 'G'))
    return place;
  if (has_flag(flags, 'M'))
    lower_word(&rest, &word);
  if (has_flag(flags, 'o'))
    lower_word(&rest, &word);
  if (!lower_word(&rest, &place.group))
    place.group.size = 0;
  place.comdat = lower_word(&rest, &word) && lower_is(word, "comdat");
  return place;
}

static void go_to(struct lower_places *places, struct lower_place place) {
  places->previous = places->now;
  places->now = place;
}

const char *lower_move(struct lower_places *places, struct piece word,
                       struct piece rest) {
  if (lower_is(word, ".section"))
    go_to(places, place_of(rest));
  else if (lower_is(word, ".text") || lower_is(word, ".data") ||
           lower_is(word, ".bss"))
    go_to(places, (struct lower_place){.comdat = false});
  else if (lower_is(word, ".pushsection")) {
    if (places->depth == sizeof places->stack / sizeof *places->stack)
      return "it has .pushsection 65 times without .popsection; give a "
             "compiler's assembly";
    places->stack[places->depth++] = places->now;
    places->now = place_of(rest);
  } else if (lower_is(word, ".popsection") && places->depth)
    places->now = places->stack[--places->depth];
  else if (lower_is(word, ".previous"))
    go_to(places, places->previous);
  return NULL;
}
