/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The order of two numbers, as qsort wants it.
 */
#ifndef BASE_COMPARE_H
#define BASE_COMPARE_H

#include <stdint.h>

/* Returns a number below 0 if a comes first, 0 if a and b are equal. */
static inline int compare_numbers(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

#endif
