/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ends of statements: text treated as a comment is not cut at its semicolons,
 * so a comment stays whole. Code mistaken for a comment stays whole too,
 * without harm.
 */
#include "probe_inside.h"

#include <string.h>

#include "../base/number.h"

/* ---- words ---- */

static bool is_between(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

bool word_next(struct asm_piece *rest, struct asm_piece *word) {
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
  *rest = (struct asm_piece){at, (size_t)(end - at)};
  return word->size != 0;
}

bool word_is(struct asm_piece word, const char *text) {
  return word.size == strlen(text) && memcmp(word.at, text, word.size) == 0;
}

bool word_decimal(struct asm_piece word, uint64_t *value) {
  const struct bytes text = {(const unsigned char *)word.at, word.size};
  return number_in(text, 10, value);
}

struct asm_piece word_unquoted(struct asm_piece word) {
  if (word.size < 2 || *word.at != '"')
    return word;
  return (struct asm_piece){word.at + 1, word.size - 2};
}

bool word_same_name(struct asm_piece a, struct asm_piece b) {
  a = word_unquoted(a);
  b = word_unquoted(b);
  return a.size == b.size && a.size && memcmp(a.at, b.at, a.size) == 0;
}

/* ---- sections ---- */

static bool has_flag(struct asm_piece flags, char flag) {
  return flags.size && memchr(flags.at, flag, flags.size);
}

/* NAME, "FLAGS", TYPE[, ENTRY SIZE][, LINKED][, GROUP[, comdat]] */
static struct assembly_place place_of(struct asm_piece rest) {
  struct assembly_place place = {.comdat = false};
  struct asm_piece name, flags = {NULL, 0}, word;
  if (!word_next(&rest, &name) || !word_next(&rest, &flags) ||
      !word_next(&rest, &word) || *flags.at != '"' || !has_flag(flags, 'G'))
    return place;
  if (has_flag(flags, 'M'))
    word_next(&rest, &word);
  if (has_flag(flags, 'o'))
    word_next(&rest, &word);
  if (!word_next(&rest, &place.group))
    place.group.size = 0;
  place.comdat = word_next(&rest, &word) && word_is(word, "comdat");
  return place;
}

static void go_to(struct assembly_places *places, struct assembly_place place) {
  places->previous = places->now;
  places->now = place;
}

const char *assembly_switch(struct assembly_places *places,
                            struct asm_piece word, struct asm_piece rest) {
  if (word_is(word, ".section"))
    go_to(places, place_of(rest));
  else if (word_is(word, ".text") || word_is(word, ".data") ||
           word_is(word, ".bss"))
    go_to(places, (struct assembly_place){.comdat = false});
  else if (word_is(word, ".pushsection")) {
    if (places->depth == sizeof places->stack / sizeof *places->stack)
      return "it has .pushsection 65 times without .popsection; give a "
             "compiler's assembly";
    places->stack[places->depth++] = places->now;
    places->now = place_of(rest);
  } else if (word_is(word, ".popsection") && places->depth)
    places->now = places->stack[--places->depth];
  else if (word_is(word, ".previous"))
    go_to(places, places->previous);
  return NULL;
}

/* ---- statements ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char at(struct asm_piece line, size_t i) {
  return i < line.size ? line.at[i] : '\n';
}

/* #1 is a number on Arm. With registers like %rax, or with %hi, # begins a
 * comment. On Arm @ begins a comment, except in .pseudoprobe. */
static bool comment_begins(struct assembly_text *text, struct asm_piece line,
                           size_t i, bool first, bool probe) {
  char c = line.at[i], next = at(line, i + 1);
  if (c == '%' && is_letter(next) && !text->arm)
    text->hashes = true;
  if (c == '/' && next == '*')
    text->comment = true;
  return (c == '/' && (next == '/' || next == '*')) ||
         (c == '@' && text->arm && !probe) ||
         (c == '#' && (text->hashes || text->riscv || first || is_blank(next) ||
                       next == '\n' || next == '#'));
}

/* Behind "...", '"' or '\'', of which line[i] is the first quote. */
static size_t behind_quotes(struct asm_piece line, size_t i) {
  if (line.at[i] == '"') {
    while (++i < line.size && line.at[i] != '"')
      i += line.at[i] == '\\';
    return i + 1;
  }
  i += at(line, i + 1) == '\\' ? 3 : 2;
  return i + (at(line, i) == '\'');
}

bool assembly_in_comment(struct assembly_text *text, struct asm_piece line) {
  bool was = text->comment;
  for (size_t i = 0; text->comment && i + 1 < line.size; i++)
    if (line.at[i] == '*' && line.at[i + 1] == '/')
      text->comment = false;
  return was;
}

struct asm_piece assembly_statement(struct assembly_text *text,
                                    struct asm_piece line) {
  struct asm_piece rest = line, word;
  bool first = true;
  bool probe = word_next(&rest, &word) && word_is(word, ".pseudoprobe");
  for (size_t i = 0; i < line.size;) {
    char c = line.at[i];
    if (c == ';')
      return (struct asm_piece){line.at, i};
    if (comment_begins(text, line, i, first, probe)) {
      if (text->comment)
        assembly_in_comment(
            text, (struct asm_piece){line.at + i + 2, line.size - i - 2});
      return line;
    }
    first &= is_blank(c);
    i = c == '"' || c == '\'' ? behind_quotes(line, i) : i + 1;
  }
  return line;
}
