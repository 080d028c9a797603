/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What writers put into order: functions, and the values of a site.
 */
#include "ranking.h"

#include <stdlib.h>

static int by_rank(const void *a, const void *b) {
  const struct ranked *one = a, *two = b;
  if (one->value.count != two->value.count)
    return one->value.count > two->value.count ? -1 : 1;
  return one->at < two->at ? -1 : 1;
}

bool ranking_new(struct ranking *ranking, struct functions_list functions) {
  uint32_t most = 0;
  for (size_t i = 0; i < functions.count; i++) {
    if (i + FUNCTIONS_AHEAD < functions.count)
      function_ahead(functions.list[i + FUNCTIONS_AHEAD]);
    for (const struct counts *counts = functions.list[i]->counts; counts;
         counts = counts->next)
      for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
        for (uint32_t site = 0; site < counts->site_count[kind]; site++)
          if (counts->sites[kind][site].count > most)
            most = counts->sites[kind][site].count;
  }
  ranking->most = most;
  ranking->list = malloc(((size_t)most + 1) * sizeof *ranking->list);
  return ranking->list != NULL;
}

void ranking_free(struct ranking *ranking) { free(ranking->list); }

uint32_t rank_values(struct ranking *ranking, const struct site *site) {
  bool sorted = true;
  for (uint32_t i = 0; i < site->count; i++) {
    ranking->list[i] = (struct ranked){site->values[i], i};
    sorted = sorted &&
             (i == 0 || site->values[i - 1].count >= site->values[i].count);
  }
  if (!sorted)
    qsort(ranking->list, site->count, sizeof *ranking->list, by_rank);
  return ranked_count(site);
}

static bool all_zero(const struct function_entry *function) {
  for (const struct counts *counts = function->counts; counts;
       counts = counts->next) {
    for (uint32_t i = 0; i < counts->counter_count; i++)
      if (counts->counters[i])
        return false;
    for (uint32_t i = 0; i < counts->bitmap_size; i++)
      if (counts->bitmap[i])
        return false;
  }
  return true;
}

struct functions_list written_functions(const struct profile *profile,
                                        bool sparse) {
  struct function_entry **list = profile_sorted(profile);
  size_t kept = 0;
  for (size_t i = 0; list && i < profile->function_count; i++)
    if (list[i]->counts && !(sparse && all_zero(list[i])))
      list[kept++] = list[i];
  return (struct functions_list){list, kept};
}
