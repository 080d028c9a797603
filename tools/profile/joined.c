/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One profile added to another.
 */
#include <string.h>

#include "model.h"

static enum addition_result add_counts(struct profile *to,
                                       const struct function_entry *function,
                                       const struct counts *counts) {
  struct addition addition = addition_of(function, counts);
  struct counts *there = NULL;
  addition.reference = function->reference;
  to->source = counts->source;
  enum addition_result result = profile_add(to, &addition, &there);
  if (there)
    there->merged = there->merged || counts->merged;
  return result;
}

static enum addition_result add_functions(struct profile *to,
                                          const struct profile *from) {
  for (size_t i = 0; i < from->bucket_count; i++)
    for (const struct function_entry *entry = from->buckets[i]; entry;
         entry = entry->next)
      for (const struct counts *counts = entry->counts; counts;
           counts = counts->next) {
        enum addition_result result = add_counts(to, entry, counts);
        if (result != ADDED)
          return result;
      }
  return ADDED;
}

static bool add_rest(struct profile *to, const struct profile *from) {
  const char *const *vtables = (const void *)from->vtables.data;
  const struct bytes *ids = (const void *)from->ids.data;
  bool added = true;
  for (size_t i = 0; added && i < from->vtables.size / sizeof *vtables; i++)
    added = profile_add_vtable(to, vtables[i], strlen(vtables[i]));
  for (size_t i = 0; added && i < from->ids.size / sizeof *ids; i++)
    added = profile_add_id(to, ids[i]);
  profile_settle_ids(to);
  for (size_t i = 0; added && i < from->trace_count; i++)
    added = profile_add_trace(to, &from->traces[i]);
  if (added && from->trace_stream > from->trace_count)
    profile_add_stream(to, from->trace_stream - from->trace_count);
  return added;
}

static bool add_memprof(struct profile *to, const struct profile *from) {
  size_t size = from->memprof.size;
  if (!size)
    return true;
  to->memprof.data =
      (unsigned char *)arena_copy(&to->arena, from->memprof.data, size);
  to->memprof.size = size;
  to->memprof_at = from->memprof_at;
  to->memprof_version = from->memprof_version;
  return to->memprof.data != NULL;
}

enum addition_result profile_add_profile(struct profile *to,
                                         const struct profile *from) {
  if ((from->flags && profile_join_flags(to, from->flags)) ||
      (from->memprof.size && to->memprof.size))
    return REFUSED_SHAPE;
  to->thinned = to->thinned || from->thinned;
  enum addition_result result = add_functions(to, from);
  if (result == ADDED && !(add_rest(to, from) && add_memprof(to, from)))
    result = REFUSED_MEMORY;
  return result;
}
