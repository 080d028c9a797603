/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * .mip files. Names follow the functions, which have their MD5s: those are
 * read first, into the profile under no name.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/buffer.h"
#include "../base/error.h"
#include "../object/digest.h"
#include "files.h"

static const char damaged[] =
    "the profile is damaged or cut short; make it again";

struct edge_cursor {
  struct bytes file;
  size_t at;
};

/* The names of the file. */
struct name_entry {
  uint64_t reference;
  const char *name;
};

static bool has_bytes(const struct edge_cursor *cursor, uint64_t size) {
  return size <= cursor->file.size - cursor->at;
}

/* Only where it has been seen to be there. */
static uint64_t take_number(struct edge_cursor *cursor, unsigned size) {
  uint64_t value = load_number(cursor->file.data + cursor->at, size, false);
  cursor->at += size;
  return value;
}

/* ---- names ---- */

/* Moves behind a function. */
static bool skip_function(struct edge_cursor *cursor, unsigned offset_size,
                          bool has_follows) {
  size_t fixed = 2 * (size_t)offset_size + 40, count_at = cursor->at + 16;
  if (!has_bytes(cursor, fixed))
    return false;
  count_at += 2 * (size_t)offset_size;
  uint64_t blocks = load32(cursor->file.data + count_at, false);
  cursor->at += fixed;
  if (has_follows) {
    if (!has_bytes(cursor, 4))
      return false;
    uint64_t count = take_number(cursor, 4);
    if (!has_bytes(cursor, 4 * count))
      return false;
    cursor->at += 4 * (size_t)count;
  }
  if (!has_bytes(cursor, 5 * blocks + 4))
    return false;
  cursor->at += 5 * (size_t)blocks;
  return take_number(cursor, 4) == 0;
}

ORDER_BY(compare_entries, struct name_entry, x->reference);

/* Reads the names, count of them, each ended by a zero. */
static const char *read_names(struct edge_cursor *cursor,
                              struct name_entry *entries, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const unsigned char *at = cursor->file.data + cursor->at;
    const unsigned char *end =
        has_bytes(cursor, 1) ? memchr(at, '\0', cursor->file.size - cursor->at)
                             : NULL;
    if (!end)
      return damaged;
    entries[i].name = (const char *)at;
    entries[i].reference = md5_low64(at, (size_t)(end - at));
    cursor->at += (size_t)(end - at) + 1;
  }
  sort(entries, count, sizeof *entries, compare_entries);
  return NULL;
}

static const char *find_names(struct edge_cursor *cursor,
                              struct name_entry **entries, size_t *count) {
  *entries = NULL;
  if (!has_bytes(cursor, 8))
    return damaged;
  uint64_t number = take_number(cursor, 8);
  if (!has_bytes(cursor, number))
    return damaged;
  *count = (size_t)number;
  *entries = malloc((*count + 1) * sizeof **entries);
  return *entries ? read_names(cursor, *entries, *count) : out_of_memory;
}

/* ---- functions ---- */

/* *numbers: memory to be freed. */
static const char *read_follows(const struct mip_profile *profile,
                                struct edge_cursor *cursor,
                                struct mip_function *function,
                                uint32_t **numbers) {
  if (!(profile->type & MIP_FOLLOWS))
    return NULL;
  function->follows.count = (uint32_t)take_number(cursor, 4);
  *numbers = malloc(((size_t)function->follows.count + 1) * sizeof **numbers);
  if (!*numbers)
    return out_of_memory;
  for (uint32_t i = 0; i < function->follows.count; i++)
    (*numbers)[i] = (uint32_t)take_number(cursor, 4);
  function->follows.numbers = *numbers;
  return NULL;
}

static const char *read_function(struct mip_profile *profile,
                                 struct edge_cursor *cursor,
                                 const struct name_entry *entries,
                                 size_t count) {
  struct name_entry key = {take_number(cursor, 8), NULL};
  bool large = profile->revision == MIP_B;
  struct mip_function function = {.raw = take_number(cursor, large ? 8 : 4)},
                      *added;
  uint64_t address = take_number(cursor, large ? 8 : 4);
  function.address = profile->wide ? (int64_t)address : (int32_t)address;
  function.size = (uint32_t)take_number(cursor, 4);
  function.cfg = (uint32_t)take_number(cursor, 4);
  function.block_count = (uint32_t)take_number(cursor, 4);
  function.runs = (uint32_t)take_number(cursor, 4);
  function.calls = take_number(cursor, 8);
  function.order = take_number(cursor, 8);
  const struct name_entry *entry =
      bsearch(&key, entries, count, sizeof *entries, compare_entries);
  if (!entry)
    return "a function's name is not there; make the profile again";
  struct bytes name = {(const unsigned char *)entry->name, strlen(entry->name)};
  uint32_t *numbers = NULL;
  const char *error = read_follows(profile, cursor, &function, &numbers);
  if (!error)
    error = mip_add_function(profile, &function, name, &added);
  free(numbers);
  for (uint32_t i = 0; i < function.block_count && !error; i++) {
    added->blocks[i].offset = (uint32_t)take_number(cursor, 4);
    added->blocks[i].covered = take_number(cursor, 1) != 0;
  }
  take_number(cursor, 4);
  return error;
}

/* ---- edges ---- */

static const char *read_edge(struct mip_profile *profile,
                             struct edge_cursor *cursor) {
  struct mip_edge edge = {.callee = (uint32_t)take_number(cursor, 4)};
  take_number(cursor, 4);
  edge.from = (int64_t)take_number(cursor, 8);
  edge.count = take_number(cursor, 8);
  if (edge.callee >= profile->function_count)
    return damaged;
  return mip_add_edge(profile, &edge);
}

