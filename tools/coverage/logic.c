/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A decision becomes a graph: each condition leads to a later one or to the
 * result. Brackets, ! and the priority of && are gone then. While a part is
 * read, its open exits are lists that run through the graph itself.
 */
#include "logic.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"

enum { DEPTH_MOST = 200 };

/* ---- the text ---- */

enum token {
  TOKEN_ATOM,
  TOKEN_AND,
  TOKEN_OR,
  TOKEN_NOT,
  TOKEN_OPEN,
  TOKEN_CLOSE,
  TOKEN_END,
  TOKEN_OTHER
};

struct parser {
  struct logic *logic;
  struct bytes text;
  const struct atom *atoms;
  uint32_t count, next; /* atoms; the next of them */
  size_t at;
  unsigned depth;
  enum token token;
};

static bool begins(const struct parser *parser, const char *word) {
  size_t size = strlen(word);
  return parser->text.size - parser->at >= size &&
         memcmp(parser->text.data + parser->at, word, size) == 0;
}

/* The end of a comment, or of the text. */
static size_t behind(const struct parser *parser, const char *end) {
  size_t size = strlen(end), at = parser->at + 2;
  for (; at + size <= parser->text.size; at++)
    if (memcmp(parser->text.data + at, end, size) == 0)
      return at + size;
  return parser->text.size;
}

static void skip_blanks(struct parser *parser) {
  for (;;) {
    int byte =
        parser->at < parser->text.size ? parser->text.data[parser->at] : 0;
    if (byte && strchr(" \t\r\n\f\v\\", byte))
      parser->at++;
    else if (begins(parser, "/*"))
      parser->at = behind(parser, "*/");
    else if (begins(parser, "//"))
      parser->at = behind(parser, "\n");
    else
      return;
  }
}

static void advance(struct parser *parser) {
  static const struct {
    const char *text;
    enum token token;
  } words[] = {{"&&", TOKEN_AND}, {"||", TOKEN_OR},   {"!", TOKEN_NOT},
               {"(", TOKEN_OPEN}, {")", TOKEN_CLOSE}, {"and ", TOKEN_AND},
               {"or ", TOKEN_OR}, {"not ", TOKEN_NOT}};
  skip_blanks(parser);
  parser->token = parser->at < parser->text.size ? TOKEN_OTHER : TOKEN_END;
  if (parser->next < parser->count &&
      parser->at == parser->atoms[parser->next].begin) {
    parser->token = TOKEN_ATOM;
    parser->at = parser->atoms[parser->next++].end;
    return;
  }
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
    if (!begins(parser, words[i].text))
      continue;
    parser->token = words[i].token;
    parser->at += strlen(words[i].text);
    return;
  }
}

