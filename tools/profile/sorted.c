/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions by name. Names are long and begin alike, so they are compared by
 * eight letters at a time, as numbers next to the list: first the first eight,
 * then, of those that are the same, the next.
 */
#include <stdlib.h>
#include <string.h>

#include "keyed.h"
#include "model.h"

/* Fewer than FEW are compared as they are, and all beyond DEEP letters. They
 * are asked for AHEAD of their turn, as they lie anywhere in memory. */
enum { FEW = 12, DEEP = 2048, AHEAD = 16 };

static struct function_entry *entry_of(const struct keyed *keyed) {
  return (struct function_entry *)(uintptr_t)keyed->item;
}

static int by_name(const void *a, const void *b) {
  const struct function_entry *one = entry_of(a), *two = entry_of(b);
  size_t size =
      one->name_size < two->name_size ? one->name_size : two->name_size;
  int order = memcmp(one->name, two->name, size);
  return order ? order
               : (one->name_size > two->name_size) -
                     (one->name_size < two->name_size);
}

static void sort_few(struct keyed *list, size_t count) {
  for (size_t i = 1; i < count; i++) {
    struct keyed one = list[i];
    size_t at = i;
    for (; at && by_name(&list[at - 1], &one) > 0; at--)
      list[at] = list[at - 1];
    list[at] = one;
  }
}

/* The letters from depth on; zeros behind the end. */
static uint64_t key_at(const struct function_entry *entry, size_t depth) {
  uint64_t key = 0;
  if (depth + 8 <= entry->name_size)
    return load64((const unsigned char *)entry->name + depth, true);
  for (size_t i = depth; i < depth + 8; i++)
    key = key << 8 | (i < entry->name_size ? (unsigned char)entry->name[i] : 0);
  return key;
}

/* Sorts names that are the same up to depth. */
static void sort(struct keyed *list, struct keyed *spare, size_t count,
                 size_t depth) {
  if (count < FEW) {
    sort_few(list, count);
    return;
  }
  if (depth >= DEEP) {
    qsort(list, count, sizeof *list, by_name);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    if (i + AHEAD < count)
      __builtin_prefetch(entry_of(&list[i + AHEAD]));
    list[i].key = key_at(entry_of(&list[i]), depth);
  }
  keyed_sort(list, spare, count);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && list[end].key == list[first].key;)
      end++;
    if (end > first + 1)
      sort(list + first, spare, end - first, depth + 8);
  }
}

struct function_entry **profile_sorted(const struct profile *profile) {
  size_t room = profile->function_count + 1, count = 0;
  struct function_entry **list = malloc(room * sizeof *list);
  struct keyed *keyed = malloc(2 * room * sizeof *keyed);
  for (size_t i = 0; i < profile->bucket_count && list && keyed; i++)
    for (struct function_entry *entry = profile->buckets[i]; entry;
         entry = entry->next)
      keyed[count++].item = (uintptr_t)entry;
  if (list && keyed) {
    sort(keyed, keyed + room, count, 0);
    for (size_t i = 0; i < count; i++)
      list[i] = entry_of(&keyed[i]);
  } else {
    free(list);
    list = NULL;
  }
  free(keyed);
  return list;
}
