/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The value slots of a snapshot, its piece 6. Each has four numbers of 64 bits,
 * in the target's byte order: the address of a record plus 1, or 0 if the slot
 * is free; a value that was seen there; a count; the site in the function. A
 * value may be in several slots; their counts add up.
 */
#ifndef BAREPROF_TOOLS_SLOTS_H
#define BAREPROF_TOOLS_SLOTS_H

#include "snapshot.h"
#include "values.h"
#include "../object/elf.h"

/* The used slots, each value once, sorted by owner, then site. The values of a
 * site stay in the order of their slots. rank is the slot's index. */
struct slots {
  struct bareprof_value_slot *list; /* from malloc, for the caller to free */
  uint32_t count;
};

/* false: out of memory. */
bool slots_read(struct slots *slots, const struct snapshot *snapshot);

/* Returns how many slots are used. */
uint32_t slots_used(const struct snapshot *snapshot);

/* Adds the slots of another snapshot of the same image; either snapshot may
 * have none. false: out of memory. */
bool slots_merge(struct snapshot *sum, const struct snapshot *other);

/* Turns counts into differences. If a count became smaller, the value had lost
 * its slot in between, and the whole count is new. false: out of memory. */
bool slots_subtract(struct snapshot *later, const struct snapshot *earlier);

/* Sets the slots of a snapshot. */
bool slots_set(struct snapshot *snapshot, const struct slots *slots);

/* Keeps the `most` most counted values of a site, in their order. Returns how
 * many are left. */
uint32_t slots_cut(struct bareprof_value_slot *list, uint32_t count,
                   uint32_t most);

struct storage {
  uint64_t address; /* of the slots */
  uint32_t count;   /* of slots; 0: no storage was given */
  uint32_t ways;
  unsigned slot_size; /* bytes */
};

/* false: the ELF has no such symbol, or not its contents. */
bool storage_find(const struct elf *elf, struct storage *storage);

/* Bytes of that symbol. */
static inline unsigned storage_bytes(const struct elf *elf) {
  return elf->wide ? 32 : 20;
}

/* Bytes of RAM. */
uint64_t storage_size(const struct storage *storage);

#endif
