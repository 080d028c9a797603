/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The value slots of a snapshot, its piece 6. Each has four numbers of 64 bits,
 * in the target's byte order: the address of a record plus 1, or 0 if the
 * slot is free; a value that was seen there; how often; at which site of the
 * function. A value may be in several slots: they add up.
 */
#ifndef BAREPROF_TOOLS_SLOTS_H
#define BAREPROF_TOOLS_SLOTS_H

#include "snapshot.h"
#include "values.h"
#include "../object/elf.h"

/* Those in use, each value once, sorted by owner, then site; the values of a
 * site in the order of their slots. rank is where the slot was. */
struct slots {
  struct bareprof_value_slot *list; /* from malloc, for the caller to free */
  uint32_t count;
};

/* false: out of memory. */
bool slots_read(struct slots *slots, const struct snapshot *snapshot);

/* How many are in use. */
uint32_t slots_used(const struct snapshot *snapshot);

/* Adds those of another snapshot of the same image, which may have none, and
 * a place for each. false: out of memory. */
bool slots_merge(struct snapshot *sum, const struct snapshot *other);

/* Turns counts into what has come since. One that has become smaller had lost
 * its slot in between, and all of it has come since. false: out of memory. */
bool slots_subtract(struct snapshot *later, const struct snapshot *earlier);

/* The same slots as others of a snapshot, which have been set. */
bool slots_set(struct snapshot *snapshot, const struct slots *slots);

/* Leaves the most counted of the values of a site, `most` at most, in their
 * order; returns how many. */
uint32_t slots_cut(struct bareprof_value_slot *list, uint32_t count,
                   uint32_t most);

struct storage {
  uint64_t address; /* of the slots */
  uint32_t count;   /* of slots; 0: nobody has given storage */
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
