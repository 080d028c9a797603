/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order of first calls.
 */
#include "rank.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/error.h"
#include "load.h"

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

/* ---- runs ---- */

static const char *add(struct runs *runs, const struct mip_profile *profile,
                       uint64_t weight) {
  static const char no_memory[] = "not enough memory; free some";
  uint32_t times = 0;
  size_t count;
  const struct mip_function **list = mip_ranked(profile, &count);
  if (!list)
    return no_memory;
  for (size_t i = 0; i < count; i++)
    if (times < list[i]->runs)
      times = list[i]->runs;
  bool right = runs_begin(runs, weight > UINT64_MAX / (times + UINT64_C(1))
                                    ? UINT64_MAX
                                    : weight * times);
  for (size_t i = 0; i < count && right; i++)
    right = runs_call(runs, list[i]->name, strlen(list[i]->name));
  free(list);
  return !right   ? no_memory
         : !count ? "no function has a place in the order of first calls; "
                    "instrument for calls and times"
                  : NULL;
}

int mip_add_run(struct runs *runs, const char *name, uint64_t weight) {
  struct mip_header header;
  struct mip_profile profile = {0};
  struct stat status;
  struct file file;
  /* Of a pipe nothing would be left for other readers. */
  if (stat(name, &status) || !S_ISREG(status.st_mode))
    return -1;
  if (file_map(&file, name, MIP_FILE_LIMIT))
    return 1;
  bool is_mip = !mip_header_read(&header, file.bytes);
  const char *error = is_mip ? mip_load_bytes(&profile, file.bytes) : NULL;
  if (is_mip && !error)
    error = add(runs, &profile, weight);
  mip_free(&profile);
  file_close(&file);
  return error ? report(name, "%s", error) : is_mip ? 0 : -1;
}
