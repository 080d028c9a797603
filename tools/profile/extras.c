/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a profile has besides functions: its kind, names of vtables, build
 * ids. Traces: traces.c.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { MUST_AGREE = PROFILE_FRONT_END | PROFILE_IR | PROFILE_BYTES };

unsigned profile_flags(uint64_t word) {
  static const struct {
    unsigned bit, flag;
  } variants[] = {{55, PROFILE_LOOP_ENTRIES}, {56, PROFILE_IR},
                  {57, PROFILE_CS},           {58, PROFILE_ENTRY_FIRST},
                  {59, PROFILE_CORRELATED},   {60, PROFILE_BYTES},
                  {61, PROFILE_ENTRY_ONLY},   {63, PROFILE_TEMPORAL}};
  unsigned flags = 0;
  for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++)
    if (word >> variants[i].bit & 1)
      flags |= variants[i].flag;
  return flags & PROFILE_IR ? flags : flags | PROFILE_FRONT_END;
}

const char *profile_join_flags(struct profile *profile, unsigned flags) {
  unsigned both = profile->flags | flags;
  if (profile->flags && (profile->flags ^ flags) & MUST_AGREE)
    return (both & PROFILE_FRONT_END && both & PROFILE_IR)
               ? "it is of the other kind, front end (-fprofile-instr-generate)"
                 " or IR (-fprofile-generate), than the files before; merge "
                 "the two kinds apart"
               : "one counts, the other only says whether code ran; merge them "
                 "apart";
  profile->flags = both;
  return NULL;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t vtables_sort(const char **list, size_t count) {
  size_t kept = 0;
  if (count)
    qsort(list, count, sizeof *list, by_text);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || strcmp(list[i], list[kept - 1]) != 0)
      list[kept++] = list[i];
  return kept;
}

/* Whether the name is among those in order. */
static bool vtable_settled(const struct profile *profile, const char *name,
                           size_t name_size) {
  const char *const *list = (const void *)profile->vtables.data;
  size_t low = 0, high = profile->vtables_settled;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strncmp(list[middle], name, name_size);
    if (order == 0 && list[middle][name_size] == 0)
      return true;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

/* Files of one build have the same names. */
bool profile_add_vtable(struct profile *profile, const char *name,
                        size_t name_size) {
  struct buffer *all = &profile->vtables;
  size_t count = all->size / sizeof name;
  if (count >= 2 * profile->vtables_settled + 1024) {
    count = vtables_sort((const char **)(void *)all->data, count);
    all->size = count * sizeof name;
    profile->vtables_settled = count;
  }
  if (vtable_settled(profile, name, name_size))
    return true;
  const char *copy = arena_copy(&profile->arena, name, name_size);
  return copy && !buffer_append(all, &copy, sizeof copy);
}

static int by_bytes(const void *left, const void *right) {
  const struct bytes *a = left, *b = right;
  int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
  return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* Files of one build have the same ids; what is new waits behind those in
 * order. */
bool profile_add_id(struct profile *profile, struct bytes id) {
  struct buffer *ids = &profile->ids;
  if (profile->ids_settled &&
      bsearch(&id, ids->data, profile->ids_settled, sizeof id, by_bytes))
    return true;
  struct bytes copy = {
      (unsigned char *)arena_copy(&profile->arena, id.data, id.size), id.size};
  return copy.data && !buffer_append(ids, &copy, sizeof copy);
}

void profile_settle_ids(struct profile *profile) {
  struct bytes *list = (struct bytes *)(void *)profile->ids.data;
  size_t count = profile->ids.size / sizeof *list, kept = 0;
  if (count == profile->ids_settled)
    return;
  qsort(list, count, sizeof *list, by_bytes);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || by_bytes(&list[i], &list[kept - 1]) != 0)
      list[kept++] = list[i];
  profile->ids.size = kept * sizeof *list;
  profile->ids_settled = kept;
}
