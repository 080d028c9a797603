/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file parses how a decision joins its conditions, finds an independence
 * pair for each condition, and puts the result into the order of the source for
 * the pages. coupled.c finds conditions with dependent values.
 */
#include "mcdc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/need.h"

/* ==== This part parses a decision into a graph: each condition leads to a
 * later condition or to the result. The graph needs no brackets, ! or
 * precedence. While a part of a decision is parsed, the graph itself stores the
 * lists of the part's open exits. */

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

/* ==== This part has the rule for an independence pair, which
 * ../model/decisions.c uses, too, and finds the pairs. Four searches follow
 * each other, and each one takes longer than the one before. They try two
 * vectors that ran, two of all vectors found so far, a new partner for one of
 * these vectors, and two new vectors. While the values of all groups are fixed,
 * conditions do not depend on each other, and a search takes polynomial time.
 * The search is therefore repeated for each choice of group values. */

enum { WORD = 64 };

size_t pairs_packed_words(uint32_t count) {
  return 2 * (((size_t)count + WORD - 1) / WORD);
}

void pairs_pack_vector(const unsigned char *vector, uint32_t count,
                       uint64_t *packed) {
  memset(packed, 0, pairs_packed_words(count) * sizeof *packed);
  for (uint32_t i = 0; i < count; i++)
    if (vector[i] != VALUE_NONE) {
      uint64_t bit = UINT64_C(1) << i % WORD;
      packed[2 * (i / WORD)] |= bit;
      packed[2 * (i / WORD) + 1] |= vector[i] == VALUE_TRUE ? bit : 0;
    }
}

bool pairs_find_only_difference(const uint64_t *a, const uint64_t *b,
                                uint32_t count, uint32_t *which) {
  bool found = false;
  size_t words = pairs_packed_words(count);
  for (size_t i = 0; i < words; i += 2) {
    uint64_t both = a[i] & b[i] & (a[i + 1] ^ b[i + 1]);
    if (!both)
      continue;
    if (found || both & (both - 1))
      return false;
    found = true;
    *which = (uint32_t)(i / 2 * WORD) + (uint32_t)__builtin_ctzll(both);
  }
  return found;
}

#define STEPS_MOST (UINT32_C(1) << 22)

struct vector_pair_search {
  const struct logic_graph *logic;
  struct decision_pairs *pairs;
  const struct condition_constraints *known;
  struct buffer packed; /* the vectors of `pairs`, packed */
  unsigned groups;      /* number of groups of conditions */
  unsigned values[2];   /* bits: the groups' values in `first` and `second` */
  uint32_t steps;
  unsigned char first[LOGIC_CONDITIONS_MOST + 1],
      second[LOGIC_CONDITIONS_MOST + 1];
};

static const unsigned char *get_vector(const struct vector_pair_search *finder,
                                       uint32_t number) {
  return finder->pairs->vectors.data +
         (size_t)number * (finder->logic->count + 1);
}

static void append_vector(struct vector_pair_search *finder,
                          const unsigned char *vector) {
  finder->pairs->count++;
  need_append(&finder->pairs->vectors, vector, finder->logic->count + 1);
}

/* Packs the vectors that were found since the last call. Returns the packed
 * vectors. */
static const uint64_t *pack_new_vectors(struct vector_pair_search *finder) {
  uint64_t packed[2 * LOGIC_CONDITIONS_MOST / WORD];
  uint32_t count = finder->logic->count;
  size_t size = pairs_packed_words(count) * sizeof *packed;
  for (size_t i = finder->packed.size / size; i < finder->pairs->count; i++) {
    pairs_pack_vector(get_vector(finder, (uint32_t)i), count, packed);
    need_append(&finder->packed, packed, size);
  }
  return (const uint64_t *)(const void *)finder->packed.data;
}

/* Finds an independence pair of a condition among the first `count` vectors.
 * Returns false if there is none. */
