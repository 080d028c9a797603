/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sections of an indexed profile behind its functions: build ids, names of
 * vtables, traces, and the memory profile, which is kept unchanged.
 */
#include "indexed.h"

#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/error.h"
#include "../object/names.h"

/* More than the modules of any program. */
enum { IDS_MOST = 16384 };

/* u64 size; of each id u64 size and itself, padded to 8. */
static const char *read_ids(const struct indexed *indexed, struct profile *to) {
  static const char damaged[] = "its build ids are damaged; make it again";
  size_t at = indexed->ids;
  if (!at)
    return NULL;
  uint64_t left = indexed_has(indexed, at, 8) ? indexed_load(indexed, at) : 1;
  at += 8;
  if (!indexed_has(indexed, at, left) || left % 8)
    return damaged;
  for (unsigned i = 0; left; i++) {
    uint64_t size = indexed_load(indexed, at);
    if (!size || size > left - 8 || i == IDS_MOST)
      return damaged;
    struct bytes id = {indexed->file.data + at + 8, (size_t)size};
    if (to && !profile_add_id(to, id))
      return out_of_memory;
    size = 8 + (size + 7) / 8 * 8;
    left -= size;
    at += (size_t)size;
  }
  return NULL;
}

/* u64 size; the names as in a section, see object/names.h. */
static const char *read_vtables(const struct indexed *indexed,
                                struct profile *to) {
  struct names names;
  size_t at = indexed->vtables;
  if (!at)
    return NULL;
  uint64_t size =
      indexed_has(indexed, at, 8) ? indexed_load(indexed, at) : UINT64_MAX;
  if (!indexed_has(indexed, at + 8, size))
    return "its names of vtables are cut short; copy it again";
  const char *error = names_read(
      &names, (struct bytes){indexed->file.data + at + 8, (size_t)size});
  for (size_t i = 0; to && !error && i < names_count(&names); i++) {
    const char *name = names_at(&names, i);
    if (!profile_add_vtable(to, name, strlen(name)))
      error = out_of_memory;
  }
  names_free(&names);
  return error;
}

/* One trace at *at. */
static const char *read_trace(const struct indexed *indexed, size_t *at,
                              struct profile *to, uint64_t weight) {
  static const char damaged[] = "its traces are damaged; make it again";
  if (!indexed_has(indexed, *at, 16))
    return damaged;
  uint64_t count = indexed_load(indexed, *at + 8);
  bool cut = false;
  struct trace trace = {
      .weight = count_times(indexed_load(indexed, *at), weight, &cut),
      .count = (size_t)count};
  *at += 16;
  if (count > (indexed->file.size - *at) / 8)
    return damaged;
  size_t first = *at;
  *at += (size_t)count * 8;
  if (!to)
    return NULL;
  trace.functions = malloc((size_t)count * 8 + 1);
  if (!trace.functions)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    trace.functions[i] = indexed_load(indexed, first + 8 * i);
  bool added = profile_add_trace(to, &trace);
  free(trace.functions);
  return added ? NULL : out_of_memory;
}

/* u64 number of traces, number of runs; of each trace u64 weight, number of
 * functions, references. */
static const char *read_traces(const struct indexed *indexed,
                               struct profile *to, uint64_t weight) {
  size_t at = indexed->traces;
  const char *error = NULL;
  if (!at)
    return NULL;
  if (!indexed_has(indexed, at, 16))
    return "its traces are cut short; copy it again";
  uint64_t count = indexed_load(indexed, at);
  uint64_t runs = indexed_load(indexed, at + 8);
  at += 16;
  for (uint64_t i = 0; i < count && !error; i++)
    error = read_trace(indexed, &at, to, weight);
  if (to && !error && runs > count)
    profile_add_stream(to, runs - count);
  return error;
}

/* The memory profile ends where the next section begins. */
static const char *read_memprof(const struct indexed *indexed,
                                struct profile *to) {
  const size_t others[] = {indexed->table, indexed->ids, indexed->vtables,
                           indexed->traces};
  size_t begin = indexed->memprof, end = indexed->file.size;
  if (!indexed->memory)
    return NULL;
  for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i] > begin && others[i] < end)
      end = others[i];
  if (!begin || end - begin < 8)
    return "its memory profile is cut short; copy it again";
  if (!to)
    return NULL;
  size_t size = end - begin;
  to->memprof.data =
      (unsigned char *)arena_copy(&to->arena, indexed->file.data + begin, size);
  if (!to->memprof.data)
    return out_of_memory;
  to->memprof.size = size;
  to->memprof_at = begin;
  /* The first has no number: it begins with an offset. */
  uint64_t version = indexed_load(indexed, begin);
  to->memprof_version = version < 40 ? (unsigned)version : 0;
  return NULL;
}

const char *indexed_rest(const struct indexed *indexed, struct profile *to,
                         uint64_t weight) {
  const char *error = read_ids(indexed, to);
  if (to)
    profile_settle_ids(to);
  if (!error)
    error = read_vtables(indexed, to);
  if (!error)
    error = read_traces(indexed, to, weight);
  return error ? error : read_memprof(indexed, to);
}
