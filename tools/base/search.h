/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where a number is in an ascending list.
 */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* The number of the first element whose key is not below this one; count, if
 * all are. Elements have size bytes, and begin with the key; an empty list may
 * be NULL. Inline, for the size is a constant. */
static inline size_t search_key(const void *list, size_t size, size_t count,
                                uint64_t key) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const void *at = (const char *)list + middle * size;
    if (*(const uint64_t *)at < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

#endif
