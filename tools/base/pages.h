/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Large pages for large memory: the system takes long to hand out small ones,
 * and a walk through many of them takes long to find each.
 */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

/* Asks for large pages in memory from malloc, calloc or realloc that is not in
 * use yet. Does nothing if the memory is small or NULL, or if the system has no
 * large pages. Returns bytes. */
void *pages_ask(void *bytes, size_t size);

#endif
