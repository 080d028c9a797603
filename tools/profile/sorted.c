/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions by name. Names are long and begin alike, so they are compared by
 * eight letters at a time, as numbers next to the list: first the first eight,
 * then, of those that are the same, the next.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* Fewer than FEW are compared as they are, and all beyond DEEP letters. */
enum { FEW = 12, DEEP = 2048 };

struct keyed {
  uint64_t key;
  struct function_entry *entry;
};

static int by_name(const void *a, const void *b) {
  const struct function_entry *one = ((const struct keyed *)a)->entry;
  const struct function_entry *two = ((const struct keyed *)b)->entry;
  size_t size =
      one->name_size < two->name_size ? one->name_size : two->name_size;
  int order = memcmp(one->name, two->name, size);
  return order ? order
               : (one->name_size > two->name_size) -
                     (one->name_size < two->name_size);
}

static int by_key(const void *a, const void *b) {
  const struct keyed *one = a, *two = b;
  return (one->key > two->key) - (one->key < two->key);
}

/* The letters from depth on; zeros behind the end. */
static uint64_t key_at(const struct function_entry *entry, size_t depth) {
  uint64_t key = 0;
  for (size_t i = depth; i < depth + 8; i++)
    key = key << 8 | (i < entry->name_size ? (unsigned char)entry->name[i] : 0);
  return key;
}

/* Sorts names that are the same up to depth. */
static void sort(struct keyed *list, size_t count, size_t depth) {
  if (count < FEW || depth >= DEEP) {
    qsort(list, count, sizeof *list, by_name);
    return;
  }
  for (size_t i = 0; i < count; i++)
    list[i].key = key_at(list[i].entry, depth);
  qsort(list, count, sizeof *list, by_key);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && list[end].key == list[first].key;)
      end++;
    if (end > first + 1)
      sort(list + first, end - first, depth + 8);
  }
}

struct function_entry **profile_sorted(const struct profile *profile) {
  size_t room = profile->function_count + 1, count = 0;
  struct function_entry **list = malloc(room * sizeof *list);
  struct keyed *keyed = malloc(room * sizeof *keyed);
  for (size_t i = 0; i < profile->bucket_count && list && keyed; i++)
    for (struct function_entry *entry = profile->buckets[i]; entry;
         entry = entry->next)
      keyed[count++].entry = entry;
  if (list && keyed) {
    sort(keyed, count, 0);
    for (size_t i = 0; i < count; i++)
      list[i] = keyed[i].entry;
  } else {
    free(list);
    list = NULL;
  }
  free(keyed);
  return list;
}
