/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Flags are numbered anew where some are dropped. A region of the mapping gets
 * the sum of those that it follows from, so every reader of clang's mappings
 * reads it. Flags that only occur together are one flag.
 */
#include "flags_inside.h"

#include "../base/buffer.h"
#include "../base/map.h"
#include "../base/compare.h"

struct numbering {
  struct body *body;
  struct differences_of *function;
  size_t words;      /* of a set */
  uint64_t *sets;        /* by place: what its flag is the sum of */
  uint64_t *sum;         /* that of a counter */
  uint64_t *marks;   /* by place: which counters it occurs in; 0: in none */
  size_t *uses;      /* places, by counter */
  size_t *use_begin; /* by counter, and one more */
  uint64_t *flags;   /* of a sum: their numbers */
  uint64_t *todo;    /* counters that a sum is of */
  bool *seen;        /* expressions of a sum */
  struct mapping mapping;
  struct buffer expressions;
  struct map known;
  uint64_t total, never;
};

/* Sets of places are bits. */
static void unite(uint64_t *set, const uint64_t *other, size_t words) {
  for (size_t i = 0; i < words; i++)
    set[i] |= other[i];
}

static bool has(const uint64_t *set, size_t place) {
  return set[place / 64] >> place % 64 & 1;
}

/* The last one that was dropped follows from flags that are kept. */
static void resolve(struct numbering *numbering) {
  const struct body *body = numbering->body;
  const size_t *drops = (const size_t *)body->drops.data;
  const size_t *from = (const size_t *)body->from.data;
  size_t words = numbering->words;
  for (size_t i = 0; i < body_place_count(body); i++)
    if (!body_places(body)[i].dropped)
      numbering->sets[i * words + i / 64] |= UINT64_C(1) << i % 64;
  for (size_t i = body->drops.size / sizeof *drops; i--;) {
    const struct flag_place *place = &body_places(body)[drops[i]];
    for (size_t k = place->from; k < place->last; k++)
      unite(numbering->sets + drops[i] * words,
            numbering->sets + from[k] * words, words);
  }
}

/* ---- counters of the mapping ---- */

static bool is_of(const struct numbering *numbering, struct flag_use use) {
  return body_places(numbering->body)[use.place].function ==
         numbering->function;
}

static size_t counter_count(const struct differences_of *function) {
  return (size_t)function->counters + function->count;
}

static const char *sort_uses(struct numbering *numbering) {
  const struct flag_use *uses =
      (const struct flag_use *)numbering->body->uses.data;
  size_t count = numbering->body->uses.size / sizeof *uses;
  size_t counters = counter_count(numbering->function), sum = 0;
  numbering->uses = malloc((count + 1) * sizeof *numbering->uses);
  numbering->use_begin =
      calloc(counters + 1, sizeof *numbering->use_begin);
  if (!numbering->uses || !numbering->use_begin)
    return out_of_memory;
  size_t *begin = numbering->use_begin;
  for (size_t i = 0; i < count; i++)
    if (is_of(numbering, uses[i]))
      begin[uses[i].index]++;
  for (size_t i = 0; i <= counters; i++)
    begin[i] = sum += begin[i];
  for (size_t i = count; i--;)
    if (is_of(numbering, uses[i]))
      numbering->uses[--begin[uses[i].index]] = uses[i].place;
  return NULL;
}

static void add_number(struct numbering *numbering, size_t number) {
  size_t words = numbering->words;
  for (size_t i = numbering->use_begin[number];
       i < numbering->use_begin[number + 1]; i++)
    unite(numbering->sum, numbering->sets + numbering->uses[i] * words, words);
}

/* Sets the sum to what a counter follows from. Each expression counts once. */
static void find_sum(struct numbering *numbering, uint64_t counter) {
  const struct differences_of *function = numbering->function;
  uint64_t *todo = numbering->todo;
  size_t count = 0;
  memset(numbering->sum, 0, numbering->words * sizeof *numbering->sum);
  memset(numbering->seen, 0, function->expression_count);
  for (todo[count++] = counter; count;) {
    counter = todo[--count];
    if (counter % 4 == COUNTER_ZERO)
      continue;
    size_t number = differences_number_of(function, counter);
    if (number < counter_count(function)) {
      add_number(numbering, number);
    } else if (number == SIZE_MAX && !numbering->seen[counter / 4]) {
      numbering->seen[counter / 4] = true;
      todo[count++] = function->expressions[counter / 4].left;
      todo[count++] = function->expressions[counter / 4].right;
    }
  }
}

/* ---- regions ---- */

