/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counting and sorting, once for all that may be asked for.
 */
#include "shown.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"

bool wish_functions(const struct wishes *wishes) {
  return wishes->all_functions || wishes->counts || wishes->bitmaps ||
         wishes->values || wishes->hot || wishes->name || wishes->limited;
}

bool wish_any(const struct wishes *wishes) {
  return wish_functions(wishes) || wishes->covered || wishes->cutoffs ||
         wishes->traces || wishes->ids || wishes->hottest;
}

const char *pseudo_name(const struct counts *counts) {
  if (!counts_pseudo(counts->counters, counts->counter_count))
    return NULL;
  return counts->counters[0] == UINT64_MAX ? "hot" : "warm";
}

bool row_suspicious(const struct row *row) {
  return !pseudo_name(row->counts) && count_suspicious(row->most);
}

uint64_t part_hot(const struct part *part) {
  const struct summary_cutoff *cutoff = part->summary.cutoffs;
  while (cutoff->cutoff < 990000)
    cutoff++;
  return cutoff->least;
}

/* A pseudo count is one. */
static uint64_t most_of(const struct counts *counts) {
  uint64_t most = 0;
  if (pseudo_name(counts))
    return counts->counters[0];
  for (uint32_t i = 0; i < counts->counter_count; i++)
    most = counts->counters[i] > most ? counts->counters[i] : most;
  return most;
}

static bool in_part(const struct counts *counts, const struct part *part) {
  return part->records == SUMMARY_ALL
             ? !part->context_sensitive
             : !(counts->hash & PROFILE_CS_HASH) == !part->context_sensitive;
}

bool function_ran(const struct function_entry *function,
                  const struct part *part) {
  for (const struct counts *at = function->counts; at; at = at->next)
    if (in_part(at, part) && most_of(at))
      return true;
  return false;
}

/* A list that was not asked for by itself has what was. */
static bool has_wished(const struct counts *counts,
                       const struct wishes *wishes) {
  bool values = false;
  if (wishes->all_functions || wishes->counts || wishes->name || wishes->hot ||
      wishes->limited)
    return true;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    values |= counts->site_count[kind] != 0;
  return (wishes->values && values) ||
         (wishes->bitmaps && counts->bitmap_size != 0);
}

bool name_wished(const struct function_entry *function,
                 const struct wishes *wishes) {
  return !wishes->name || strstr(function->name, wishes->name);
}

bool row_wished(const struct row *row, const struct part *part,
                const struct wishes *wishes) {
  bool pseudo = pseudo_name(row->counts) != NULL;
  if (!name_wished(row->function, wishes))
    return false;
  if (wishes->hot && (pseudo || row->most < part_hot(part) || !row->most))
    return false;
  if (wishes->limited &&
      (pseudo || row->most < wishes->least || row->most >= wishes->below))
    return false;
  return has_wished(row->counts, wishes);
}

const struct part *part_next(const struct shown *shown,
                             const struct wishes *wishes, int *i) {
  while (++*i < 2) {
    const struct part *part = &shown->parts[*i];
    bool other = shown->parts[!*i].row_count != 0;
    if (wishes->context_sensitive ? *i == 1
        : wish_any(wishes)        ? *i == 0
                                  : part->row_count || (*i == 0 && !other))
      return part;
  }
  return NULL;
}

/* ---- totals ---- */

static bool sites_new(const struct shown *shown, struct part *part) {
  bool done = true;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    struct site_totals *totals = &part->sites[kind];
    totals->of_size =
        calloc((size_t)shown->ranking.most + 1, sizeof *totals->of_size);
    done = done && totals->of_size;
  }
  return done;
}

static void add_sites(struct part *part, const struct counts *counts) {
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    struct site_totals *totals = &part->sites[kind];
    totals->sites += counts->site_count[kind];
    for (uint32_t i = 0; i < counts->site_count[kind]; i++) {
      uint32_t count = counts->sites[kind][i].count;
      totals->with_values += count != 0;
      totals->values += count;
      totals->of_size[count]++;
    }
  }
}

static void add_row(struct part *part, const struct row *row, uint64_t *sum) {
  const struct counts *counts = row->counts;
  part->bitmap_bytes += counts->bitmap_size;
  part->bitmaps += counts->bitmap_size != 0;
  add_sites(part, counts);
  if (pseudo_name(counts)) {
    part->pseudo++;
    return;
  }
  part->counters += counts->counter_count;
  for (uint32_t i = 0; i < counts->counter_count; i++) {
    part->counters_run += counts->counters[i] != 0;
    part->total_cut |= *sum + counts->counters[i] < *sum;
    *sum += counts->counters[i];
  }
  part->suspicious += row_suspicious(row);
}

/* ---- rows ---- */

ORDER_BY(by_hash, struct row, x->counts->hash);

ORDER_BY(hottest_first, struct row, ~x->most, x->order);

/* The records of a function that belong to the part; returns how many. */
static uint32_t rows_of(const struct part *part,
                        const struct function_entry *function,
                        struct row *rows) {
  uint32_t count = 0;
  for (const struct counts *at = function->counts; at; at = at->next)
    if (in_part(at, part)) {
      if (rows)
        rows[count] = (struct row){
            .function = function, .counts = at, .most = most_of(at)};
      count++;
    }
  return count;
}

static void add_function(struct part *part,
                         const struct function_entry *function, uint64_t *sum) {
  struct row *rows = part->rows + part->row_count;
  uint32_t count = rows_of(part, function, rows);
  sort(rows, count, sizeof *rows, by_hash);
  for (uint32_t i = 0; i < count; i++) {
    rows[i].order = part->row_count++;
    rows[i].hashes = count;
    add_row(part, &rows[i], sum);
  }
  part->names += count != 0;
  part->names_run += count && function_ran(function, part);
}

static bool part_new(struct part *part, const struct shown *shown) {
  struct functions_list functions = shown->functions;
  bool split = shown->profile->flags & PROFILE_IR;
  size_t count = 0;
  uint64_t sum = 0;
  if (!split && part->context_sensitive)
    functions.count = 0;
  part->records = !split                    ? SUMMARY_ALL
                  : part->context_sensitive ? SUMMARY_CS
                                            : SUMMARY_REGULAR;
  for (size_t i = 0; i < functions.count; i++)
    count += rows_of(part, functions.list[i], NULL);
  part->rows = malloc((count + 1) * sizeof *part->rows);
  if (!part->rows || !sites_new(shown, part) ||
      !summary_make(&part->summary, functions, part->records))
    return false;
  for (size_t i = 0; i < functions.count; i++)
    add_function(part, functions.list[i], &sum);
  qsort(part->rows, part->row_count, sizeof *part->rows, hottest_first);
  return true;
}

/* ---- all ---- */

bool shown_new(struct shown *shown, const struct gather *gather) {
  *shown = (struct shown){.profile = &gather->profile, .file = gather->last};
  shown->parts[1].context_sensitive = true;
  shown->functions = written_functions(shown->profile, false);
  if (!shown->functions.list)
    return false;
  return references_new(&shown->names, shown->profile, shown->functions) &&
         ranking_new(&shown->ranking, shown->functions) &&
         part_new(&shown->parts[0], shown) && part_new(&shown->parts[1], shown);
}

void shown_free(struct shown *shown) {
  for (unsigned i = 0; i < 2; i++) {
    free(shown->parts[i].rows);
    for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
      free(shown->parts[i].sites[kind].of_size);
  }
  ranking_free(&shown->ranking);
  references_free(&shown->names);
  free((void *)shown->functions.list);
}
