/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds values of a site. The time depends on the added values, and little on
 * the existing ones, because crafted files may have many.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/compare.h"

/* Files have the first SITE_VALUES_MOST values of a site. A merged site keeps
 * KEPT values, the most counted ones, whenever it has twice as many. */
enum { KEPT = 4096 };

/* By ascending value, then by descending count. */
static inline bool is_before(const struct value *a, const struct value *b) {
  return a->value != b->value ? a->value < b->value : a->count > b->count;
}

static int by_value(const void *a, const void *b) {
  return is_before(b, a) - is_before(a, b);
}

ORDER_BY(by_count, struct value, ~x->count, x->value);

void site_sort(struct site *site) {
  enum { FEW = 16 };
  uint32_t i = 1;
  while (i < site->count && !is_before(&site->values[i], &site->values[i - 1]))
    i++;
  for (; i < site->count && site->count <= FEW; i++) {
    struct value one = site->values[i];
    uint32_t at = i;
    for (; at && is_before(&one, &site->values[at - 1]); at--)
      site->values[at] = site->values[at - 1];
    site->values[at] = one;
  }
  if (i < site->count)
    qsort(site->values, site->count, sizeof *site->values, by_value);
}

/* The first value from `at` on that is not less than this one. */
static uint32_t find_value(const struct site *site, uint32_t at,
                           uint64_t value) {
  size_t from = search_from(site->values, site->count, value, value);
  return from > at ? (uint32_t)from : at;
}

/* Adds the values of a later record (`more`) to those of *to. Both are in the
 * order of by_value. Among equal values, the largest count is added to the
 * largest, and so on. New values stay in more; returns their number. */
static uint32_t add_known(struct site *to, struct value *more, uint32_t count,
                          bool *cut) {
  uint32_t at = 0, kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    /* Mostly the next one; behind equal values that have got their count. */
    if (at == to->count || to->values[at].value != more[i].value)
      at = find_value(to, at, more[i].value);
    if (at == to->count || to->values[at].value != more[i].value) {
      more[kept++] = more[i];
    } else {
      to->values[at].count =
          count_sum(to->values[at].count, more[i].count, cut);
      at++;
    }
  }
  return kept;
}

/* Inserts so many more values in order; there is room for them. */
static void insert_values(struct site *to, const struct value *more,
                          uint32_t count) {
  uint32_t left = to->count, end = left + count;
  to->count = end;
  while (count) {
    const struct value *last = &more[count - 1];
    uint32_t at = left;
    while (at && is_before(last, &to->values[at - 1]))
      at--;
    memmove(&to->values[at + count], &to->values[at],
            (left - at) * sizeof *more);
    to->values[at + --count] = *last;
    left = at;
  }
}

static bool make_room(struct profile *profile, struct site *to,
                      uint32_t count) {
  if (count <= to->room - to->count)
    return true;
  if (count > UINT32_MAX / 4 - to->count)
    return false;
  uint32_t room = to->count + count;
  room += to->count ? room / 2 : 0;
  struct value *values = arena_take(&profile->arena, room * sizeof *values);
  if (!values)
    return false;
  if (to->count)
    memcpy(values, to->values, to->count * sizeof *values);
  to->values = values;
  to->room = room;
  return true;
}

static void copy_values(struct sites_adding *adding, struct value *to,
                        const struct site *from) {
  for (uint32_t i = 0; i < from->count; i++)
    to[i] = (struct value){
        from->values[i].value,
        count_times(from->values[i].count, adding->weight, &adding->cut)};
}

static void thin_out(struct sites_adding *adding, struct site *site) {
  if (site->count < 2 * KEPT)
    return;
  qsort(site->values, site->count, sizeof *site->values, by_count);
  site->count = KEPT;
  qsort(site->values, site->count, sizeof *site->values, by_value);
  adding->profile->thinned = true;
}

static void note_values(struct profile *profile, uint32_t count) {
  if (count > profile->most_values)
    profile->most_values = count;
}

bool site_add(struct sites_adding *adding, struct site *to,
              const struct site *from) {
  if (adding->first) {
    if (!make_room(adding->profile, to, from->count))
      return false;
    copy_values(adding, to->values, from);
    to->count = from->count;
    note_values(adding->profile, to->count);
    return true;
  }
  if (!adding->sorted)
    site_sort(to);
  if (from->count == 0)
    return true;
  enum { FEW = 16 };
  struct value few[FEW];
  struct site more = {few, from->count, 0};
  if (from->count > FEW)
    more.values = malloc(from->count * sizeof *more.values);
  if (!more.values)
    return false;
  copy_values(adding, more.values, from);
  site_sort(&more);
  more.count = add_known(to, more.values, more.count, &adding->cut);
  bool added = make_room(adding->profile, to, more.count);
  if (added && more.count)
    insert_values(to, more.values, more.count);
  if (more.values != few)
    free(more.values);
  thin_out(adding, to);
  note_values(adding->profile, to->count);
  return added;
}
