/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The values of a hosted module: storage for them, made at the start, as large
 * as the module needs. compiler-rt has one node for a value, from pools of the
 * objects and one of its own; eight slots for each of these leave every site
 * the 24 values that it has there.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "../seams.h"
#include "hosted.h"

enum { WAYS = 24, SLOTS_FOR_NODE = 8 };

/* storage.c, or the program's own. */
BAREPROF_LINKS(bareprof_values);
/* Records may have sites without any code left that fills them. */
BAREPROF_LINKS(bareprof_values_write);
BAREPROF_LINKS(bareprof_values_merge);

void bareprof_hosted_make_values(void) {
  size_t count = bareprof_hosted_nodes() * SLOTS_FOR_NODE;
  if (!&seam_hosted_storage)
    return;
  if (count > UINT32_MAX)
    count = UINT32_MAX;
  struct bareprof_value_slot *slots =
      mmap(NULL, count * sizeof *slots, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (slots == MAP_FAILED)
    return;
  seam_hosted_storage.slots = slots;
  seam_hosted_storage.ways = WAYS;
  seam_hosted_storage.homes = count - WAYS + 1;
  seam_hosted_storage.count = (uint32_t)count;
}