/* Calls a function with each counter of the regions. */
static const char *each_counter(struct numbering *numbering,
                                const char *(*act)(struct numbering *,
                                                   uint64_t *)) {
  const char *error = NULL;
  for (size_t i = 0; i < numbering->mapping.region_count && !error; i++) {
    struct region *region = &numbering->mapping.regions[i];
    bool branch =
        region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH;
    if (region->counter % 4 != COUNTER_ZERO)
      error = act(numbering, &region->counter);
    if (!error && branch && region->other % 4 != COUNTER_ZERO)
      error = act(numbering, &region->other);
  }
  return error;
}

/* Marks all places of a counter's sum. */
static const char *mark(struct numbering *numbering, uint64_t *counter) {
  find_sum(numbering, *counter);
  for (size_t i = 0; i < body_place_count(numbering->body); i++)
    if (has(numbering->sum, i))
      numbering->marks[i] = differences_mix(numbering->marks[i], *counter) | 1;
  return NULL;
}

/* The same marks: the same flag. */
static const char *number_places(struct numbering *numbering) {
  struct map numbers = {.limit = FLAGS_MOST};
  const char *error = NULL;
  for (size_t i = 0; i < body_place_count(numbering->body) && !error; i++) {
    struct flag_place *place = &body_places(numbering->body)[i];
    if (place->function != numbering->function)
      continue;
    place->number = FLAG_NONE;
    if (place->dropped || !numbering->marks[i])
      continue;
    uint64_t *at = map_at(&numbers, numbering->marks[i], 0, 0);
    if (!at) {
      error = out_of_memory;
    } else {
      *at = *at ? *at : ++numbering->total;
      place->number = *at - 1;
    }
  }
  map_free(&numbers);
  return error;
}

/* Sets *counter to the sum of two. */
static const char *add(struct numbering *numbering, uint64_t left,
                       uint64_t right, uint64_t *counter) {
  size_t count = numbering->expressions.size / sizeof(struct expression);
  uint64_t *at = map_at(&numbering->known, left, right, 0);
  const struct expression sum = {left, right};
  if (!at)
    return out_of_memory;
  const char *error =
      *at ? NULL
          : buffer_append(&numbering->expressions, &sum, sizeof sum);
  if (!*at)
    *at = count + 1;
  *counter = (*at - 1) * 4 + COUNTER_SUM;
  return error;
}

/* Sets *counter to the sum of flags, which ascend and are between first and
 * last. Halves are always at the same numbers, so that sums share them. */
static const char *sum_up(struct numbering *numbering, struct bytes list,
                          uint64_t first, uint64_t last, uint64_t *counter) {
  const uint64_t *flags = (const uint64_t *)(const void *)list.data;
  size_t count = list.size / sizeof *flags, left = 0;
  uint64_t middle = first + (last - first) / 2, parts[2];
  if (count == 1) {
    *counter = *flags * 4 + COUNTER_PLAIN;
    return NULL;
  }
  while (left < count && flags[left] < middle)
    left++;
  struct bytes low = {list.data, left * sizeof *flags};
  struct bytes high = {list.data + low.size, list.size - low.size};
  if (!left)
    return sum_up(numbering, high, middle, last, counter);
  if (left == count)
    return sum_up(numbering, low, first, middle, counter);
  const char *error = sum_up(numbering, low, first, middle, &parts[0]);
  if (!error)
    error = sum_up(numbering, high, middle, last, &parts[1]);
  return error ? error : add(numbering, parts[0], parts[1], counter);
}

ORDER_BY(by_number, uint64_t, *x);

/* Replaces a counter. One that nothing counts is no zero, which would say that
 * the compiler knows the branch. */
static const char *replace(struct numbering *numbering, uint64_t *counter) {
  size_t count = 0, kept = 0;
  uint64_t *flags = numbering->flags;
  find_sum(numbering, *counter);
  for (size_t i = 0; i < body_place_count(numbering->body); i++)
    if (has(numbering->sum, i))
      flags[count++] = body_places(numbering->body)[i].number;
  if (!count) {
    if (numbering->never == FLAG_NONE)
      numbering->never = numbering->total++;
    flags[count++] = numbering->never;
  }
  qsort(flags, count, sizeof *flags, by_number);
  for (size_t i = 0; i < count; i++)
    if (!i || flags[i] != flags[kept - 1])
      flags[kept++] = flags[i];
  uint64_t *hash = &numbering->function->hash;
  *hash = differences_mix(*hash, kept);
  for (size_t i = 0; i < kept; i++)
    *hash = differences_mix(*hash, flags[i]);
  struct bytes list = {(const unsigned char *)flags, kept * sizeof *flags};
  return sum_up(numbering, list, 0, UINT64_C(1) << 32, counter);
}

/* ---- functions ---- */

