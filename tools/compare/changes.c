/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records are compared with those of the same name and hash. Remaining records
 * of a name on both sides are changed code. They are paired in the order of
 * hashes: the first of A with the first of B.
 */
#include "comparison.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"

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

static enum change change_of(const struct changes *changes,
                             const struct records *records, bool a_ran,
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

static bool add_change(struct changes *changes, const struct pair_step *step,
                       const struct records *records, bool ambiguous) {
  struct changed changed = {.name = step->name, .ambiguous = ambiguous};
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
  return changed.change == CHANGE_NONE ||
         !buffer_append(&changes->list, &changed, sizeof changed);
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

static bool add_all(struct changes *changes, const struct pair_step *step,
                    const struct records_list *records) {
  size_t at[SIDES] = {0, 0};
  bool ambiguous = several(step), right = true;
  struct records one = {.same = false};
  for (size_t i = 0; i < records->count && right; i++)
    if (records->list[i].sides[SIDE_A] && records->list[i].sides[SIDE_B])
      right = add_change(changes, step, &records->list[i], ambiguous);
  do {
    for (int i = 0; i < SIDES; i++)
      one.sides[i] = next_alone(records, i, &at[i]);
    if (!one.sides[SIDE_A] && !one.sides[SIDE_B])
      break;
    right = right && add_change(changes, step, &one, ambiguous);
  } while (right);
  return right;
}

static int by_size(const void *a, const void *b) {
  const struct changed *one = a, *two = b;
  if (one->change != two->change)
    return (int)one->change - (int)two->change;
  if (one->size != two->size)
    return one->size > two->size ? -1 : 1;
  int order = strcmp(one->name, two->name);
  for (int i = 0; i < SIDES && !order; i++)
    order = (one->sides[i].hash > two->sides[i].hash) -
            (one->sides[i].hash < two->sides[i].hash);
  return order;
}

/* The kind, then nearly all of the size. */
static uint64_t key_of(const struct changed *changed) {
  return (uint64_t)changed->change << 61 | ~changed->size >> 3;
}

/* Puts elements at their places, round by round. */
static void put_in_order(struct changed *list, struct keyed *order,
                         size_t count) {
  for (size_t first = 0; first < count; first++) {
    struct changed one = list[first];
    size_t at = first, from;
    for (; (from = (size_t)order[at].item) != first; at = from) {
      list[at] = list[from];
      order[at].item = at;
    }
    list[at] = one;
    order[at].item = at;
  }
}

/* Sorts by numbers beside the list, because its elements are large; then those
 * of one number. false: out of memory. */
static bool sort_changes(struct changes *changes) {
  struct changed *list = (void *)changes->list.data;
  size_t count = changes->list.size / sizeof *list;
  struct keyed *keyed = malloc((2 * count + 1) * sizeof *keyed);
  if (!keyed)
    return false;
  for (size_t i = 0; i < count; i++)
    keyed[i] = (struct keyed){key_of(&list[i]), i};
  keyed_sort(keyed, keyed + count, count);
  put_in_order(list, keyed, count);
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && keyed[end].key == keyed[i].key;)
      end++;
    sort(list + i, end - i, sizeof *list, by_size);
  }
  free(keyed);
  return true;
}

/* Whether both have bitmaps, which are not known to be of one kind. */
static bool other_bitmaps(const struct pair *pair) {
  const struct profile *a = &pair->sides[SIDE_A].profile;
  const struct profile *b = &pair->sides[SIDE_B].profile;
  return a->has_bitmaps && b->has_bitmaps && a->bitmaps != b->bitmaps;
}

bool changes_find(struct changes *changes, struct pair *pair,
                  const char *text) {
  struct pair_step step = {.next = {0}};
  struct records_list records;
  bool right = true;
  *changes = (struct changes){.list.limit = SIZE_MAX / 2,
                              .no_bitmaps = other_bitmaps(pair)};
  while (right && pair_next(pair, &step)) {
    if (!name_wanted(step.name, text))
      continue;
    right = pair_records(pair, &step, &records) &&
            add_all(changes, &step, &records);
  }
  return right && sort_changes(changes);
}
