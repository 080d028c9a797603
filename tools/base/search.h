/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds a number in an ascending array of structures.
 *
 *     size_t until = search_behind(spans, count, begin, address);
 *     if (until && address < spans[until - 1].end)
 *       ...
 */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The index of the first element whose field is not below the key; count if
 * every field is below. The field is a uint64_t or uint32_t. An empty array may
 * be NULL. */
#define search_from(array, count, field, key) \
  search_for(SEARCH_IN(array, count, field), key, false)

/* The same for the first element whose field is above the key. The element
 * before it, if any, is the last that begins at the key or before. */
#define search_behind(array, count, field, key) \
  search_for(SEARCH_IN(array, count, field), key, true)

/* The same for a field that is a text, by strcmp. */
#define search_text(array, count, field, key) \
  search_for_text(SEARCH_IN(array, count, field), key)

struct search_in {
  const void *array;
  size_t count, size;   /* number of elements, size of each */
  size_t offset, width; /* of the field in it */
};

#define SEARCH_IN(array, count, field)                                        \
  (struct search_in) {                                                        \
    (array), (count), sizeof *(array), offsetof(__typeof__(*(array)), field), \
        sizeof(array)->field                                                  \
  }

/* Inline, because all members of `in` except the first two are constants. */
static inline size_t search_for(struct search_in in, uint64_t key,
                                bool behind) {
  size_t low = 0, high = in.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *at = (const char *)in.array + middle * in.size;
    const void *there = at + in.offset;
    uint64_t field = in.width == sizeof(uint32_t) ? *(const uint32_t *)there
                                                  : *(const uint64_t *)there;
    if (behind ? field <= key : field < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static inline size_t search_for_text(struct search_in in, const char *key) {
  size_t low = 0, high = in.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *at = (const char *)in.array + middle * in.size;
    if (strcmp(*(const char *const *)(const void *)(at + in.offset), key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

#endif