static const char *begin_function(struct numbering *numbering,
                                  struct buffer *record) {
  size_t count = body_place_count(numbering->body) + 1;
  const struct differences_of *function = numbering->function;
  const char *error = sort_uses(numbering);
  numbering->marks = calloc(count, sizeof *numbering->marks);
  numbering->flags = malloc((count + 1) * sizeof *numbering->flags);
  numbering->seen = malloc(function->expression_count + 1);
  numbering->todo =
      malloc((2 * function->expression_count + 1) * sizeof *numbering->todo);
  numbering->expressions = (struct buffer){.limit = FLAGS_MOST};
  numbering->known = (struct map){.limit = FLAGS_MOST};
  numbering->total = 0;
  numbering->never = FLAG_NONE;
  if (!error && (!numbering->marks || !numbering->flags || !numbering->seen ||
                 !numbering->todo))
    error = out_of_memory;
  const char *other = differences_open(function, &numbering->mapping, record);
  return error ? error : other;
}

static const char *number_function(struct numbering *numbering) {
  struct buffer record;
  struct mapping *mapping = &numbering->mapping;
  const char *error = begin_function(numbering, &record);
  if (!error)
    error = each_counter(numbering, mark);
  if (!error)
    error = number_places(numbering);
  if (!error)
    error = each_counter(numbering, replace);
  mapping->expressions = (struct expression *)numbering->expressions.data;
  mapping->expression_count =
      numbering->expressions.size / sizeof *mapping->expressions;
  if (!error)
    error = differences_replace(numbering->function, mapping);
  numbering->function->hash |= !numbering->function->hash;
  numbering->function->own = true;
  numbering->function->total = numbering->total;
  mapping_close(mapping);
  buffer_free(&record);
  buffer_free(&numbering->expressions);
  map_free(&numbering->known);
  free(numbering->marks);
  free(numbering->flags);
  free(numbering->seen);
  free(numbering->todo);
  free(numbering->uses);
  free(numbering->use_begin);
  numbering->uses = numbering->use_begin = NULL;
  return error;
}

/* All functions of the body whose flags may follow. */
static const char *number_all(struct body *body) {
  size_t count = body_place_count(body);
  struct numbering numbering = {.body = body, .words = count / 64 + 1};
  size_t size = numbering.words * sizeof *numbering.sum;
  numbering.sets = calloc(count + 1, size);
  numbering.sum = malloc(size);
  const char *error = numbering.sets && numbering.sum ? NULL : out_of_memory;
  if (!error)
    resolve(&numbering);
  for (size_t i = 0; i < count && !error; i++) {
    struct differences_of *function = body_places(body)[i].function;
    numbering.function = function;
    if (function->follows && !function->total)
      error = number_function(&numbering);
  }
  free(numbering.sets);
  free(numbering.sum);
  return error;
}

/* ---- stores ---- */

static const char *add_store(struct body *body, const struct flag_place *place,
                             uint64_t count, uint64_t index) {
  struct flag_store store = {place->line, place->edge, &place->call, count,
                             index};
  return buffer_append(&body->stores, &store, sizeof store);
}

ORDER_BY(by_line, struct flag_store, x->line, x->edge, x->index);

static const char *list_stores(struct body *body) {
  const struct flag_use *uses = (const struct flag_use *)body->uses.data;
  const char *error = NULL;
  for (size_t i = 0; i < body_place_count(body) && !error; i++) {
    const struct flag_place *place = &body_places(body)[i];
    if (!place->function->follows)
      continue;
    if (!place->dropped && place->number != FLAG_NONE)
      error = add_store(body, place, place->function->total, place->number);
    else
      body->reader->flags->dropped++;
  }
  for (size_t i = 0; i < body->uses.size / sizeof *uses && !error; i++) {
    const struct flag_place *place = &body_places(body)[uses[i].place];
    if (!place->function->follows)
      error = add_store(body, place, counter_count(place->function),
                        uses[i].index);
  }
  return error;
}

const char *flags_number(struct body *body) {
  bool any = false;
  for (size_t i = 0; i < body_place_count(body); i++)
    any |= body_places(body)[i].function->follows;
  const char *error = any ? number_all(body) : NULL;
  if (!error)
    error = list_stores(body);
  struct flag_store *stores = (struct flag_store *)body->stores.data;
  size_t count = body->stores.size / sizeof *stores;
  if (!error && count)
    qsort(stores, count, sizeof *stores, by_line);
  for (size_t i = 0; i < count && !error; i++) {
    /* A body of one block has no edges, nor memory for them. */
    if (stores[i].line != SIZE_MAX)
      continue;
    struct cfg_edge *edge = &cfg_edges(&body->cfg)[stores[i].edge];
    if (!edge->split)
      edge->split = ++body->splits;
  }
  return error;
}