size_t logic_behind_arguments(struct bytes text, size_t at) {
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

/* Exits that lead the same way: a list through `next`, of exits 2 * condition +
 * value. */
struct exits {
  uint32_t first, last;
};

struct part {
  uint32_t begin;        /* its first condition */
  struct exits exits[2]; /* if it is false, and true */
  bool valid;
};

static uint32_t *slot(const struct logic *logic, uint32_t exit) {
  return &logic->next[exit / 2][exit % 2];
}

static void lead(const struct logic *logic, struct exits exits, uint32_t to) {
  for (uint32_t at = exits.first; at != NO_EXIT;) {
    uint32_t *here = slot(logic, at);
    at = *here;
    *here = to;
  }
}

static struct exits join(const struct logic *logic, struct exits a,
                         struct exits b) {
  *slot(logic, a.last) = b.first;
  return (struct exits){a.first, b.last};
}

static struct part parse_any(struct parser *parser);

static struct part parse_one(struct parser *parser) {
  struct part part = {.valid = false};
  bool negated = false;
  for (; parser->token == TOKEN_NOT; advance(parser))
    negated = !negated;
  if (parser->token == TOKEN_ATOM) {
    uint32_t condition = parser->next - 1;
    part = (struct part){condition,
                         {{2 * condition, 2 * condition},
                          {2 * condition + 1, 2 * condition + 1}},
                         true};
    *slot(parser->logic, 2 * condition) = NO_EXIT;
    *slot(parser->logic, 2 * condition + 1) = NO_EXIT;
    advance(parser);
  } else if (parser->token == TOKEN_OPEN && parser->depth < DEPTH_MOST) {
    parser->depth++;
    advance(parser);
    part = parse_any(parser);
    part.valid &= parser->token == TOKEN_CLOSE;
    parser->depth--;
    advance(parser);
  }
  if (negated) {
    struct exits exits = part.exits[0];
    part.exits[0] = part.exits[1];
    part.exits[1] = exits;
  }
  return part;
}

/* Reads operands of && (which go on if true) or of ||. */
static struct part parse_chain(struct parser *parser, bool all) {
  struct part part = all ? parse_one(parser) : parse_chain(parser, true);
  while (part.valid && parser->token == (all ? TOKEN_AND : TOKEN_OR)) {
    advance(parser);
    struct part right = all ? parse_one(parser) : parse_chain(parser, true);
    part.valid = right.valid;
    if (!part.valid)
      break;
    lead(parser->logic, part.exits[all], right.begin);
    part.exits[all] = right.exits[all];
    part.exits[!all] = join(parser->logic, part.exits[!all], right.exits[!all]);
  }
  return part;
}

static struct part parse_any(struct parser *parser) {
  return parse_chain(parser, false);
}

bool logic_parse(struct logic *logic, struct bytes text,
                 const struct atom *atoms, uint32_t count) {
  struct parser parser = {
      .logic = logic, .text = text, .atoms = atoms, .count = count};
  *logic = (struct logic){.count = count};
  if (!count || count > LOGIC_CONDITIONS_MOST)
    return false;
  logic->next = calloc(count, sizeof *logic->next);
  if (!logic->next)
    return false;
  advance(&parser);
  struct part part = parse_any(&parser);
  if (!part.valid || parser.token != TOKEN_END || parser.next != count)
    return false;
  lead(logic, part.exits[0], LOGIC_FALSE);
  lead(logic, part.exits[1], LOGIC_TRUE);
  return true;
}

void logic_free(struct logic *logic) {
  free(logic->next);
  *logic = (struct logic){0};
}

/* ---- vectors ---- */

bool logic_gives(const struct logic *logic, const unsigned char *vector) {
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

bool logic_is_pair(uint32_t count, const unsigned char *a,
                   const unsigned char *b, uint32_t condition) {
  if (a[count] == b[count] || a[condition] == VALUE_NONE ||
      b[condition] == VALUE_NONE || a[condition] == b[condition])
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (i != condition && a[i] != b[i] && a[i] != VALUE_NONE &&
        b[i] != VALUE_NONE)
      return false;
  return true;
}

/* ---- pairs ---- */

#define STEPS_MOST (UINT32_C(1) << 22)

struct finder {
  const struct logic *logic;
  struct pairs *pairs;
  const unsigned char *constants;
  uint32_t steps;
  unsigned char first[LOGIC_CONDITIONS_MOST + 1],
      second[LOGIC_CONDITIONS_MOST + 1];
};

static const unsigned char *vector_at(const struct finder *finder,
                                      uint32_t number) {
  return finder->pairs->vectors.data +
         (size_t)number * (finder->logic->count + 1);
}

static const char *add_vector(struct finder *finder,
                              const unsigned char *vector) {
  finder->pairs->count++;
  return buffer_append(&finder->pairs->vectors, vector,
                       finder->logic->count + 1);
}

/* Whether two of the first vectors show a condition. */
static bool find_among(struct finder *finder, uint32_t condition,
                       uint32_t count, struct pair *pair) {
  for (uint32_t a = 0; a < count; a++) {
    const unsigned char *one = vector_at(finder, a);
    if (one[condition] != VALUE_TRUE)
      continue;
    for (uint32_t b = 0; b < count && finder->steps < STEPS_MOST; b++) {
      finder->steps++;
      if (!logic_is_pair(finder->logic->count, one, vector_at(finder, b),
                         condition))
        continue;
      *pair = (struct pair){
          count > finder->pairs->ran ? PAIR_MISSING : PAIR_RAN, {a, b}};
      return true;
    }
  }
  return false;
}

/* Whether a condition may have a value in a vector that goes with another. */
static bool may_be(const struct finder *finder, const unsigned char *other,
                   uint32_t condition, unsigned value) {
  if (other && other[condition] != VALUE_NONE)
    return other[condition] == value;
  unsigned char constant = finder->constants[condition];
  return constant == VALUE_NONE || constant == value;
}

/* Finds a vector that is a pair with another for a condition: the same up to
 * the condition, then any way to the other result. */
static bool find_partner(struct finder *finder, const unsigned char *other,
                         uint32_t condition, unsigned char *vector) {
  const struct logic *logic = finder->logic;
  uint32_t count = logic->count;
  bool reaches[LOGIC_CONDITIONS_MOST];
  uint32_t wanted = other[count] == VALUE_TRUE ? LOGIC_FALSE : LOGIC_TRUE;
#define REACHES(to) ((to) < count ? reaches[to] : (to) == wanted)
  if (other[condition] == VALUE_NONE ||
      finder->constants[condition] != VALUE_NONE)
    return false;
  for (uint32_t i = count; i-- > condition + 1;) {
    reaches[i] = false;
    for (unsigned value = 0; value < 2; value++)
      reaches[i] |=
          may_be(finder, other, i, value) && REACHES(logic->next[i][value]);
  }
  finder->steps += count;
  uint32_t at = logic->next[condition][other[condition] == VALUE_FALSE];
  if (!REACHES(at))
    return false;
  memset(vector, VALUE_NONE, count);
  memcpy(vector, other, condition);
  vector[condition] = other[condition] == VALUE_FALSE;
  while (at < count) {
    unsigned value = may_be(finder, other, at, VALUE_FALSE) &&
                             REACHES(logic->next[at][VALUE_FALSE])
                         ? VALUE_FALSE
                         : VALUE_TRUE;
    vector[at] = (unsigned char)value;
    at = logic->next[at][value];
  }
#undef REACHES
  vector[count] = wanted == LOGIC_TRUE;
  return true;
}

/* Finds a way to a condition. false: constants are before it. */
static bool find_way(struct finder *finder, uint32_t condition,
                     unsigned char *vector) {
  const struct logic *logic = finder->logic;
  bool reaches[LOGIC_CONDITIONS_MOST];
  reaches[condition] = true;
  for (uint32_t i = condition; i-- > 0;) {
    reaches[i] = false;
    for (unsigned value = 0; value < 2; value++)
      reaches[i] |= may_be(finder, NULL, i, value) &&
                    logic->next[i][value] <= condition &&
                    reaches[logic->next[i][value]];
  }
  memset(vector, VALUE_NONE, logic->count);
  for (uint32_t at = 0; at < condition && reaches[0];) {
    uint32_t to = logic->next[at][VALUE_FALSE];
    unsigned value = !(may_be(finder, NULL, at, VALUE_FALSE) &&
                       to <= condition && reaches[to]);
    vector[at] = (unsigned char)value;
    at = logic->next[at][value];
  }
  return reaches[0];
}

/* Where two vectors are behind a condition that differs in them, and how they
 * came there: `from` is another state, at whose earlier place the value was
 * taken. Results are places behind the last condition. */
struct state {
  uint32_t from;
  unsigned char value;
  bool known;
};

#define NO_STATE UINT32_MAX

static uint32_t place_of(uint32_t count, uint32_t to) {
  return to == LOGIC_FALSE ? count : to == LOGIC_TRUE ? count + 1 : to;
}

/* Adds the states behind one: the vector that is less far goes on. Where both
 * are at one place they can no longer differ. */
static void go_on(struct finder *finder, struct state *states, uint32_t *queue,
                  uint32_t *queued, uint32_t state) {
  uint32_t count = finder->logic->count, width = count + 2;
  uint32_t a = state / width, b = state % width, first = a < b ? a : b;
  if (a == b || first >= count)
    return;
  for (unsigned value = 0; value < 2; value++) {
    uint32_t to = place_of(count, finder->logic->next[first][value]);
    uint32_t next = a < b ? to * width + b : a * width + to;
    if (!may_be(finder, NULL, first, value) || states[next].known)
      continue;
    states[next] = (struct state){state, (unsigned char)value, true};
    queue[(*queued)++] = next;
  }
}

/* Writes the values that led to a state into both vectors. */
static void take_states(struct finder *finder, const struct state *states,
                        uint32_t state) {
  uint32_t count = finder->logic->count, width = count + 2;
  finder->first[count] = state / width == count + 1;
  finder->second[count] = state % width == count + 1;
  for (; states[state].from != NO_STATE; state = states[state].from) {
    uint32_t a = states[state].from / width, b = states[state].from % width;
    if (a < b)
      finder->first[a] = states[state].value;
    else
      finder->second[b] = states[state].value;
  }
}

/* Finds two vectors that show a condition: first and second. false: there are
 * none, or there is no memory. */
static bool find_two(struct finder *finder, uint32_t condition) {
  const struct logic *logic = finder->logic;
  uint32_t count = logic->count, width = count + 2, queued = 0;
  if (finder->constants[condition] != VALUE_NONE ||
      !find_way(finder, condition, finder->first))
    return false;
  memcpy(finder->second, finder->first, count);
  finder->first[condition] = VALUE_FALSE;
  finder->second[condition] = VALUE_TRUE;
  struct state *states = calloc((size_t)width * width, sizeof *states);
  uint32_t *queue = malloc((size_t)width * width * sizeof *queue);
  bool found = false;
  if (states && queue) {
    uint32_t begin = place_of(count, logic->next[condition][0]) * width +
                     place_of(count, logic->next[condition][1]);
    states[begin] = (struct state){NO_STATE, 0, true};
    queue[queued++] = begin;
  }
  for (uint32_t i = 0; i < queued && !found; i++) {
    uint32_t a = queue[i] / width, b = queue[i] % width;
    found = a >= count && b >= count && a != b;
    if (found)
      take_states(finder, states, queue[i]);
    else
      go_on(finder, states, queue, &queued, queue[i]);
  }
  finder->steps += queued;
  free(states);
  free(queue);
  return found;
}

/* Adds the vectors that a condition needs, and notes the pair. */
static const char *propose(struct finder *finder, uint32_t condition,
                           struct pair *pair) {
  uint32_t count = finder->pairs->count;
  pair->state = PAIR_MISSING;
  for (uint32_t i = 0; i < count && finder->steps < STEPS_MOST; i++)
    if (find_partner(finder, vector_at(finder, i), condition, finder->first)) {
      pair->vectors[0] = i;
      pair->vectors[1] = count;
      return add_vector(finder, finder->first);
    }
  if (find_two(finder, condition)) {
    pair->vectors[0] = count;
    pair->vectors[1] = count + 1;
    const char *error = add_vector(finder, finder->first);
    return error ? error : add_vector(finder, finder->second);
  }
  pair->state = PAIR_NONE;
  return NULL;
}

const char *pairs_find(struct pairs *pairs, const struct logic *logic,
                       const unsigned char *ran, uint32_t count,
                       const unsigned char *constants) {
  struct finder finder = {
      .logic = logic, .pairs = pairs, .constants = constants};
  *pairs =
      (struct pairs){.vectors.limit = UINT32_MAX, .ran = count, .count = count};
  pairs->pairs = calloc(logic->count, sizeof *pairs->pairs);
  const char *error = pairs->pairs
                          ? buffer_append(&pairs->vectors, ran,
                                          (size_t)count * (logic->count + 1))
                          : out_of_memory;
  for (uint32_t i = 0; i < logic->count && !error; i++)
    if (!find_among(&finder, i, count, &pairs->pairs[i]) &&
        !find_among(&finder, i, pairs->count, &pairs->pairs[i]))
      error = propose(&finder, i, &pairs->pairs[i]);
  return error;
}

void pairs_free(struct pairs *pairs) {
  buffer_free(&pairs->vectors);
  free(pairs->pairs);
  *pairs = (struct pairs){0};
}
