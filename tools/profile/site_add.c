/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Values of a site, added to those that are there. What a record takes depends
 * on what it has, and little on what there is: files exist that were made to
 * have many.
 */
#include <stdlib.h>
#include <string.h>

#include "model_inside.h"

/* Files have the first SITE_VALUES_MOST of a site. Of what was merged, a
 * multiple of that is kept, by counts, whenever there are twice as many. */
enum { KEPT = 4096 };

static int by_value(const void *a, const void *b) {
  const struct value *one = a, *two = b;
  if (one->value != two->value)
    return one->value < two->value ? -1 : 1;
  return (one->count < two->count) - (one->count > two->count);
}

static int by_count(const void *a, const void *b) {
  const struct value *one = a, *two = b;
  if (one->count != two->count)
    return one->count > two->count ? -1 : 1;
  return by_value(a, b);
}

void site_sort(struct site *site) {
  uint32_t i = 1;
  while (i < site->count &&
         by_value(&site->values[i - 1], &site->values[i]) <= 0)
    i++;
  if (i < site->count)
    qsort(site->values, site->count, sizeof *site->values, by_value);
}

/* The first one from `at` on that is not less than this. */
static uint32_t find(const struct site *site, uint32_t at, uint64_t value) {
  uint32_t end = site->count;
  while (at < end) {
    uint32_t middle = at + (end - at) / 2;
    if (site->values[middle].value < value)
      at = middle + 1;
    else
      end = middle;
  }
  return at;
}

/* Adds the values of a later record, which are in the order of by_value at
 * more, to those of *to, which are too: of the same value, the largest count
 * to the largest, and so on. What is new stays in more; returns how many that
 * are. */
static uint32_t add_known(struct site *to, struct value *more, uint32_t count,
                          bool *cut) {
  uint32_t at = 0, kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    /* Behind those of the same value that have had theirs. */
    if (i == 0 || more[i].value != more[i - 1].value || at == to->count ||
        to->values[at].value < more[i].value)
      at = find(to, at, more[i].value);
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

/* Brings so many more, for which there is room, into the order. */
static void insert(struct site *to, const struct value *more, uint32_t count) {
  uint32_t left = to->count, end = left + count;
  to->count = end;
  while (count) {
    const struct value *last = &more[count - 1];
    uint32_t at = left;
    while (at && by_value(&to->values[at - 1], last) > 0)
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

static void copy(struct adding *adding, struct value *to,
                 const struct site *from) {
  for (uint32_t i = 0; i < from->count; i++)
    to[i] = (struct value){
        from->values[i].value,
        count_times(from->values[i].count, adding->weight, &adding->cut)};
}

static void thin_out(struct adding *adding, struct site *site) {
  if (site->count < 2 * KEPT)
    return;
  qsort(site->values, site->count, sizeof *site->values, by_count);
  site->count = KEPT;
  qsort(site->values, site->count, sizeof *site->values, by_value);
  adding->profile->thinned = true;
}

bool site_add(struct adding *adding, struct site *to, const struct site *from) {
  if (adding->first) {
    if (!make_room(adding->profile, to, from->count))
      return false;
    copy(adding, to->values, from);
    to->count = from->count;
    return true;
  }
  if (!adding->sorted)
    site_sort(to);
  if (from->count == 0)
    return true;
  struct site more = {malloc(from->count * sizeof *more.values), from->count,
                      0};
  if (!more.values)
    return false;
  copy(adding, more.values, from);
  site_sort(&more);
  more.count = add_known(to, more.values, more.count, &adding->cut);
  bool added = make_room(adding->profile, to, more.count);
  if (added && more.count)
    insert(to, more.values, more.count);
  free(more.values);
  thin_out(adding, to);
  return added;
}
