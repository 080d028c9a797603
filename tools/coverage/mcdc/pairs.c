/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file has the rule for an independence pair, which ../model/decisions.c
 * uses, too, and finds a pair for each condition of a decision. Four searches
 * follow each other, and each one takes longer than the one before. They try
 * two vectors that ran, two of all vectors found so far, a new partner for one
 * of these vectors, and two new vectors. While the values of all groups are
 * fixed, conditions do not depend on each other, and a search takes polynomial
 * time. The search is therefore repeated for each choice of group values.
 * decision.c uses the pairs.
 */
#include "mcdc.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/buffer.h"
#include "../../base/need.h"

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
  unsigned groups;    /* number of groups of conditions */
  unsigned values[2]; /* bits: the groups' values in `first` and `second` */
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