static bool find_pair_among_vectors(struct vector_pair_search *finder,
                                    uint32_t condition, uint32_t count,
                                    struct independence_pair *pair) {
  uint32_t conditions = finder->logic->count, which;
  size_t words = pairs_packed_words(conditions);
  const uint64_t *packed = pack_new_vectors(finder);
  for (uint32_t a = 0; a < count; a++) {
    const unsigned char *one = get_vector(finder, a);
    if (one[condition] != VALUE_TRUE)
      continue;
    for (uint32_t b = 0; b < count && finder->steps < STEPS_MOST; b++) {
      finder->steps++;
      if (one[conditions] == get_vector(finder, b)[conditions] ||
          !pairs_find_only_difference(packed + a * words, packed + b * words,
                                      conditions, &which) ||
          which != condition)
        continue;
      *pair = (struct independence_pair){
          count > finder->pairs->ran ? PAIR_MISSING : PAIR_RAN, {a, b}};
      return true;
    }
  }
  return false;
}

/* Returns whether a condition can have this value with these group values. */
static bool fits_group_values(const struct condition_constraints *known,
                              unsigned values, unsigned value) {
  return known->group == GROUP_NONE ||
         ((values >> known->group & 1) ^ known->contrary) == value;
}

/* Returns whether a condition can have this value in the vector `first` (which
 * = 0) or `second` (which = 1). */
static bool can_have_value(const struct vector_pair_search *finder,
                           unsigned which, uint32_t condition, unsigned value) {
  const struct condition_constraints *known = &finder->known[condition];
  return (known->constant == VALUE_NONE || known->constant == value) &&
         fits_group_values(known, finder->values[which], value);
}

/* Returns whether a condition can have this value in the vector `first` if
 * `first` and `other` are an independence pair. */
static bool is_compatible_value(const struct vector_pair_search *finder,
                                const unsigned char *other, uint32_t condition,
                                unsigned value) {
  if (other[condition] == VALUE_NONE)
    return can_have_value(finder, 0, condition, value);
  return other[condition] == value &&
         fits_group_values(&finder->known[condition], finder->values[0], value);
}

/* Copies `other` into `first` up to the condition, which is inverted. Returns
 * false if the groups' values do not allow this vector. */
static bool copy_and_invert_prefix(struct vector_pair_search *finder,
                                   const unsigned char *other,
                                   uint32_t condition) {
  unsigned char *vector = finder->first;
  bool fits = true;
  memset(vector, VALUE_NONE, finder->logic->count);
  memcpy(vector, other, condition);
  vector[condition] = other[condition] == VALUE_FALSE;
  for (uint32_t i = 0; i <= condition; i++)
    fits &= vector[i] == VALUE_NONE ||
            fits_group_values(&finder->known[i], finder->values[0], vector[i]);
  return fits;
}

/* Makes `first` a partner of `other` in a pair for a condition: up to the
 * condition both have the same values, then `first` takes any path to the
 * opposite result. Returns false if no partner exists. */
static bool make_partner_vector(struct vector_pair_search *finder,
                                const unsigned char *other,
                                uint32_t condition) {
  const struct logic_graph *logic = finder->logic;
  uint32_t count = logic->count;
  bool reaches[LOGIC_CONDITIONS_MOST];
  uint32_t wanted = other[count] == VALUE_TRUE ? LOGIC_FALSE : LOGIC_TRUE;
#define REACHES(to) ((to) < count ? reaches[to] : (to) == wanted)
  if (other[condition] == VALUE_NONE ||
      finder->known[condition].constant != VALUE_NONE ||
      !copy_and_invert_prefix(finder, other, condition))
    return false;
  for (uint32_t i = count; i-- > condition + 1;) {
    reaches[i] = false;
    for (unsigned value = 0; value < 2; value++)
      reaches[i] |= is_compatible_value(finder, other, i, value) &&
                    REACHES(logic->next[i][value]);
  }
  finder->steps += count;
  uint32_t at = logic->next[condition][other[condition] == VALUE_FALSE];
  if (!REACHES(at))
    return false;
  while (at < count) {
    unsigned value = is_compatible_value(finder, other, at, VALUE_FALSE) &&
                             REACHES(logic->next[at][VALUE_FALSE])
                         ? VALUE_FALSE
                         : VALUE_TRUE;
    finder->first[at] = (unsigned char)value;
    at = logic->next[at][value];
  }
#undef REACHES
  finder->first[count] = wanted == LOGIC_TRUE;
  return true;
}

