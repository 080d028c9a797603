/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Large pages by Linux' madvise. All small pages of a piece are named, also
 * those that it shares with its neighbours: a large page may then cover the end
 * of one piece and the beginning of the next, and realloc can move a piece
 * without a copy.
 */
#define _DEFAULT_SOURCE /* madvise */

#include "pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void *pages_ask(void *bytes, size_t size) {
#ifdef MADV_HUGEPAGE
  enum { WORTH = 1 << 21 };
  if (!bytes || size < WORTH)
    return bytes;
  size_t before = (uintptr_t)bytes % (size_t)sysconf(_SC_PAGESIZE);
  (void)madvise((char *)bytes - before, before + size, MADV_HUGEPAGE);
#else
  (void)size;
#endif
  return bytes;
}
