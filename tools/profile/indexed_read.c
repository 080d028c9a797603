/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads an indexed profile, as a whole or in windows: the header and the
 * sections after the functions. indexed_walk.c reads the functions.
 */
#include "indexed.h"

#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/error.h"
#include "../object/names.h"

/* ---- sections ----
 *
 * Build ids, names of vtables, traces, and the memory profile, which is kept
 * unchanged. */

/* More than the modules of any program. */
enum { IDS_MOST = 16384 };

/* Format: u64 size; for each id, u64 size and the id, padded to 8. */
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

/* Format: u64 size; the names as in a section, see object/names.h. */
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

/* Reads the trace at *at. */
static const char *read_trace(const struct indexed *indexed, size_t *at,
                              struct profile *to, uint64_t weight) {
  static const char damaged[] = "its traces are damaged; make it again";
  if (!indexed_has(indexed, *at, 16))
    return damaged;
  uint64_t count = indexed_load(indexed, *at + 8);
  bool cut = false;
  struct trace trace = {
      .weight = count_multiply(indexed_load(indexed, *at), weight, &cut),
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

/* Format: u64 number of traces, u64 number of runs; for each trace, u64 weight,
 * u64 number of functions, and the references. */
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
  /* Version 0 is not stored: its data begins with an offset. */
  uint64_t version = indexed_load(indexed, begin);
  to->memprof_version = version < 40 ? (unsigned)version : 0;
  return NULL;
}

/* Reads everything except functions, and adds it to *to unless to is NULL.
 * Returns NULL or the error. */
static const char *indexed_rest(const struct indexed *indexed,
                                struct profile *to, uint64_t weight) {
  const char *error = read_ids(indexed, to);
  if (to)
    profile_settle_ids(to);
  if (!error)
    error = read_vtables(indexed, to);
  if (!error)
    error = read_traces(indexed, to, weight);
  return error ? error : read_memprof(indexed, to);
}

/* ---- the file ---- */

/* ==== The header consists of u64 fields, some only since a version:
 *   magic, version and variant, 0, kind of hashes, offset of the hash table,
 *   8: of the memory profile, 9: of build ids, 10: of traces, 12: of names of
 *   vtables
 * The whole file is checked before anything is added, unless lost_on_error.
 */

static const char cut[] = "it is cut short; copy it again";

/* Early versions used the byte order of the writing machine. Only little-endian
 * files are supported. */
static const unsigned char magic[8] = {0xFF, 'l', 'p', 'r',
                                       'o',  'f', 'i', 0x81};

bool indexed_is(struct bytes file) {
  return file.size >= 8 && memcmp(file.data, magic, 8) == 0;
}

static void read_word(struct indexed *indexed, uint64_t word) {
  indexed->version = (unsigned)(word & UINT32_MAX);
  indexed->memory = word >> 62 & 1;
  indexed->flags = profile_flags(word);
}

static const char *indexed_open(struct indexed *indexed, struct bytes file) {
  static const unsigned char since[] = {1, 8, 9, 10, 12};
  *indexed = (struct indexed){.file = file};
  if (!indexed_is(file))
    return "it is no indexed profile; give a .profdata";
  if (file.size < 40)
    return cut;
  read_word(indexed, indexed_load(indexed, 8));
  if (indexed->version < 1 || indexed->version > INDEXED_NEWEST)
    return "its index version is not one that is known; use a newer bareprof";
  if (indexed_load(indexed, 24) != 0)
    return "its names are hashed by another function than MD5; use a newer "
           "bareprof";
  size_t *const offsets[] = {&indexed->table, &indexed->memprof, &indexed->ids,
                             &indexed->traces, &indexed->vtables};
  for (unsigned i = 0; i < 5 && indexed->version >= since[i]; i++) {
    uint64_t offset = 0;
    if (!indexed_has(indexed, 32 + 8 * i, 8))
      return cut;
    offset = indexed_load(indexed, 32 + 8 * i);
    if (!indexed_has(indexed, offset, 0))
      return cut;
    *offsets[i] = (size_t)offset;
  }
  if (!indexed->memory)
    indexed->memprof = 0;
  if (!(indexed->flags & PROFILE_TEMPORAL))
    indexed->traces = 0;
  return NULL;
}

/* ==== Reading as a whole */

static enum profile_bitmaps bitmaps_of(const struct indexed *indexed) {
  return indexed->version < 12 ? BITMAPS_18 : BITMAPS_19;
}

/* Walks over the functions, and adds them to *to unless to is NULL. events may
 * be NULL. Notes whether there are bitmaps. Returns NULL or the error. */
static const char *indexed_functions(struct indexed *indexed,
                                     struct profile *to, uint64_t weight,
                                     const struct read_events *events) {
  struct indexed_walk walk;
  walk_begin(&walk, indexed, to);
  walk.weight = weight;
  walk.events = events;
  const char *error = walk_all(&walk);
  if (walk.bitmaps)
    indexed->bitmaps = bitmaps_of(indexed);
  walk_end(&walk);
  return error;
}

const char *indexed_read(struct profile *profile, struct bytes file,
                         uint64_t weight, const struct read_events *events) {
  struct indexed indexed;
  const char *error = indexed_open(&indexed, file);
  if (!error && !profile->lost_on_error)
    error = indexed_functions(&indexed, NULL, weight, NULL);
  if (!error)
    error = indexed_rest(&indexed, NULL, weight);
  if (!error && indexed.memory && profile->memprof.size)
    error = "it has a memory profile, and so has a file before; give one such "
            "file";
  if (!error && (!indexed.memory || indexed.flags & PROFILE_IR))
    error = profile_join(profile, indexed.flags, indexed.bitmaps);
  if (error)
    return error;
  error = indexed_functions(&indexed, profile, weight, events);
  /* Without the first walk, bitmaps are found only now. */
  if (!error && indexed.bitmaps)
    error = profile_join(profile, profile->flags, indexed.bitmaps);
  return error ? error : indexed_rest(&indexed, profile, weight);
}

/* ==== Reading in windows */

/* Everything in one allocation. */
struct windows_all {
  struct windows windows;
  struct indexed indexed;
  struct indexed_walk walk;
  struct read_events events;
};

static void on_remark(void *context, enum addition_result result,
                      const struct counts *counts,
                      const struct addition *addition) {
  (void)result, (void)counts, (void)addition;
  ((struct indexed_walk *)context)->wrong = true;
}

struct windows *windows_new(struct bytes file, struct profile *rest) {
  struct windows_all *all = calloc(1, sizeof *all);
  if (!all)
    return NULL;
  struct windows *windows = &all->windows;
  struct indexed *indexed = &all->indexed;
  bool right = !indexed_open(indexed, file) && !indexed->memory;
  walk_begin(&all->walk, indexed, &windows->profile);
  profile_new(&windows->profile, file.size * 16 + (1 << 20));
  all->events = (struct read_events){on_remark, &all->walk};
  all->walk.events = &all->events;
  all->walk.windows = true;
  windows->walk = &all->walk;
  if (right && !walk_open(&all->walk) &&
      !profile_join(&windows->profile, indexed->flags, BITMAPS_NONE) &&
      !profile_join(rest, indexed->flags, BITMAPS_NONE) &&
      !indexed_rest(indexed, rest, 1)) {
    windows->buckets = (size_t)all->walk.buckets;
    windows->bitmaps = bitmaps_of(indexed);
    return windows;
  }
  windows_free(windows);
  return NULL;
}

void windows_free(struct windows *windows) {
  if (!windows)
    return;
  walk_end(windows->walk);
  profile_free(&windows->profile);
  free(windows);
}

void windows_look(struct windows *windows, windows_see *see, void *context) {
  struct indexed_walk *walk = windows->walk;
  walk->to = NULL;
  walk->see = see;
  walk->context = context;
  walk->wrong = walk_buckets(walk, 0, walk->buckets) || walk_waiting(walk) ||
                walk->functions != walk->expected || walk->wrong;
  walk->to = &windows->profile;
  walk_again(walk);
}

bool windows_alone(struct windows *windows, bool again, windows_see *see,
                   void *context) {
  windows->walk->alone = true;
  if (again)
    windows->walk->forgotten = SIZE_MAX;
  windows_look(windows, see, context);
  windows->profile.has_bitmaps = windows->walk->bitmaps;
  return windows_right(windows, false);
}

void windows_read(struct windows *windows, size_t first, size_t end,
                  size_t step, const struct profile *other) {
  struct indexed_walk *walk = windows->walk;
  const char *error = NULL;
  profile_clear(&windows->profile);
  walk->other = other;
  walk->records = 0;
  for (size_t row = 0; row < windows->buckets && !error; row += step)
    error = walk_buckets(walk, row + first, row + end);
  if (!error)
    error = walk_waiting(walk);
  walk->wrong =
      walk->wrong || error || walk->records != windows->profile.record_count;
}

bool windows_right(const struct windows *windows, bool all) {
  const struct indexed_walk *walk = windows->walk;
  return !walk->wrong && (!all || walk->functions == walk->expected);
}