static bool can_both_have_value(const struct vector_pair_search *finder,
                                uint32_t condition, unsigned value) {
  return can_have_value(finder, 0, condition, value) &&
         can_have_value(finder, 1, condition, value);
}

/* Finds values for the conditions that lead to this condition, the same for
 * `first` and `second`. Returns false if there are none. */
static bool find_path_to_condition(struct vector_pair_search *finder,
                                   uint32_t condition) {
  const struct logic_graph *logic = finder->logic;
  unsigned char *vector = finder->first;
  bool reaches[LOGIC_CONDITIONS_MOST];
  reaches[condition] = true;
  for (uint32_t i = condition; i-- > 0;) {
    reaches[i] = false;
    for (unsigned value = 0; value < 2; value++)
      reaches[i] |= can_both_have_value(finder, i, value) &&
                    logic->next[i][value] <= condition &&
                    reaches[logic->next[i][value]];
  }
  memset(vector, VALUE_NONE, logic->count);
  for (uint32_t at = 0; at < condition && reaches[0];) {
    uint32_t to = logic->next[at][VALUE_FALSE];
    unsigned value = !(can_both_have_value(finder, at, VALUE_FALSE) &&
                       to <= condition && reaches[to]);
    vector[at] = (unsigned char)value;
    at = logic->next[at][value];
  }
  memcpy(finder->second, finder->first, logic->count);
  finder->first[condition] = VALUE_FALSE;
  finder->second[condition] = VALUE_TRUE;
  return reaches[0] && can_have_value(finder, 0, condition, VALUE_FALSE) &&
         can_have_value(finder, 1, condition, VALUE_TRUE);
}

/* A state of the search for two new vectors. The state is a pair of places that
 * the vectors have reached after the condition that differs. A place is a
 * condition, or the result after the last condition. `from` is the previous
 * state; there, the vector at the earlier place took `value`. */
struct pair_search_state {
  uint32_t from;
  unsigned char value;
  bool known;
};

#define NO_STATE UINT32_MAX

static uint32_t target_to_place(uint32_t count, uint32_t to) {
  return to == LOGIC_FALSE ? count : to == LOGIC_TRUE ? count + 1 : to;
}

/* Adds the states that can follow a state, in which the vector at the earlier
 * place has moved on. Two vectors at the same place can no longer differ, so
 * they are left out. */
static void push_next_states(struct vector_pair_search *finder,
                             struct pair_search_state *states, uint32_t *queue,
                             uint32_t *queued, uint32_t state) {
  uint32_t count = finder->logic->count, width = count + 2;
  uint32_t a = state / width, b = state % width, first = a < b ? a : b;
  if (a == b || first >= count)
    return;
  for (unsigned value = 0; value < 2; value++) {
    uint32_t to = target_to_place(count, finder->logic->next[first][value]);
    uint32_t next = a < b ? to * width + b : a * width + to;
    if (!can_have_value(finder, a > b, first, value) || states[next].known)
      continue;
    states[next] =
        (struct pair_search_state){state, (unsigned char)value, true};
    queue[(*queued)++] = next;
  }
}

/* Copies the values on the path to `state` to both vectors. The element after
 * the last condition is the vector's result. */
