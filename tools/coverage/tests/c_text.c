/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file classifies the lines of C or C++ text. The file uses only tokens,
 * without a grammar. test_selection.c uses the classes to find the code that a
 * changed line can affect.
 */
#include "tests.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../model/tokens.h"

/* ---- tokens ---- */

enum c_token_kind { END, WORD, MARK, LITERAL, DIRECTIVE };

struct c_scanner {
  struct bytes all;
  size_t at, line;
  bool fresh; /* Only blanks and comments are before this place in its line. */
  bool open;  /* A comment or literal lacks its end. */
  /* The current token. */
  enum c_token_kind kind;
  struct bytes text;
  size_t first; /* first line of the token; `line` is its last line */
};

static int byte_at(const struct c_scanner *scan, size_t at) {
  return at < scan->all.size ? scan->all.data[at] : 0;
}

static void skip_to_offset(struct c_scanner *scan, size_t end) {
  for (; scan->at < end; scan->at++)
    if (byte_at(scan, scan->at) == '\n') {
      scan->line++;
      scan->fresh = true;
    }
}

/* Skips a comment. Returns false if no comment begins here. */
static bool skip_comment(struct c_scanner *scan) {
  size_t begin = scan->at, end = token_find_end(scan->all, begin);
  const unsigned char *data = scan->all.data;
  if (!token_is_comment(scan->all, begin, end))
    return false;
  scan->open |=
      data[begin + 1] == '*' &&
      (end - begin < 4 || data[end - 2] != '*' || data[end - 1] != '/');
  skip_to_offset(scan, end);
  return true;
}

static void skip_directive(struct c_scanner *scan) {
  while (scan->at < scan->all.size) {
    size_t at = scan->at;
    size_t before = at - (at > 1 && byte_at(scan, at - 1) == '\r');
    if (byte_at(scan, at) == '\n' && byte_at(scan, before - 1) != '\\')
      return;
    if (byte_at(scan, at + 1) != '*' || !skip_comment(scan))
      skip_to_offset(scan, at + 1);
  }
}

/* Returns whether a literal or raw string spans several lines or never ends. */
static bool is_literal_open(const struct c_scanner *scan, size_t end) {
  const unsigned char *data = scan->all.data, *begin = data + scan->at;
  size_t size = end - scan->at;
  if (*begin == '"' || *begin == '\'')
    return memchr(begin, '\n', size) || size < 2 || data[end - 1] != *begin ||
           (end == scan->all.size && data[end - 2] == '\\');
  /* Quotes inside a raw string do not end the string. */
  return token_is_word_byte(*begin) &&
         (data[end - 1] == '"' ||
          (data[end - 1] == 'R' && byte_at(scan, end) == '"'));
}

static bool parse_token(struct c_scanner *scan) {
  while (scan->at < scan->all.size &&
         (isspace(byte_at(scan, scan->at)) || byte_at(scan, scan->at) == '/'))
    if (byte_at(scan, scan->at) != '/')
      skip_to_offset(scan, scan->at + 1);
    else if (!skip_comment(scan))
      break;
  size_t begin = scan->at;
  int byte = byte_at(scan, begin);
  bool fresh = scan->fresh;
  scan->first = scan->line;
  scan->fresh = false;
  if (begin == scan->all.size) {
    scan->kind = END;
  } else if (byte == '#' && fresh) {
    scan->kind = DIRECTIVE;
    skip_directive(scan);
  } else {
    size_t end = token_find_end(scan->all, begin);
    scan->kind = byte == '"' || byte == '\'' || isdigit(byte) ? LITERAL
                 : token_is_word_byte(byte)                   ? WORD
                                                              : MARK;
    scan->open |= is_literal_open(scan, end);
    skip_to_offset(scan, end);
  }
  scan->text = (struct bytes){scan->all.data + begin, scan->at - begin};
  return scan->kind != END;
}

/* Returns whether the token is one of these words, which blanks separate. */
static bool is_one_of_words(const struct c_scanner *scan, const char *words) {
  size_t size = scan->text.size;
  for (const char *at = words; scan->kind == WORD && *at;) {
    size_t length = strcspn(at, " ");
    if (length == size && memcmp(at, scan->text.data, size) == 0)
      return true;
    at += length + (at[length] == ' ');
  }
  return false;
}

static bool is_mark_token(const struct c_scanner *scan, char mark) {
  return scan->kind == MARK && *scan->text.data == mark;
}

/* ---- declarations of a source ---- */

struct declaration {
  size_t first;    /* first line of the declaration */
  size_t body;     /* line of the {; 0 without a body */
  unsigned depth;  /* number of open brackets */
  bool is_private; /* The declaration is static or names a type. */
  bool type, braces, function, value, linkage, is_extern;
  bool early; /* The compiler may run the code at compile time. */
};

struct c_declaration_walk {
  struct declaration one; /* the current declaration */
  unsigned char *lines;
  bool shares; /* Other files may use data from this file. */
};

/* The bits of a line with a private declaration. If the file shares data, which
 * may refer to private declarations, these bits become C_SHARED and
 * C_INSIDE. */
enum { PRIVATE = 8, PRIVATE_INSIDE = 16 };

