/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads profiles one at a time. Local names get the separator of clang 18 and
 * newer, so that they are the same functions whatever compiled them.
 */
#include "traces.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "mip_run.h"
#include "../profile/gather.h"
#include "../profile/references.h"
#include "../profile/translate.h"

static const char no_memory[] = "not enough memory; free some";

static bool add_trace(struct runs *runs, const struct trace *trace,
                      const struct references *names,
                      struct traces_lost *lost) {
  bool right = runs_begin(runs, trace->weight);
  for (size_t i = 0; i < trace->count && right; i++) {
    const char *name = reference_name(names, trace->functions[i]);
    if (name)
      right = runs_call(runs, name, strlen(name));
    else
      lost->nameless++;
  }
  return right;
}

static const char *add_profile(struct runs *runs, struct profile *profile,
                               struct traces_lost *lost) {
  const char *error = translate_locals(profile, ';', NULL);
  if (error || profile->trace_count == 0)
    return error;
  struct functions_list functions = {profile_sorted(profile),
                                     profile->function_count};
  struct references names = {NULL, 0};
  bool right = functions.list && references_new(&names, profile, functions);
  for (size_t i = 0; i < profile->trace_count && right; i++)
    right = add_trace(runs, &profile->traces[i], &names, lost);
  references_free(&names);
  free((void *)(uintptr_t)functions.list);
  return right ? NULL : no_memory;
}

static int add_file(struct runs *runs, struct gather *gather, uint32_t source,
                    uint64_t weight, struct traces_lost *lost) {
  const char *name = gather->files[source];
  if (gather_file(gather, source, weight))
    return 1;
  struct profile *profile = &gather->profile;
  if (profile->trace_stream > profile->trace_count && lost->files++ == 0) {
    lost->file = name;
    lost->has = profile->trace_count;
    lost->ran = profile->trace_stream;
  }
  const char *error = add_profile(runs, profile, lost);
  return error ? report(name, "%s", error) : 0;
}

int traces_add(struct runs *runs, const struct sources *sources,
               const struct elf *elf, struct traces_lost *lost) {
  int status = 0;
  for (size_t i = 0; i < sources->count && status <= 0; i++) {
    struct gather gather;
    status = runs_add_mip(runs, sources->names[i], sources->weights[i]);
    if (status >= 0)
      continue;
    gather_new(&gather, sources->names);
    gather.elf = elf;
    gather.only = true;
    status = add_file(runs, &gather, (uint32_t)i, sources->weights[i], lost);
    gather_free(&gather);
  }
  return status;
}
