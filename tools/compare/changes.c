/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records are compared with those of the same name and hash. Remaining records
 * of a name on both sides are changed code. They are paired in the order of
 * hashes: the first of A with the first of B.
 */
#include "comparison.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/compare.h"

struct change_found {
  struct changes *changes;
  struct record_pair *pair;
  const struct pair_step *step;
  size_t most;    /* that are listed of a kind */
  bool ambiguous; /* the step's name has several records */
};

static struct amount amount_of(const struct changes *changes,
                               const struct counts *counts) {
  struct amount amount = {0};
  bool cut;
  if (!counts)
    return amount;
  amount.hash = counts->hash;
  amount.entry = counts->counter_count ? counts->counters[0] : 0;
  for (uint32_t i = 0; i < counts->counter_count; i++)
    amount.sum = count_sum(amount.sum, counts->counters[i], &cut);
  for (uint32_t i = 0; i < counts->more->bitmap_size && !changes->no_bitmaps;
       i++)
    for (unsigned byte = counts->more->bitmap[i]; byte; byte &= byte - 1)
      amount.bits++;
  amount.ran = amount.sum > 0;
  return amount;
}

/* Both have the same hash and number of counters. */
static bool same_counts(const struct changes *changes, const struct counts *a,
                        const struct counts *b) {
  uint32_t bitmap = changes->no_bitmaps ? 0 : a->more->bitmap_size;
  return !memcmp(a->counters, b->counters, a->counter_count * (size_t)8) &&
         (changes->no_bitmaps || bitmap == b->more->bitmap_size) &&
         (!bitmap || !memcmp(a->more->bitmap, b->more->bitmap, bitmap));
}

static enum record_change change_of(const struct changes *changes,
                             const struct compared_records *records, bool a_ran,
                             bool b_ran) {
  const struct counts *a = records->sides[SIDE_A], *b = records->sides[SIDE_B];
  if (!a || !b)
    return a ? CHANGE_ONLY_A : CHANGE_ONLY_B;
  if (!records->same || a->counter_count != b->counter_count)
    return CHANGE_CODE;
  if (a_ran != b_ran)
    return b_ran ? CHANGE_COVERED : CHANGE_UNCOVERED;
  return same_counts(changes, a, b) ? CHANGE_NONE : CHANGE_COUNTS;
}

/* Of changes of one kind. */
static int by_size(const void *a, const void *b) {
  const struct changed *one = a, *two = b;
  if (one->size != two->size)
    return one->size > two->size ? -1 : 1;
  int order = strcmp(one->name, two->name);
  for (int i = 0; i < SIDES && !order; i++)
    order = (one->sides[i].hash > two->sides[i].hash) -
            (one->sides[i].hash < two->sides[i].hash);
  return order;
}

/* Lists a change: all that are wanted; of few, the biggest so far. */
static bool list_change(struct change_found *finding, struct changed *changed) {
  enum { FEW = 64 };
  struct buffer *list = &finding->changes->lists[changed->change];
  size_t size = sizeof *changed, most = finding->most;
  bool few = most <= FEW, full = few && list->size == most * size;
  const struct changed *last = (const void *)(list->data + list->size);
  changed->name = finding->step->name;
  if (full && by_size(&last[-1], changed) < 0)
    return true;
  changed->name = pair_keep(finding->pair, finding->step);
  if (!changed->name || buffer_room(list, size))
    return false;
  if (few)
    list->size = size * few_insert(list->data, list->size / size, size, changed,
                                   most, by_size);
  return few || !buffer_add(list, changed, size);
}