static void classify_declaration(struct c_declaration_walk *all, size_t line) {
  struct declaration *one = &all->one;
  bool type = one->type && one->braces && !one->value && !one->function;
  bool shared = !one->is_private && !type;
  /* A change of a function's head affects only its callers, so the head does
   * not count as shared. */
  bool body = one->function && one->braces && !one->value;
  unsigned is = shared ? C_SHARED : PRIVATE;
  unsigned inside = shared ? C_INSIDE : PRIVATE_INSIDE;
  for (size_t i = body ? one->body : one->first; i <= line && i; i++)
    if (shared || !body)
      all->lines[i] |= (unsigned char)(is | (i < line ? inside : 0));
  for (size_t i = one->first; i <= line && i && one->early; i++)
    all->lines[i] |= C_DIRECTIVE;
  all->shares |= shared && (one->value || (!one->function && !one->is_extern));
  *one = (struct declaration){0};
}

static void update_at_mark(struct c_declaration_walk *all,
                           const struct c_scanner *scan) {
  struct declaration *one = &all->one;
  char mark = (char)*scan->text.data;
  if (mark == '{' && !one->depth) {
    /* extern "C" and namespaces contain ordinary declarations. */
    if (one->linkage && !one->function && !one->value) {
      *one = (struct declaration){0};
      return;
    }
    one->braces = true;
    one->body = scan->line;
  }
  one->function |= mark == '(' && !one->depth && !one->value;
  one->value |= mark == '=' && !one->depth;
  if (strchr("({[", mark))
    one->depth++;
  else if (strchr(")}]", mark) && one->depth)
    one->depth--;
  else if (mark == '}')
    *one = (struct declaration){0};
  if (!one->depth && (mark == ';' || (mark == '}' && one->function &&
                                      one->braces && !one->value)))
    classify_declaration(all, scan->line);
}

static void update_declaration(struct c_declaration_walk *all,
                               const struct c_scanner *scan) {
  struct declaration *one = &all->one;
  if (!one->first)
    one->first = scan->first;
  if (scan->kind == MARK)
    update_at_mark(all, scan);
  one->early |= is_one_of_words(scan, "constexpr consteval constinit");
  if (one->depth || one->value)
    return;
  one->is_private |= is_one_of_words(scan, "static typedef using");
  one->is_extern |= is_one_of_words(scan, "extern");
  one->type |= is_one_of_words(scan, "struct union enum class");
  one->linkage |= is_one_of_words(scan, "namespace") ||
                  (scan->kind == LITERAL && *scan->text.data == '"');
}

unsigned char *c_text_classify_lines(struct bytes text, size_t *count) {
  struct c_scanner scan = {.all = text, .line = 1, .fresh = true};
  *count = 2;
  for (size_t i = 0; i < text.size; i++)
    *count += text.data[i] == '\n';
  struct c_declaration_walk all = {.lines = need_memory(calloc(*count, 1))};
  while (parse_token(&scan)) {
    if (scan.kind == DIRECTIVE)
      memset(all.lines + scan.first, C_DIRECTIVE, scan.line - scan.first + 1);
    else
      update_declaration(&all, &scan);
  }
  /* Brackets may not match, for example between #if and #else. */
  bool lost = all.one.first || scan.open;
  for (size_t i = 0; i < *count; i++) {
    unsigned is = all.lines[i];
    if (lost || (all.shares && is & PRIVATE))
      all.lines[i] |= C_SHARED;
    if (lost || (all.shares && is & PRIVATE_INSIDE))
      all.lines[i] |= C_INSIDE;
  }
  return all.lines;
}

/* ---- the shape of lines ---- */

/* Returns whether a word may be a macro: all of its letters are capitals. */
static bool may_be_macro(struct bytes word) {
  bool large = false;
  for (size_t i = 0; i < word.size; i++) {
    if (islower(word.data[i]))
      return false;
    large |= isupper(word.data[i]) != 0;
  }
  return large;
}

/* Returns whether the token structures statements, or separates the operands of
 * && || ? : and commas. */
static bool is_structure_token(const struct c_scanner *scan) {
  if (scan->kind == MARK)
    return strchr(";{}()?:,&|", *scan->text.data) != NULL;
  return is_one_of_words(scan,
                         "if else for while do switch case default goto static "
                         "enum struct union typedef extern try catch") ||
         (scan->kind == WORD && may_be_macro(scan->text));
}

struct c_text_structure c_text_find_structure(struct bytes lines) {
  struct c_text_structure shape = {.hash = 14695981039346656037u};
  unsigned char *text = need_memory(malloc(lines.size + 1));
  struct c_scanner scan = {.all = {text, 0}, .fresh = true};
  while (lines.size) { /* lines without the diff's marks and remarks */
    struct bytes line = bytes_next_full_line(&lines);
    if (*line.data == '\\')
      continue;
    memcpy(text + scan.all.size, line.data + 1, line.size - 1);
    scan.all.size += line.size - 1;
  }
  while (parse_token(&scan)) {
    shape.wide |=
        scan.kind == DIRECTIVE || is_mark_token(&scan, '\\') ||
        (is_mark_token(&scan, '*') && byte_at(&scan, scan.at) == '/') ||
        is_one_of_words(&scan, "__attribute__ __attribute _Pragma __pragma "
                               "__declspec asm __asm __asm__");
    shape.jumps |= is_one_of_words(&scan, "case default");
    for (size_t i = 0; is_structure_token(&scan) && i <= scan.text.size; i++)
      shape.hash =
          (shape.hash ^ (i ? scan.text.data[i - 1] : ' ')) * 1099511628211u;
  }
  shape.wide |= scan.open;
  free(text);
  return shape;
}
