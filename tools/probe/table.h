/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Numbers for what is met for the first time, from 0 on, by a key of 64 bits.
 * Keys are MD5s, because a file may be made to fill one bucket of a weaker
 * hash. Begin with {0}.
 */
#ifndef PROBE_TABLE_H
#define PROBE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct probe_table {
  struct probe_slot *slots;
  uint32_t room, count; /* count: how many numbers were given */
};

/* The number of a key; *is_new: it is count - 1, and was given now. NULL, or
 * what is wrong. */
const char *probe_table_number(struct probe_table *table, uint64_t key,
                               uint32_t *number, bool *is_new);

void probe_table_free(struct probe_table *table);

#endif
