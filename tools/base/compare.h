/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Defines orders for qsort and bsearch, and searches sorted arrays.
 */
#ifndef BASE_COMPARE_H
#define BASE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns a negative number if a comes first, and 0 if a and b are equal. */
static inline int compare_numbers(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

/* Compares two names byte by byte. If one name is a prefix of the other, the
 * prefix comes first. */
static inline int compare_bytes(const void *a, size_t a_size, const void *b,
                                size_t b_size) {
  size_t size = a_size < b_size ? a_size : b_size;
  int order = size ? memcmp(a, b, size) : 0;
  return order ? order : compare_numbers(a_size, b_size);
}

/* Orders elements of type const char * with strcmp. */
static inline int compare_texts(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Calls qsort unless the list is empty; an empty list may be NULL. */
static inline void sort_array(void *list, size_t count, size_t size,
                              int (*order)(const void *, const void *)) {
  if (count)
    qsort(list, count, size, order);
}

/* Defines a function that orders elements of a type: ascending by one to four
 * unsigned numbers, which are expressions of an element x. Use ~ for a
 * descending order. The definition ends with a declaration, for the semicolon.
 *
 *     ORDER_BY(by_count, struct profiled_value, ~x->count, x->value);
 */
#define ORDER_BY(name, type, ...) ORDER_OF(name, type, __VA_ARGS__, 0, 0, 0, 0)
#define ORDER_OF(name, type, first, second, third, fourth, ...) \
  static int name(const void *left, const void *right) {        \
    const type *x;                                              \
    ORDER_STEP(first)                                           \
    ORDER_STEP(second)                                          \
    ORDER_STEP(third)                                           \
    ORDER_STEP(fourth)                                          \
    return 0;                                                   \
  }                                                             \
  static int name(const void *left, const void *right)
/* A later number is computed only if all earlier ones are equal. */
#define ORDER_STEP(number)     \
  {                            \
    x = left;                  \
    const uint64_t a = number; \
    x = right;                 \
    const uint64_t b = number; \
    if (a != b)                \
      return a < b ? -1 : 1;   \
  }

/* ---- search ----
 *
 * Finds a number in an ascending array of structs.
 *
 *     size_t until = search_after(spans, count, begin, address);
 *     if (until && address < spans[until - 1].end)
 *       ...
 */

/* Returns the index of the first element whose field is not below the key, or
 * count if all fields are below the key. The field is a uint64_t or uint32_t.
 * An empty array may be NULL. */
#define search_from(array, count, field, key) \
  search_number_field(SEARCH_IN(array, count, field), key, false)

/* Returns the index of the first element whose field is above the key. If there
 * is an element before it, that element is the last one whose field is at most
 * the key. */
#define search_after(array, count, field, key) \
  search_number_field(SEARCH_IN(array, count, field), key, true)

/* Returns the index of the first element whose text field is not below the key,
 * in the order of strcmp. */
#define search_text(array, count, field, key) \
  search_text_field(SEARCH_IN(array, count, field), key)

struct search_array {
  const void *array;
  size_t count, size;   /* the number and the size of the elements */
  size_t offset, width; /* the offset and the size of the field */
};

#define SEARCH_IN(array, count, field)                                        \
  (struct search_array) {                                                     \
    (array), (count), sizeof *(array), offsetof(__typeof__(*(array)), field), \
        sizeof(array)->field                                                  \
  }

/* The function is inline, because all members of `in` except the first two are
 * constants. */
static inline size_t search_number_field(struct search_array in, uint64_t key,
                                         bool after) {
  size_t low = 0, high = in.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *at = (const char *)in.array + middle * in.size;
    const void *there = at + in.offset;
    uint64_t field = in.width == sizeof(uint32_t) ? *(const uint32_t *)there
                                                  : *(const uint64_t *)there;
    if (after ? field <= key : field < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static inline size_t search_text_field(struct search_array in,
                                       const char *key) {
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