/* Reads bareprof's own part behind the names, if any. */
static const char *read_edges(struct mip_profile *profile,
                              struct edge_cursor *cursor) {
  size_t padding = (8 - cursor->at % 8) % 8;
  const char *error = NULL;
  if (!has_bytes(cursor, 1))
    return NULL;
  if (!has_bytes(cursor, padding + 24))
    return damaged;
  cursor->at += padding;
  if (memcmp(cursor->file.data + cursor->at,
             "\xFB"
             "BPE\1\0\0\0",
             8))
    return "there is something behind its names that is not known; get a later "
           "bareprof";
  cursor->at += 8;
  profile->lost = take_number(cursor, 8);
  uint64_t count = take_number(cursor, 8);
  if (count > (cursor->file.size - cursor->at) / 24)
    return damaged;
  for (uint64_t i = 0; i < count && !error; i++)
    error = read_edge(profile, cursor);
  mip_settle_edges(profile);
  return !error && has_bytes(cursor, 1) ? damaged : error;
}

/* ---- the file ---- */

static const char *read_body(struct mip_profile *profile,
                             struct edge_cursor *cursor,
                             struct name_entry **entries) {
  unsigned offset_size = profile->revision == MIP_B ? 8 : 4;
  size_t count;
  if (!has_bytes(cursor, 8))
    return damaged;
  uint64_t functions = take_number(cursor, 8);
  struct edge_cursor again = *cursor;
  for (uint64_t i = 0; i < functions; i++)
    if (!skip_function(cursor, offset_size, profile->type & MIP_FOLLOWS))
      return damaged;
  const char *error = find_names(cursor, entries, &count);
  for (uint64_t i = 0; i < functions && !error; i++)
    error = read_function(profile, &again, *entries, count);
  if (!error)
    error = mip_settle(profile);
  return error ? error : read_edges(profile, cursor);
}

const char *mip_profile_read(struct mip_profile *profile, struct bytes file) {
  struct mip_header header;
  struct name_entry *entries = NULL;
  mip_new(profile);
  const char *error = mip_header_read(&header, file);
  if (error)
    return error;
  if (header.kind != MIP_PROFILE)
    return "it is another kind of MIP file; give a .mip";
  mip_header_take(profile, &header);
  struct edge_cursor cursor = {file, mip_header_size(header.revision)};
  error = read_body(profile, &cursor, &entries);
  free(entries);
  return error;
}

/* ==== Writing. */

static const char *write_function(const struct mip_profile *profile,
                                  const struct mip_function *function,
                                  struct buffer *to) {
  unsigned offset_size = profile->revision == MIP_B ? 8 : 4;
  const struct mip_number numbers[] = {
      {md5_low64(function->name, strlen(function->name)), 8},
      {function->raw, offset_size},
      {(uint64_t)function->address, offset_size},
      {function->size, 4},
      {function->cfg, 4},
      {function->block_count, 4},
      {function->runs, 4},
      {function->calls, 8},
      {function->order, 8}};
  const char *error =
      mip_put_all(to, numbers, sizeof numbers / sizeof *numbers);
  if (!error && profile->type & MIP_FOLLOWS)
    error = mip_put_follows(to, function);
  for (uint32_t i = 0; i < function->block_count && !error; i++) {
    const struct mip_number block[] = {{function->blocks[i].offset, 4},
                                       {function->blocks[i].covered, 1}};
    error = mip_put_all(to, block, 2);
  }
  return error ? error : mip_put(to, 0, 4);
}

static const char *write_names(const struct mip_profile *profile,
                               struct buffer *to) {
  size_t count = profile->function_count, kept = 0;
  const char **names = malloc((count + 1) * sizeof *names);
  if (!names)
    return out_of_memory;
  for (size_t i = 0; i < count; i++)
    names[i] = profile->functions[i].name;
  qsort(names, count, sizeof *names, compare_texts);
  for (size_t i = 0; i < count; i++)
    if (!kept || strcmp(names[kept - 1], names[i]))
      names[kept++] = names[i];
  const char *error = mip_put(to, kept, 8);
  for (size_t i = 0; i < kept && !error; i++)
    error = buffer_append(to, names[i], strlen(names[i]) + 1);
  free(names);
  return error;
}

static const char *write_edges(const struct mip_profile *profile,
                               struct buffer *to) {
  const char *error = mip_align(to, 8);
  if (!error)
    error = buffer_append(to,
                          "\xFB"
                          "BPE\1\0\0\0",
                          8);
  if (!error)
    error = mip_put(to, profile->lost, 8);
  if (!error)
    error = mip_put(to, profile->edge_count, 8);
  for (size_t i = 0; i < profile->edge_count && !error; i++) {
    const struct mip_edge *edge = &profile->edges[i];
    const struct mip_number numbers[] = {
        {edge->callee, 8}, {(uint64_t)edge->from, 8}, {edge->count, 8}};
    error = mip_put_all(to, numbers, 3);
  }
  return error;
}

const char *mip_profile_write(const struct mip_profile *profile,
                              struct buffer *to) {
  struct mip_header header = mip_header_of(profile, MIP_PROFILE);
  const char *error = mip_header_write(&header, to);
  if (!error)
    error = mip_put(to, profile->function_count, 8);
  for (size_t i = 0; i < profile->function_count && !error; i++)
    error = write_function(profile, &profile->functions[i], to);
  if (!error)
    error = write_names(profile, to);
  if (!error && (profile->edge_count || profile->lost))
    error = write_edges(profile, to);
  return error;
}