static void copy_path_values(struct vector_pair_search *finder,
                             const struct pair_search_state *states,
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

/* Finds two new vectors, `first` and `second`, that are a pair for a condition.
 * Returns false if the groups' values do not allow such a pair. */
static bool find_new_pair(struct vector_pair_search *finder,
                          struct pair_search_state *states, uint32_t *queue,
                          uint32_t condition) {
  const struct logic_graph *logic = finder->logic;
  uint32_t count = logic->count, width = count + 2, queued = 0;
  if (finder->known[condition].constant != VALUE_NONE ||
      !find_path_to_condition(finder, condition))
    return false;
  uint32_t begin = target_to_place(count, logic->next[condition][0]) * width +
                   target_to_place(count, logic->next[condition][1]);
  memset(states, 0, (size_t)width * width * sizeof *states);
  states[begin] = (struct pair_search_state){NO_STATE, 0, true};
  queue[queued++] = begin;
  finder->steps += width;
  for (uint32_t i = 0; i < queued; i++) {
    uint32_t a = queue[i] / width, b = queue[i] % width;
    finder->steps++;
    if (a >= count && b >= count && a != b) {
      copy_path_values(finder, states, queue[i]);
      return true;
    }
    push_next_states(finder, states, queue, &queued, queue[i]);
  }
  return false;
}

static bool try_groups_for_pair(struct vector_pair_search *finder,
                                uint32_t condition) {
  size_t width = finder->logic->count + 2, room = width * width;
  struct pair_search_state *states = need_memory(malloc(room * sizeof *states));
  uint32_t *queue = need_memory(malloc(room * sizeof *queue));
  unsigned choices = 1u << finder->groups;
  bool found = false;
  for (unsigned i = 0;
       !found && i < choices * choices && (!i || finder->steps < STEPS_MOST);
       i++) {
    finder->values[0] = i % choices;
    finder->values[1] = i / choices;
    found = find_new_pair(finder, states, queue, condition);
  }
  free(states);
  free(queue);
  return found;
}

static bool try_groups_for_partner(struct vector_pair_search *finder,
                                   uint32_t number, uint32_t condition) {
  for (unsigned i = 0; i < 1u << finder->groups; i++) {
    finder->values[0] = i;
    if (make_partner_vector(finder, get_vector(finder, number), condition))
      return true;
  }
  return false;
}

static void propose_vectors(struct vector_pair_search *finder,
                            uint32_t condition,
                            struct independence_pair *pair) {
  uint32_t count = finder->pairs->count;
  pair->state = PAIR_MISSING;
  for (uint32_t i = 0; i < count && finder->steps < STEPS_MOST; i++)
    if (try_groups_for_partner(finder, i, condition)) {
      pair->vectors[0] = i;
      pair->vectors[1] = count;
      append_vector(finder, finder->first);
      return;
    }
  if (try_groups_for_pair(finder, condition)) {
    pair->vectors[0] = count;
    pair->vectors[1] = count + 1;
    append_vector(finder, finder->first);
    append_vector(finder, finder->second);
    return;
  }
  pair->state = finder->steps < STEPS_MOST ? PAIR_NONE : PAIR_UNKNOWN;
}

void pairs_find(struct decision_pairs *pairs, const struct logic_graph *logic,
                const unsigned char *ran, uint32_t count,
                const struct condition_constraints *known) {
  struct vector_pair_search finder = {
      .logic = logic, .pairs = pairs, .known = known, .packed.limit = SIZE_MAX};
  *pairs = (struct decision_pairs){
      .vectors.limit = UINT32_MAX, .ran = count, .count = count};
  pairs->pairs = need_memory(calloc(logic->count, sizeof *pairs->pairs));
  need_append(&pairs->vectors, ran, (size_t)count * (logic->count + 1));
  for (uint32_t i = 0; i < logic->count; i++)
    if (known[i].group != GROUP_NONE && known[i].group >= finder.groups)
      finder.groups = known[i].group + 1u;
  for (uint32_t i = 0; i < logic->count; i++)
    if (!find_pair_among_vectors(&finder, i, count, &pairs->pairs[i]) &&
        !find_pair_among_vectors(&finder, i, pairs->count, &pairs->pairs[i]))
      propose_vectors(&finder, i, &pairs->pairs[i]);
  buffer_free(&finder.packed);
}

bool pairs_vector_fits(const struct condition_constraints *known,
                       uint32_t count, const unsigned char *vector) {
  unsigned seen = 0, values = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (vector[i] == VALUE_NONE || known[i].group == GROUP_NONE)
      continue;
    unsigned bit = 1u << known[i].group;
    if (!(seen & bit))
      values |= (vector[i] != known[i].contrary) ? bit : 0;
    seen |= bit;
    if (!fits_group_values(&known[i], values, vector[i]))
      return false;
  }
  return true;
}

void pairs_free(struct decision_pairs *pairs) {
  buffer_free(&pairs->vectors);
  free(pairs->pairs);
  *pairs = (struct decision_pairs){0};
}

/* ==== This part puts the conditions and vectors of a decision into the order
 * of the source; the model has them in the order of clang's numbers. */

static const char in_macro[] = "a macro hides the operators";
static const char vectors_mismatch[] = "the vectors do not match the operators";

/* ---- conditions ---- */

