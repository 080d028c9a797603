/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The storage for values of a hosted module: bareprof_values, in RAM and made
 * at the start, as large as the module needs. compiler-rt has one node for a
 * value, from pools of the objects and one of its own; eight slots for each
 * of these leave every site the 24 values that it has there.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "../values.h"
#include "hosted.h"

enum { WAYS = 24, SLOTS_FOR_NODE = 8 };

static struct bareprof_values_state state;
/* Until then there is one slot, and it is never free. */
static struct bareprof_value_slot no_slot = {.owner = BAREPROF_VALUE_FROZEN};
static struct bareprof_values storage = {
    .slots = &no_slot, .state = &state, .homes = 1, .ways = 1};

/* Weak: firmware that is built for the host may bring its own line of
 * BAREPROF_VALUES. */
extern const struct bareprof_values bareprof_values
    __attribute__((weak, alias("storage")));

/* The writer refers to these weakly. Records may have sites without any code
 * left that fills them. */
static const struct {
  void (*write)(struct bareprof_dump *);
  int (*merge)(const struct bareprof_dump *, const unsigned char *, size_t);
} needed __attribute__((used)) = {bareprof_values_write, bareprof_values_merge};

void bareprof_hosted_make_values(void) {
  size_t count = bareprof_hosted_nodes() * SLOTS_FOR_NODE;
  if (count > UINT32_MAX)
    count = UINT32_MAX;
  struct bareprof_value_slot *slots =
      mmap(NULL, count * sizeof *slots, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (slots == MAP_FAILED)
    return;
  storage.slots = slots;
  storage.ways = WAYS;
  storage.homes = count - WAYS + 1;
  storage.count = (uint32_t)count;
}
