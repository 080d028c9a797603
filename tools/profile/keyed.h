/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Many things put into the order of numbers, in linear time.
 */
#ifndef BAREPROF_TOOLS_PROFILE_KEYED_H
#define BAREPROF_TOOLS_PROFILE_KEYED_H

#include <stddef.h>
#include <stdint.h>

struct keyed {
  uint64_t key;
  uint64_t item; /* the caller's: a number, or a pointer as uintptr_t */
};

/* Sorts by ascending key; what has the same key stays in its order. spare has
 * room for as many. */
void keyed_sort(struct keyed *list, struct keyed *spare, size_t count);

#endif
