/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A text profile of LLVM that has one trace: functions by their first calls.
 * llvm-profdata knows the names of those only that also have a record: each
 * has one with its calls, under the hash 0, which no compiler finds its own
 * functions under.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "rank.h"
#include "show.h"

static void put_list(FILE *stream, const struct mip_function **list,
                     size_t count) {
  const char *before = "";
  for (size_t i = 0; i < count; i++)
    if (mip_is_plain(list[i]->name)) {
      fprintf(stream, "%s%s", before, list[i]->name);
      before = ",";
    }
  fputs("\n\n", stream);
  for (size_t i = 0; i < count; i++)
    if (mip_is_plain(list[i]->name))
      fprintf(stream,
              "%s\n# Hash:\n0\n# Counters:\n1\n# Calls:\n%" PRIu64 "\n\n",
              list[i]->name, list[i]->calls);
}

const char *mip_show_proftext(struct mip_view *view) {
  size_t count;
  const struct mip_function **list = mip_ranked(&view->profile, &count);
  if (!list)
    return "not enough memory; free some";
  if (count) {
    fputs("# The order of first calls, of a MIP profile. Hashes are 0: there "
          "is\n# nothing here for clang -fprofile-use.\n"
          ":ir\n:temporal_prof_traces\n"
          "# Traces:\n1\n# Of so many:\n1\n# Weight:\n1\n",
          view->stream);
    put_list(view->stream, list, count);
  }
  free(list);
  return count ? NULL
               : "no function has a place in the order of first calls; "
                 "instrument for calls and times";
}
