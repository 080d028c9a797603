/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tokens of C, without a grammar.
 */
#include "by_test.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- tokens ---- */

enum kind { END, WORD, MARK, LITERAL, DIRECTIVE };

struct c_scan {
  const unsigned char *at, *end;
  size_t line;
  bool marked; /* Each line begins with a diff's mark. */
  bool fresh;  /* Nothing is before on this line. */
  bool open;   /* A comment or literal has no end. */
  /* The token. */
  enum kind kind;
  struct bytes text;
  size_t first; /* its first line; line: its last one */
};

static bool comes(const struct c_scan *scan, const char *text) {
  size_t size = strlen(text);
  return (size_t)(scan->end - scan->at) >= size &&
         memcmp(scan->at, text, size) == 0;
}

/* Behind the end of a line. */
static void begin_line(struct c_scan *scan) {
  scan->line++;
  scan->fresh = true;
  while (scan->marked && scan->at < scan->end && *scan->at == '\\') {
    const unsigned char *end =
        memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    scan->at = end ? end + 1 : scan->end;
  }
  if (scan->marked && scan->at < scan->end)
    scan->at++;
}

static void step(struct c_scan *scan) {
  if (*scan->at++ == '\n')
    begin_line(scan);
}

static void skip_comment(struct c_scan *scan) {
  bool line = scan->at[1] == '/';
  for (scan->at += 2; scan->at < scan->end; step(scan)) {
    if (line && *scan->at == '\n')
      return;
    if (!line && comes(scan, "*/")) {
      scan->at += 2;
      return;
    }
  }
  scan->open |= !line;
}

static void skip_blanks(struct c_scan *scan) {
  while (scan->at < scan->end) {
    if (comes(scan, "/*") || comes(scan, "//"))
      skip_comment(scan);
    else if (isspace(*scan->at))
      step(scan);
    else
      return;
  }
}

static void take_literal(struct c_scan *scan) {
  unsigned char quote = *scan->at++;
  for (; scan->at < scan->end && *scan->at != '\n'; scan->at++) {
    if (*scan->at == quote) {
      scan->at++;
      return;
    }
    if (*scan->at == '\\' && scan->end - scan->at > 1 && scan->at[1] != '\n')
      scan->at++;
  }
  scan->open = true;
}

static bool in_word(int c) { return isalnum(c) || c == '_' || c >= 0x80; }

static void take_directive(struct c_scan *scan) {
  while (scan->at < scan->end) {
    if (*scan->at == '\n' && scan->at[-1] != '\\' &&
        (scan->at[-1] != '\r' || scan->at[-2] != '\\'))
      return;
    if (comes(scan, "/*"))
      skip_comment(scan);
    else
      step(scan);
  }
}

static bool next(struct c_scan *scan) {
  skip_blanks(scan);
  bool fresh = scan->fresh;
  const unsigned char *begin = scan->at;
  scan->first = scan->line;
  scan->fresh = false;
  if (scan->at == scan->end)
    scan->kind = END;
  else if (*begin == '#' && fresh) {
    scan->kind = DIRECTIVE;
    take_directive(scan);
  } else if (*begin == '"' || *begin == '\'') {
    scan->kind = LITERAL;
    take_literal(scan);
  } else if (in_word(*begin)) {
    scan->kind = isdigit(*begin) ? LITERAL : WORD;
    while (scan->at < scan->end &&
           (in_word(*scan->at) ||
            (isdigit(*begin) && (*scan->at == '\'' || *scan->at == '.'))))
      scan->at++;
    /* The quotes in a raw string end nothing. */
    scan->open |= scan->at[-1] == 'R' && comes(scan, "\"");
  } else {
    scan->kind = MARK;
    scan->at++;
  }
  scan->text = (struct bytes){begin, (size_t)(scan->at - begin)};
  return scan->kind != END;
}

/* Whether the token is one of these words, between blanks. */
static bool is_one(const struct c_scan *scan, const char *words) {
  size_t size = scan->text.size;
  for (const char *at = words; scan->kind == WORD && *at;) {
    size_t length = strcspn(at, " ");
    if (length == size && memcmp(at, scan->text.data, size) == 0)
      return true;
    at += length + (at[length] == ' ');
  }
  return false;
}

static bool is_mark(const struct c_scan *scan, char mark) {
  return scan->kind == MARK && *scan->text.data == mark;
}

/* ---- declarations of a source ---- */

