/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The values of a hosted module: storage for them, made at the start, as large
 * as the module needs. compiler-rt has one node for a value, from pools of the
 * objects and one of its own; eight slots for each of these leave every site
 * the values that it has there: 24, or what LLVM_VP_MAX_NUM_VALS_PER_SITE
 * says, up to 255.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "../seams.h"
#include "hosted.h"

enum { WAYS = 24, WAYS_MAX = 255, SLOTS_FOR_NODE = 8 };

/* storage.c, or the program's own. */
BAREPROF_LINKS(bareprof_values);
/* Records may have sites without any code left that fills them. */
BAREPROF_LINKS(bareprof_values_write);
BAREPROF_LINKS(bareprof_values_merge);

void bareprof_hosted_have_values(void) {}

static uint32_t choose_ways(void) {
  const char *said = getenv("LLVM_VP_MAX_NUM_VALS_PER_SITE");
  int ways = said && *said ? atoi(said) : WAYS;
  return ways < 1 ? 1 : ways > WAYS_MAX ? WAYS_MAX : (uint32_t)ways;
}

/* Before any other constructor of the module: those count. */
static void init(void) {
  uint32_t ways = choose_ways();
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
  seam_hosted_storage.ways = ways;
  seam_hosted_storage.homes = count - ways + 1;
  seam_hosted_storage.count = (uint32_t)count;
}

static void (*const first)(void)
    __attribute__((section(".init_array.00000"), used)) = init;
