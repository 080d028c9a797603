/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Adds the values of a site, and reads value data. The time depends on the
 * number of values that are added, and hardly on the number of existing values,
 * because crafted files may have many values.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/compare.h"
#include "raw.h"

/* The number of values that a merged site keeps. Files contain only the first
 * SITE_VALUES_MOST values of a site. When a merged site has twice KEPT values,
 * only the KEPT values with the highest counts are kept. */
enum { KEPT = 4096 };

/* Compares by ascending value, then by descending count. */
static inline bool is_value_before(const struct profiled_value *a,
                                   const struct profiled_value *b) {
  return a->value != b->value ? a->value < b->value : a->count > b->count;
}

static int compare_values(const void *a, const void *b) {
  return is_value_before(b, a) - is_value_before(a, b);
}

ORDER_BY(compare_counts, struct profiled_value, ~x->count, x->value);

void site_sort_values(struct value_site *site) {
  enum { FEW = 16 };
  uint32_t i = 1;
  while (i < site->count &&
         !is_value_before(&site->values[i], &site->values[i - 1]))
    i++;
  for (; i < site->count && site->count <= FEW; i++) {
    struct profiled_value one = site->values[i];
    uint32_t at = i;
    for (; at && is_value_before(&one, &site->values[at - 1]); at--)
      site->values[at] = site->values[at - 1];
    site->values[at] = one;
  }
  if (i < site->count)
    qsort(site->values, site->count, sizeof *site->values, compare_values);
}

/* Returns the index of the first value, from index `at` on, not below `value`.
 */
static uint32_t find_value_index(const struct value_site *site, uint32_t at,
                                 uint64_t value) {
  size_t from = search_from(site->values, site->count, value, value);
  return from > at ? (uint32_t)from : at;
}

/* Adds the counts of a later record's values (`more`) to the values of *to.
 * Both lists are in the order of site_sort_values. Among equal values, the
 * largest count is added to the largest, and so on. New values stay in `more`.
 * Returns the number of new values. */
static uint32_t add_equal_values(struct value_site *to,
                                 struct profiled_value *more, uint32_t count,
                                 bool *cut) {
  uint32_t at = 0, kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    /* Usually the next value matches. Equal values that already received a
     * count are skipped. */
    if (at == to->count || to->values[at].value != more[i].value)
      at = find_value_index(to, at, more[i].value);
    if (at == to->count || to->values[at].value != more[i].value) {
      more[kept++] = more[i];
    } else {
      to->values[at].count =
          count_add_limited(to->values[at].count, more[i].count, cut);
      at++;
    }
  }
  return kept;
}

/* Inserts new values in order. The caller has made enough space. */
static void insert_values(struct value_site *to,
                          const struct profiled_value *more, uint32_t count) {
  uint32_t left = to->count, end = left + count;
  to->count = end;
  while (count) {
    const struct profiled_value *last = &more[count - 1];
    uint32_t at = left;
    while (at && is_value_before(last, &to->values[at - 1]))
      at--;
    memmove(&to->values[at + count], &to->values[at],
            (left - at) * sizeof *more);
    to->values[at + --count] = *last;
    left = at;
  }
}

static bool reserve_values(struct profile *profile, struct value_site *to,
                           uint32_t count) {
  if (count <= to->room - to->count)
    return true;
  if (count > UINT32_MAX / 4 - to->count)
    return false;
  uint32_t room = to->count + count;
  room += to->count ? room / 2 : 0;
  struct profiled_value *values =
      arena_allocate(&profile->arena, room * sizeof *values);
  if (!values)
    return false;
  if (to->count)
    memcpy(values, to->values, to->count * sizeof *values);
  to->values = values;
  to->room = room;
  return true;
}

static void copy_weighted_values(struct addition_state *adding,
                                 struct profiled_value *to,
                                 const struct value_site *from) {
  for (uint32_t i = 0; i < from->count; i++)
    to[i] = (struct profiled_value){
        from->values[i].value,
        count_multiply_limited(from->values[i].count, adding->weight,
                               &adding->cut)};
}

static void drop_rare_values(struct addition_state *adding,
                             struct value_site *site) {
  if (site->count < 2 * KEPT)
    return;
  qsort(site->values, site->count, sizeof *site->values, compare_counts);
  site->count = KEPT;
  qsort(site->values, site->count, sizeof *site->values, compare_values);
  adding->profile->thinned = true;
}

static void raise_most_site_values(struct profile *profile, uint32_t count) {
  if (count > profile->most_values)
    profile->most_values = count;
}

