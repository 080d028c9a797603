/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order of first calls of a .mip, as one run.
 */
#include "mip_run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/error.h"
#include "../mip/load.h"
#include "../mip/rank.h"

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

int runs_add_mip(struct runs *runs, const char *name, uint64_t weight) {
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
