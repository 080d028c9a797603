/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads profiles one at a time. Local names get the separator of clang 18 and
 * newer, so that they are the same functions whatever compiled them.
 */
#include "order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/os.h"
#include "../mip/files.h"
#include "../mip/mip_model.h"
#include "../profile/gather.h"
#include "../profile/indexed.h"

/* A profile whose traces are read. */
struct traces_adding {
  struct runs *runs;
  const struct profile *profile;
  struct references names;
  uint32_t *numbers; /* of functions in runs, 0: not known yet; by number */
  struct traces_lost *lost;
};

static bool add_call(struct traces_adding *adding, uint64_t reference) {
  const struct function_entry *entry = profile_find(adding->profile, reference);
  if (entry) {
    uint32_t *number = &adding->numbers[entry->number];
    if (!*number)
      *number = runs_number(adding->runs, entry->name, entry->name_size,
                            entry->reference);
    return runs_call_number(adding->runs, *number);
  }
  const char *name = reference_name(&adding->names, reference);
  adding->lost->nameless += !name;
  return !name || runs_call(adding->runs, name, strlen(name));
}

static bool add_trace(struct traces_adding *adding, const struct trace *trace) {
  bool right = runs_begin(adding->runs, trace->weight);
  for (size_t i = 0; i < trace->count && right; i++) {
    if (i + FUNCTIONS_AHEAD < trace->count)
      profile_ahead(adding->profile, trace->functions[i + FUNCTIONS_AHEAD]);
    right = add_call(adding, trace->functions[i]);
  }
  return right;
}

static const char *add_profile(struct runs *runs, struct profile *profile,
                               struct traces_lost *lost) {
  const char *error = translate_locals(profile, ';', NULL);
  if (error || profile->trace_count == 0)
    return error;
  struct traces_adding adding = {
      .runs = runs, .profile = profile, .lost = lost};
  adding.numbers = calloc(profile->function_count + 1, sizeof *adding.numbers);
  bool right = adding.numbers && references_new(&adding.names, profile, false);
  for (size_t i = 0; i < profile->trace_count && right; i++)
    right = add_trace(&adding, &profile->traces[i]);
  references_free(&adding.names);
  free(adding.numbers);
  return right ? NULL : out_of_memory;
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

/* ---- a .mip: its order of first calls is one run ---- */

static const char *add_mip_profile(struct runs *runs,
                                   const struct mip_profile *profile,
                                   uint64_t weight) {
  uint32_t times = 0;
  size_t count;
  const struct mip_function **list;
  const char *error = mip_ranked(profile, &list, &count);
  for (size_t i = 0; i < count; i++)
    if (times < list[i]->runs)
      times = list[i]->runs;
  bool right =
      error || runs_begin(runs, weight > UINT64_MAX / (times + UINT64_C(1))
                                    ? UINT64_MAX
                                    : weight * times);
  for (size_t i = 0; i < count && right; i++)
    right = runs_call(runs, list[i]->name, strlen(list[i]->name));
  free(list);
  return right ? error : out_of_memory;
}

/* Adds a .mip as one run, with the number of its merged raw files as weight.
 * Returns 0; 1 after it printed an error; -1 if the file is no MIP file, and
 * nothing was done. */
static int runs_add_mip(struct runs *runs, const char *name, uint64_t weight) {
  struct mip_header header;
  struct mip_profile profile = {0};
  struct os_facts facts;
  struct file file;
  /* Reading a pipe would leave nothing for other readers. */
  if (!os_look(name, &facts) || facts.kind != OS_FILE)
    return -1;
  if (file_map(&file, name, MIP_FILE_LIMIT))
    return 1;
  bool is_mip = !mip_header_read(&header, file.bytes);
  const char *error = is_mip ? mip_load_bytes(&profile, file.bytes) : NULL;
  if (is_mip && !error)
    error = add_mip_profile(runs, &profile, weight);
  mip_free(&profile);
  file_close(&file);
  return error ? report(name, "%s", error) : is_mip ? 0 : -1;
}

/* ---- all ---- */

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
    gather.only = gather.profile.lost_on_error = true;
    status = add_file(runs, &gather, (uint32_t)i, sources->weights[i], lost);
    gather_free(&gather);
  }
  return status;
}