bool site_add_values(struct addition_state *adding, struct value_site *to,
                     const struct value_site *from) {
  if (adding->first) {
    if (!reserve_values(adding->profile, to, from->count))
      return false;
    copy_weighted_values(adding, to->values, from);
    to->count = from->count;
    raise_most_site_values(adding->profile, to->count);
    return true;
  }
  if (!adding->sorted)
    site_sort_values(to);
  if (from->count == 0)
    return true;
  enum { FEW = 16 };
  struct profiled_value few[FEW];
  struct value_site more = {few, from->count, 0};
  if (from->count > FEW)
    more.values = malloc(from->count * sizeof *more.values);
  if (!more.values)
    return false;
  copy_weighted_values(adding, more.values, from);
  site_sort_values(&more);
  more.count = add_equal_values(to, more.values, more.count, &adding->cut);
  bool added = reserve_values(adding->profile, to, more.count);
  if (added && more.count)
    insert_values(to, more.values, more.count);
  if (more.values != few)
    free(more.values);
  drop_rare_values(adding, to);
  raise_most_site_values(adding->profile, to->count);
  return added;
}

/* ---- reading ----
 *
 * Reads value data, which is
 *   u32 total size, a multiple of 8; u32 number of kinds;
 * and for each kind
 *   u32 kind; u32 number of sites; u8 number of values, for each site; zeros
 *   up to a multiple of 8; u64 value, u64 count, for each value of each site
 */

static const char damaged[] = "the value data is damaged; make the file again";
static const char cut[] =
    "the value data is truncated or missing; copy the file again, or compile "
    "with -mllvm -disable-vp if the runtime writes no values";

/* The largest value data of a function. */
enum { DATA_MOST = 1 << 28 };

void sites_init(struct record_sites *sites) {
  *sites = (struct record_sites){.values = {.limit = DATA_MOST}};
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    sites->lists[kind].limit = (size_t)DATA_MOST * sizeof(struct value_site);
}

void sites_free(struct record_sites *sites) {
  buffer_free(&sites->values);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    buffer_free(&sites->lists[kind]);
}

/* Reads the sites of a kind. The caller has reserved space for the values, so
 * the values do not move. */
static const char *parse_sites_of_kind(struct record_sites *sites,
                                       unsigned kind, struct bytes data,
                                       bool big) {
  uint32_t count = sites->count[kind];
  const unsigned char *counts = data.data + 8;
  size_t at = (8 + (size_t)count + 7) / 8 * 8;
  struct buffer *list = &sites->lists[kind];
  const char *error = buffer_reserve(list, count * sizeof(struct value_site));
  for (uint32_t i = 0; i < count && !error; i++) {
    struct value_site site = {NULL, counts[i], counts[i]};
    if (counts[i])
      site.values = (struct profiled_value *)(void *)(sites->values.data +
                                                      sites->values.size);
    for (unsigned j = 0; j < counts[i]; j++, at += 16)
      site.values[j] = (struct profiled_value){load64(data.data + at, big),
                                               load64(data.data + at + 8, big)};
    sites->values.size += counts[i] * sizeof *site.values;
    error = buffer_append(list, &site, sizeof site);
  }
  return error;
}

/* Returns the size of the data of a kind, or 0 if the data end before. */
static size_t kind_data_size(struct bytes data, uint32_t sites) {
  if (sites > data.size - 8)
    return 0;
  size_t values = 0, at = (8 + (size_t)sites + 7) / 8 * 8;
  for (uint32_t i = 0; i < sites; i++)
    values += data.data[8 + i];
  return at > data.size || values > (data.size - at) / 16 ? 0
                                                          : at + values * 16;
}

static const char *parse_kind_head_and_sites(struct record_sites *sites,
                                             struct bytes *data, bool big) {
  if (data->size < 8)
    return damaged;
  uint32_t kind = load32(data->data, big);
  uint32_t count = load32(data->data + 4, big);
  size_t size = kind_data_size(*data, count);
  if (kind >= VALUE_KINDS || sites->count[kind] || !count || !size)
    return damaged;
  sites->count[kind] = count;
  const char *error =
      parse_sites_of_kind(sites, kind, (struct bytes){data->data, size}, big);
  data->data += size;
  data->size -= size;
  return error;
}

const char *sites_parse(struct record_sites *sites, const unsigned char **at,
                        const unsigned char *end, bool big) {
  sites->values.size = 0;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    sites->count[kind] = 0, sites->lists[kind].size = 0;
  if (end - *at < 8)
    return cut;
  uint32_t size = load32(*at, big), kinds = load32(*at + 4, big);
  if (size < 8 || size % 8 || size > DATA_MOST || kinds > VALUE_KINDS)
    return damaged;
  if (size > (size_t)(end - *at))
    return cut;
  struct bytes data = {*at + 8, size - 8};
  const char *error = buffer_reserve(&sites->values, data.size);
  while (kinds-- && !error)
    error = parse_kind_head_and_sites(sites, &data, big);
  *at += size;
  return error ? error : data.size ? damaged : NULL;
}
