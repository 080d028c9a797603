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
