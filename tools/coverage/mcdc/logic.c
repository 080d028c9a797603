/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file parses a decision into a graph: each condition leads to a later
 * condition or to the result. The graph needs no brackets, ! or precedence.
 * While a part of a decision is parsed, the graph itself stores the lists of
 * the part's open exits. pairs.c searches the graph.
 */
#include "mcdc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"

enum { DEPTH_MOST = 200 };

/* ---- the text ---- */

enum logic_token {
  TOKEN_ATOM,
  TOKEN_AND,
  TOKEN_OR,
  TOKEN_NOT,
  TOKEN_OPEN,
  TOKEN_CLOSE,
  TOKEN_END,
  TOKEN_OTHER
};

struct decision_parser {
  struct logic_graph *logic;
  struct bytes text;
  const struct condition_text_span *atoms;
  uint32_t count, next; /* number of conditions; index of the next one */
  size_t at;
  unsigned depth;
  enum logic_token token;
};

static void parse_token(struct decision_parser *parser) {
  static const struct {
    const char *text;
    enum logic_token token;
  } words[] = {{"&&", TOKEN_AND}, {"||", TOKEN_OR},   {"!", TOKEN_NOT},
               {"(", TOKEN_OPEN}, {")", TOKEN_CLOSE}, {"and ", TOKEN_AND},
               {"or ", TOKEN_OR}, {"not ", TOKEN_NOT}};
  parser->at = (size_t)(token_find_next(parser->text, &parser->at).data -
                        parser->text.data);
  parser->token = parser->at < parser->text.size ? TOKEN_OTHER : TOKEN_END;
  if (parser->next < parser->count &&
      parser->at == parser->atoms[parser->next].begin) {
    parser->token = TOKEN_ATOM;
    parser->at = parser->atoms[parser->next++].end;
    return;
  }
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
    size_t size = strlen(words[i].text);
    if (parser->text.size - parser->at < size ||
        memcmp(parser->text.data + parser->at, words[i].text, size) != 0)
      continue;
    parser->token = words[i].token;
    parser->at += size;
    return;
  }
}

size_t logic_find_arguments_end(struct bytes text, size_t at) {
  size_t open = at;
  unsigned depth = 0;
  while (open < text.size && isspace(text.data[open]))
    open++;
  if (open >= text.size || text.data[open] != '(')
    return at;
  for (size_t i = open; i < text.size; i++) {
    depth += text.data[i] == '(';
    depth -= text.data[i] == ')';
    if (!depth)
      return i + 1;
  }
  return text.size;
}

/* ---- parts ---- */

#define NO_EXIT UINT32_MAX

/* A list of open exits, which will lead to the same target. The list is stored
 * in logic->next. An exit is 2 * condition + value. */
struct open_exits {
  uint32_t first, last;
};

struct parsed_operand {
  uint32_t begin;             /* first condition of the part */
  struct open_exits exits[2]; /* exits for the results false and true */
  bool valid;
};

static uint32_t *exit_pointer(const struct logic_graph *logic, uint32_t exit) {
  return &logic->next[exit / 2][exit % 2];
}

static void set_exit_targets(const struct logic_graph *logic,
                             struct open_exits exits, uint32_t to) {
  for (uint32_t at = exits.first; at != NO_EXIT;) {
    uint32_t *here = exit_pointer(logic, at);
    at = *here;
    *here = to;
  }
}

static struct open_exits join_exits(const struct logic_graph *logic,
                                    struct open_exits a, struct open_exits b) {
  *exit_pointer(logic, a.last) = b.first;
  return (struct open_exits){a.first, b.last};
}

static struct parsed_operand parse_or_chain(struct decision_parser *parser);

static struct parsed_operand parse_operand(struct decision_parser *parser) {
  struct parsed_operand part = {.valid = false};
  bool negated = false;
  for (; parser->token == TOKEN_NOT; parse_token(parser))
    negated = !negated;
  if (parser->token == TOKEN_ATOM) {
    uint32_t condition = parser->next - 1;
    part = (struct parsed_operand){condition,
                                   {{2 * condition, 2 * condition},
                                    {2 * condition + 1, 2 * condition + 1}},
                                   true};
    *exit_pointer(parser->logic, 2 * condition) = NO_EXIT;
    *exit_pointer(parser->logic, 2 * condition + 1) = NO_EXIT;
    parse_token(parser);
  } else if (parser->token == TOKEN_OPEN && parser->depth < DEPTH_MOST) {
    parser->depth++;
    parse_token(parser);
    part = parse_or_chain(parser);
    part.valid &= parser->token == TOKEN_CLOSE;
    parser->depth--;
    parse_token(parser);
  }
  if (negated) {
    struct open_exits exits = part.exits[0];
    part.exits[0] = part.exits[1];
    part.exits[1] = exits;
  }
  return part;
}

/* Parses a chain of operands. If `all` is set, the operator is &&, and a true
 * operand leads to the next operand. Otherwise the operator is ||, and a false
 * operand leads to the next operand. */
static struct parsed_operand
parse_operator_chain(struct decision_parser *parser, bool all) {
  struct parsed_operand part =
      all ? parse_operand(parser) : parse_operator_chain(parser, true);
  while (part.valid && parser->token == (all ? TOKEN_AND : TOKEN_OR)) {
    parse_token(parser);
    struct parsed_operand right =
        all ? parse_operand(parser) : parse_operator_chain(parser, true);
    part.valid = right.valid;
    if (!part.valid)
      break;
    set_exit_targets(parser->logic, part.exits[all], right.begin);
    part.exits[all] = right.exits[all];
    part.exits[!all] =
        join_exits(parser->logic, part.exits[!all], right.exits[!all]);
  }
  return part;
}

static struct parsed_operand parse_or_chain(struct decision_parser *parser) {
  return parse_operator_chain(parser, false);
}

bool logic_parse(struct logic_graph *logic, struct bytes text,
                 const struct condition_text_span *atoms, uint32_t count) {
  struct decision_parser parser = {
      .logic = logic, .text = text, .atoms = atoms, .count = count};
  *logic = (struct logic_graph){.count = count};
  if (!count || count > LOGIC_CONDITIONS_MOST)
    return false;
  logic->next = need_memory(calloc(count, sizeof *logic->next));
  parse_token(&parser);
  struct parsed_operand part = parse_or_chain(&parser);
  if (!part.valid || parser.token != TOKEN_END || parser.next != count)
    return false;
  set_exit_targets(logic, part.exits[0], LOGIC_FALSE);
  set_exit_targets(logic, part.exits[1], LOGIC_TRUE);
  return true;
}

void logic_free(struct logic_graph *logic) {
  free(logic->next);
  *logic = (struct logic_graph){0};
}

/* ---- vectors ---- */

bool logic_allows_vector(const struct logic_graph *logic,
                         const unsigned char *vector) {
  uint32_t node = 0;
  for (uint32_t i = 0; i < logic->count; i++) {
    if ((vector[i] != VALUE_NONE) != (i == node))
      return false;
    if (i == node)
      node = logic->next[i][vector[i] == VALUE_TRUE];
  }
  return node ==
         (vector[logic->count] == VALUE_TRUE ? LOGIC_TRUE : LOGIC_FALSE);
}