/* Sets the place of a condition in the file of the decision. For a condition in
 * a macro, this is the place where the macro is used. Returns false if the
 * condition is in another file. */
static bool set_condition_place(const struct model *exported,
                                const struct model_function *function,
                                const struct model_decision *from,
                                uint32_t file, struct condition *condition) {
  const struct model_region *regions = model_regions_of(exported, function);
  for (unsigned i = 0; file != from->file && i < NESTED_MOST; i++) {
    uint32_t site = exported->sites[function->files.begin + file];
    if (site == NO_SITE)
      return false;
    condition->place = regions[site].span;
    condition->inside = true;
    file = regions[site].file;
  }
  return file == from->file && span_contains(&from->span, &condition->place);
}

static void make_conditions(struct decision *decision,
                            const struct model *exported,
                            const struct model_function *function,
                            const struct model_decision *from) {
  size_t begin = from->conditions.begin;
  for (uint32_t i = 0; i < decision->count; i++) {
    const struct model_condition *atom = &model_atoms(exported)[begin + i];
    struct condition *one = &decision->conditions[i];
    *one = (struct condition){.place = atom->span,
                              .number = i,
                              .shown = model_conditions(exported)[begin + i],
                              .constant =
                                  atom->constant == TRUE_SIDE    ? VALUE_FALSE
                                  : atom->constant == FALSE_SIDE ? VALUE_TRUE
                                                                 : VALUE_NONE,
                              .fixed = atom->constant != 0};
    if (!set_condition_place(exported, function, from, atom->file, one))
      decision->unknown = "the conditions are unknown";
  }
}

ORDER_BY(by_place, struct condition,
         place_number(x->place.line, x->place.column), x->number);

static void sort_and_count_conditions(struct decision *decision) {
  struct condition *list = decision->conditions;
  if (decision->count && !decision->unknown)
    qsort(list, decision->count, sizeof *list, by_place);
  for (uint32_t i = 0; i < decision->count; i++) {
    decision->missing += !list[i].shown && !list[i].fixed;
    decision->known[i].constant = list[i].constant;
  }
}

void decision_init(struct decision *decision, const struct model *exported,
                   const struct model_function *function,
                   const struct model_decision *from) {
  size_t room = (size_t)from->conditions.count + 1;
  *decision = (struct decision){.count = from->conditions.count};
  decision->conditions =
      need_memory(calloc(room, sizeof *decision->conditions));
  decision->known = need_memory(calloc(room, sizeof *decision->known));
  decision->atoms = need_memory(calloc(room, sizeof *decision->atoms));
  make_conditions(decision, exported, function, from);
  sort_and_count_conditions(decision);
}

/* ---- the source ---- */

/* Finds a source position in the text of the decision. Returns false if the
 * position is outside of the text. */
static bool locate_condition_text(const struct decision *decision,
                                  const struct source_text *source,
                                  const struct source_span *place,
                                  struct condition_text_span *atom) {
  struct bytes piece = source_span_text(source, place);
  if (!piece.size || piece.data < decision->text.data)
    return false;
  atom->begin = (size_t)(piece.data - decision->text.data);
  atom->end = atom->begin + piece.size;
  return atom->end <= decision->text.size;
}

/* Finds each condition in the text of the decision. Returns false if the text
 * lacks a condition, or two conditions are in one macro. Then conditions in
 * macros do not get a text. */
static bool set_condition_texts(struct decision *decision,
                                const struct source_text *source) {
  struct condition_text_span *atoms = decision->atoms;
  bool apart = true;
  for (uint32_t i = 0; i < decision->count; i++) {
    struct condition *one = &decision->conditions[i];
    if (!locate_condition_text(decision, source, &one->place, &atoms[i]))
      return false;
    atoms[i].macro = one->inside;
    if (one->inside)
      atoms[i].end = logic_find_arguments_end(decision->text, atoms[i].end);
    one->text = (struct bytes){decision->text.data + atoms[i].begin,
                               atoms[i].end - atoms[i].begin};
    apart &= !i || atoms[i].begin >= atoms[i - 1].end;
  }
  for (uint32_t i = 0; i < decision->count && !apart; i++)
    if (decision->conditions[i].inside)
      decision->conditions[i].text.size = 0;
  return apart;
}