struct declaration {
  size_t first;    /* line */
  size_t body;     /* the line of its {, or 0 */
  unsigned depth;  /* of brackets */
  bool is_private; /* static, or the definition of a type's name */
  bool type, braces, function, value, linkage, is_extern;
  bool early; /* The compiler may run it. */
};

struct declarations {
  struct declaration one; /* at hand */
  unsigned char *lines;
  bool shares; /* Data of the file is there for others. */
};

/* Only for this file; or until the file shares data, which may refer to it. */
enum { PRIVATE = 8, PRIVATE_INSIDE = 16 };

static bool is_shared(const struct declaration *one) {
  bool type = one->type && one->braces && !one->value && !one->function;
  return !one->is_private && !type;
}

static void end_declaration(struct declarations *all, size_t line) {
  struct declaration *one = &all->one;
  bool shared = is_shared(one);
  /* A function's head is known by those that call it, and no others. */
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

static void add_mark(struct declarations *all, const struct c_scan *scan) {
  struct declaration *one = &all->one;
  char mark = (char)*scan->text.data;
  if (mark == '{' && !one->depth) {
    /* extern "C" and namespaces hold declarations like any. */
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
    end_declaration(all, scan->line);
}

static void add_token(struct declarations *all, const struct c_scan *scan) {
  struct declaration *one = &all->one;
  if (!one->first)
    one->first = scan->first;
  if (scan->kind == MARK)
    add_mark(all, scan);
  one->early |= is_one(scan, "constexpr consteval constinit");
  if (one->depth || one->value)
    return;
  one->is_private |= is_one(scan, "static typedef using");
  one->is_extern |= is_one(scan, "extern");
  one->type |= is_one(scan, "struct union enum class");
  one->linkage |= is_one(scan, "namespace") ||
                  (scan->kind == LITERAL && *scan->text.data == '"');
}

unsigned char *c_lines(struct bytes text, size_t *count) {
  struct c_scan scan = {
      .at = text.data, .end = text.data + text.size, .line = 1, .fresh = true};
  *count = 2;
  for (size_t i = 0; i < text.size; i++)
    *count += text.data[i] == '\n';
  struct declarations all = {.lines = calloc(*count, 1)};
  while (all.lines && next(&scan)) {
    if (scan.kind == DIRECTIVE)
      memset(all.lines + scan.first, C_DIRECTIVE, scan.line - scan.first + 1);
    else
      add_token(&all, &scan);
  }
  /* Brackets that do not match, as between #if and #else. */
  bool lost = all.one.first || scan.open;
  for (size_t i = 0; all.lines && i < *count; i++) {
    unsigned is = all.lines[i];
    if (lost || (all.shares && is & PRIVATE))
      all.lines[i] |= C_SHARED;
    if (lost || (all.shares && is & PRIVATE_INSIDE))
      all.lines[i] |= C_INSIDE;
  }
  return all.lines;
}

/* ---- the shape of lines ---- */

/* Whether a word may be a macro, as its letters are all large. */
static bool is_loud(struct bytes word) {
  bool large = false;
  for (size_t i = 0; i < word.size; i++) {
    if (islower(word.data[i]))
      return false;
    large |= isupper(word.data[i]) != 0;
  }
  return large;
}

/* What binds statements and the operands of && || ? : and commas. */
static bool is_structure(const struct c_scan *scan) {
  if (scan->kind == MARK)
    return strchr(";{}()?:,&|", *scan->text.data) != NULL;
  return is_one(scan, "if else for while do switch case default goto static "
                      "enum struct union typedef extern try catch") ||
         (scan->kind == WORD && is_loud(scan->text));
}

struct c_shape c_shape(struct bytes lines) {
  struct c_scan scan = {
      .at = lines.data, .end = lines.data + lines.size, .marked = true};
  struct c_shape shape = {.hash = 14695981039346656037u};
  if (lines.size)
    begin_line(&scan);
  while (lines.size && next(&scan)) {
    shape.wide |= scan.kind == DIRECTIVE || is_mark(&scan, '\\') ||
                  (is_mark(&scan, '*') && comes(&scan, "/")) ||
                  is_one(&scan, "__attribute__ __attribute _Pragma __pragma "
                                "__declspec asm __asm __asm__");
    shape.jumps |= is_one(&scan, "case default");
    for (size_t i = 0; is_structure(&scan) && i <= scan.text.size; i++)
      shape.hash =
          (shape.hash ^ (i ? scan.text.data[i - 1] : ' ')) * 1099511628211u;
  }
  shape.wide |= scan.open;
  return shape;
}
