/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "calc.h"

#include <ctype.h>
#include <stddef.h>

struct parser {
  const char *at;
  const char *error;
  int depth;
};

static long expression(struct parser *parser, int least);

static void skip(struct parser *parser) {
  while (isspace((unsigned char)*parser->at))
    parser->at++;
}

static long digits(struct parser *parser, int base) {
  long value = 0;
  int seen = 0;
  for (;; parser->at++) {
    int c = *parser->at;
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                       : 99;
    if (digit >= base)
      break;
    value = value * base + digit;
    seen = 1;
  }
  if (!seen)
    parser->error = "digit expected";
  return value;
}

static long primary(struct parser *parser) {
  skip(parser);
  switch (*parser->at) {
  case '-':
    parser->at++;
    return -primary(parser);
  case '~':
    parser->at++;
    return ~primary(parser);
  case '(': {
    parser->at++;
    if (++parser->depth > 8) {
      parser->error = "too deep";
      return 0;
    }
    long value = expression(parser, 0);
    skip(parser);
    if (*parser->at == ')')
      parser->at++;
    else
      parser->error = ") expected";
    parser->depth--;
    return value;
  }
  case '0':
    if (parser->at[1] == 'x') {
      parser->at += 2;
      return digits(parser, 16);
    }
    if (parser->at[1] == 'b') {
      parser->at += 2;
      return digits(parser, 2);
    }
    return digits(parser, 8);
  default:
    return digits(parser, 10);
  }
}

static long expression(struct parser *parser, int least) {
  long left = primary(parser);
  while (!parser->error) {
    skip(parser);
    char op = *parser->at;
    int power = binding(op);
    if (power <= least)
      break;
    parser->at++;
    long right = expression(parser, op == '^' ? power - 1 : power);
    if (!parser->error)
      left = apply(op, left, right, &parser->error);
  }
  return left;
}

struct value evaluate(const char *text) {
  struct parser parser = {text, NULL, 0};
  struct value value = {expression(&parser, 0), NULL};
  skip(&parser);
  value.error = parser.error;
  if (!value.error && *parser.at)
    value.error = "operator expected";
  return value;
}
