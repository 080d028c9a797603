/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order of first calls.
 */
#include "rank.h"

#include <stdlib.h>
#include <string.h>

int mip_compare_ranks(const struct mip_function *a,
                      const struct mip_function *b) {
  double first = mip_rank(a), second = mip_rank(b);
  return (first > second) - (first < second);
}

static const struct mip_function *at(const void *place) {
  return *(const struct mip_function *const *)place;
}

/* Those of one profile are one array: what comes first in it is first. */
static int compare(const void *left, const void *right) {
  const struct mip_function *a = at(left), *b = at(right);
  int order = mip_compare_ranks(a, b);
  return order ? order : (a > b) - (a < b);
}

static int compare_names(const void *left, const void *right) {
  int order = strcmp(at(left)->name, at(right)->name);
  return order ? order : compare(left, right);
}

const struct mip_function **mip_ranked(const struct mip_profile *profile,
                                       size_t *count) {
  size_t found = 0;
  const struct mip_function **list =
      malloc((profile->function_count + 1) * sizeof *list);
  *count = 0;
  for (size_t i = 0; list && i < profile->function_count; i++)
    if (mip_rank(&profile->functions[i]) > 0)
      list[found++] = &profile->functions[i];
  if (!list)
    return NULL;
  qsort(list, found, sizeof *list, compare_names);
  for (size_t i = 0; i < found; i++)
    if (!*count || strcmp(list[*count - 1]->name, list[i]->name))
      list[(*count)++] = list[i];
  qsort(list, *count, sizeof *list, compare);
  return list;
}