void decision_parse(struct decision *decision,
                    const struct source_text *source) {
  if (decision->unknown)
    return;
  if (!decision->text.size)
    decision->unknown = "the source is missing";
  else if (!set_condition_texts(decision, source))
    decision->unknown = in_macro;
  else if (!logic_parse(&decision->logic, decision->text, decision->atoms,
                        decision->count))
    decision->unknown = "the decision has more than && || ! () in it";
}

/* ---- vectors ---- */

static unsigned char *
copy_reordered_vectors(const struct decision *decision,
                       const struct model *exported,
                       const struct model_decision *from) {
  const unsigned char *values = model_values(exported) + from->values.begin;
  size_t width = (size_t)decision->count + 1;
  unsigned char *copy = need_memory(malloc(width * from->vectors + 1));
  for (size_t i = 0; i < from->vectors; i++) {
    for (uint32_t k = 0; k < decision->count; k++)
      copy[i * width + k] = values[i * width + decision->conditions[k].number];
    copy[i * width + width - 1] = values[i * width + width - 1];
  }
  return copy;
}

/* Up to release 19, the mapping says that a condition is constant, but not
 * which value it has. A vector that ran shows the value. */
static void set_constant_values(struct decision *decision,
                                const unsigned char *ran, uint32_t vectors) {
  size_t width = (size_t)decision->count + 1;
  for (uint32_t i = 0; i < decision->count; i++) {
    struct condition *one = &decision->conditions[i];
    for (uint32_t k = 0;
         k < vectors && one->fixed && one->constant == VALUE_NONE; k++)
      one->constant = ran[k * width + i];
    decision->known[i].constant = one->constant;
    if (one->fixed && one->constant == VALUE_NONE && !decision->unknown)
      decision->unknown = "the value of a constant is unknown";
  }
}

/* Compares the vectors that ran, and the pairs in the bitmap, with the
 * operators and groups that the text shows. Returns NULL, or the reason why
 * these operators or groups must be wrong. */
static const char *find_vector_contradiction(const struct decision *decision) {
  const struct decision_pairs *pairs = &decision->pairs;
  size_t width = (size_t)decision->count + 1;
  for (uint32_t i = 0; i < pairs->ran; i++) {
    const unsigned char *vector = pairs->vectors.data + i * width;
    if (!logic_allows_vector(&decision->logic, vector))
      return vectors_mismatch;
    if (!pairs_vector_fits(decision->known, decision->count, vector))
      return "conditions with the same text had two values";
  }
  for (uint32_t i = 0; i < decision->count && pairs->ran; i++)
    if (pairs->pairs[i].state == PAIR_RAN && !decision->conditions[i].shown &&
        !decision->conditions[i].fixed)
      return vectors_mismatch;
  return NULL;
}

/* Keeps only the vectors that ran, because the operators are unknown. */
static void keep_only_ran_vectors(struct decision *decision,
                                  const unsigned char *ran, uint32_t count) {
  pairs_free(&decision->pairs);
  decision->pairs = (struct decision_pairs){
      .vectors.limit = UINT32_MAX, .ran = count, .count = count};
  need_append(&decision->pairs.vectors, ran,
              (size_t)count * (decision->count + 1));
}

void decision_find_pairs(struct decision *decision,
                         const struct model *exported,
                         const struct model_decision *from,
                         const struct source_text *source,
                         struct volatile_words *declared) {
  unsigned char *ran = copy_reordered_vectors(decision, exported, from);
  set_constant_values(decision, ran, from->vectors);
  decision_parse(decision, source);
  if (!decision->unknown)
    decision->unknown =
        coupled_set_groups(decision->known, decision->text, decision->atoms,
                           decision->count, declared);
  if (!decision->unknown) {
    pairs_find(&decision->pairs, &decision->logic, ran, from->vectors,
               decision->known);
    decision->unknown = find_vector_contradiction(decision);
  }
  if (decision->unknown)
    keep_only_ran_vectors(decision, ran, from->vectors);
  free(ran);
}

void decision_free(struct decision *decision) {
  free(decision->conditions);
  free(decision->known);
  free(decision->atoms);
  logic_free(&decision->logic);
  pairs_free(&decision->pairs);
  *decision = (struct decision){0};
}