static bool add_change(struct change_found *finding,
                       const struct compared_records *records) {
  struct changes *changes = finding->changes;
  struct changed changed = {.ambiguous = finding->ambiguous};
  bool cut;
  for (int i = 0; i < SIDES; i++) {
    struct totals *totals = &changes->totals[i];
    changed.sides[i] = amount_of(changes, records->sides[i]);
    totals->functions += records->sides[i] != NULL;
    totals->ran += changed.sides[i].ran;
    totals->sum = count_sum(totals->sum, changed.sides[i].sum, &cut);
  }
  uint64_t a = changed.sides[SIDE_A].sum, b = changed.sides[SIDE_B].sum;
  changed.size = a > b ? a - b : b - a;
  changed.change = change_of(changes, records, changed.sides[SIDE_A].ran,
                             changed.sides[SIDE_B].ran);
  changes->counts[changed.change]++;
  return changed.change == CHANGE_NONE || list_change(finding, &changed);
}

/* The next record that has no other side, from *at on, of side i; or NULL. */
static const struct counts *next_alone(const struct records_list *records,
                                       int side, size_t *at) {
  for (; *at < records->count; ++*at)
    if (!records->list[*at].sides[!side])
      return records->list[(*at)++].sides[side];
  return NULL;
}

/* Whether A or B has several records of that name. */
static bool several(const struct pair_step *step) {
  bool is = false;
  for (int i = 0; i < SIDES; i++) {
    const struct function_entry *entry = step->entries[i];
    is = is || (entry && entry->counts && entry->counts->next);
  }
  return is;
}

static bool add_all(struct change_found *finding,
                    const struct records_list *records) {
  size_t at[SIDES] = {0, 0};
  bool right = true;
  struct compared_records one = {.same = false};
  finding->ambiguous = several(finding->step);
  for (size_t i = 0; i < records->count && right; i++)
    if (records->list[i].sides[SIDE_A] && records->list[i].sides[SIDE_B])
      right = add_change(finding, &records->list[i]);
  do {
    for (int i = 0; i < SIDES; i++)
      one.sides[i] = next_alone(records, i, &at[i]);
    if (!one.sides[SIDE_A] && !one.sides[SIDE_B])
      break;
    right = right && add_change(finding, &one);
  } while (right);
  return right;
}

static uint64_t key_of_size(const void *element) {
  return ~((const struct changed *)element)->size;
}

/* Sorts by size, then those of one size; keeps the most that are wanted. false:
 * out of memory. */
static bool sort_changes(struct buffer *changes, size_t most) {
  struct changed *list = (void *)changes->data;
  size_t count = changes->size / sizeof *list;
  if (!key_sort(list, count, sizeof *list, key_of_size))
    return false;
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && list[end].size == list[i].size;)
      end++;
    if (end > i + 1)
      sort(list + i, end - i, sizeof *list, by_size);
  }
  if (count > most)
    changes->size = most * sizeof *list;
  return true;
}

/* Whether both have bitmaps, which are not known to be of one kind. */
static bool other_bitmaps(const struct record_pair *pair) {
  const struct profile *a = pair->profiles[SIDE_A];
  const struct profile *b = pair->profiles[SIDE_B];
  return a->has_bitmaps && b->has_bitmaps && a->bitmaps != b->bitmaps;
}

bool changes_find(struct changes *changes, struct record_pair *pair,
                  const char *text, size_t most) {
  struct pair_step step = {.next = {0}};
  struct change_found finding = {changes, pair, &step, most, false};
  struct records_list records;
  bool right = true;
  *changes = (struct changes){.no_bitmaps = other_bitmaps(pair)};
  for (int i = 0; i < CHANGE_NONE; i++)
    changes->lists[i].limit = SIZE_MAX / 2;
  while (right && pair_next(pair, &step)) {
    if (!name_wanted(step.name, text))
      continue;
    right = pair_records(pair, &step, &records) && add_all(&finding, &records);
  }
  for (int i = 0; i < CHANGE_NONE && right && !pair->wrong; i++)
    right = sort_changes(&changes->lists[i], most);
  return right && !pair->wrong;
}

void changes_free(struct changes *changes) {
  for (int i = 0; i < CHANGE_NONE; i++)
    buffer_free(&changes->lists[i]);
}
