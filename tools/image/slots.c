/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads, adds and subtracts value slots (snapshot.h), and finds the slots in an
 * image. */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "../base/number.h"
#include "../base/compare.h"

/* This bit of a slot's rank marks a count that is subtracted. */
#define EARLIER UINT32_C(0x80000000)

static uint32_t count_slots(const struct snapshot *snapshot) {
  const struct dump_header *header = &snapshot->header;
  return snapshot->parts[BAREPROF_PIECE_SLOTS].bytes
             ? (uint32_t)(header->pieces[BAREPROF_PIECE_SLOTS].size /
                          SLOT_BYTES)
             : 0;
}

static void load_slot(struct bareprof_value_slot *slot, const unsigned char *at,
                      bool big) {
  slot->owner = load64(at, big);
  slot->value = load64(at + 8, big);
  slot->count = load64(at + 16, big);
  slot->site = (uint32_t)load64(at + 24, big);
}

/* ---- lists ---- */

ORDER_BY(by_site, struct bareprof_value_slot, x->owner, x->site, x->rank);

ORDER_BY(by_value, struct bareprof_value_slot, x->owner, x->site, x->value,
         x->rank);

static void sort_slots(struct value_slots *slots,
                       int (*order)(const void *, const void *)) {
  sort_array(slots->list, slots->count, sizeof *slots->list, order);
}

/* Appends the used slots of a snapshot to a list. The ranks of these slots
 * continue from `rank`. */
static bool append_slots(struct value_slots *slots,
                         const struct snapshot *snapshot, uint32_t rank) {
  uint32_t count = count_slots(snapshot);
  const unsigned char *at = snapshot->parts[BAREPROF_PIECE_SLOTS].bytes;
  size_t room = ((size_t)slots->count + count + 1) * sizeof *slots->list;
  struct bareprof_value_slot *list = realloc(slots->list, room);
  if (!list)
    return false;
  slots->list = list;
  for (uint32_t i = 0; i < count; i++, at += SLOT_BYTES) {
    struct bareprof_value_slot *slot = &list[slots->count];
    load_slot(slot, at, snapshot->header.big_endian);
    slot->rank = rank + i;
    slots->count += slot->owner != 0;
  }
  return true;
}

static bool is_same_value(const struct bareprof_value_slot *a,
                          const struct bareprof_value_slot *b) {
  return a->owner == b->owner && a->site == b->site && a->value == b->value;
}

/* Combines slots with equal values. Counts marked EARLIER are subtracted, all
 * other counts are added. */
static void combine_equal_slots(struct value_slots *slots) {
  uint32_t kept = 0;
  sort_slots(slots, by_value);
  for (uint32_t i = 0; i < slots->count;) {
    struct bareprof_value_slot slot = slots->list[i];
    uint64_t now = 0, before = 0;
    for (; i < slots->count && is_same_value(&slots->list[i], &slot); i++)
      if (slots->list[i].rank & EARLIER)
        before = add_saturated(before, slots->list[i].count);
      else
        now = add_saturated(now, slots->list[i].count);
    slot.count = now < before ? now : now - before;
    if (slot.count)
      slots->list[kept++] = slot;
  }
  slots->count = kept;
  sort_slots(slots, by_site);
}

bool slots_read(struct value_slots *slots, const struct snapshot *snapshot) {
  *slots = (struct value_slots){NULL, 0};
  if (!append_slots(slots, snapshot, 0))
    return false;
  combine_equal_slots(slots);
  return true;
}

uint32_t slots_count_used(const struct snapshot *snapshot) {
  const unsigned char *at = snapshot->parts[BAREPROF_PIECE_SLOTS].bytes;
  uint32_t used = 0;
  for (uint32_t i = 0; i < count_slots(snapshot); i++, at += SLOT_BYTES)
    used += load64(at, snapshot->header.big_endian) != 0;
  return used;
}

ORDER_BY(by_count, struct bareprof_value_slot, ~x->count, x->rank);

uint32_t slots_keep_highest(struct bareprof_value_slot *list, uint32_t count,
                            uint32_t most) {
  if (count <= most)
    return count;
  qsort(list, count, sizeof *list, by_count);
  qsort(list, most, sizeof *list, by_site);
  return most;
}

/* ---- snapshots ---- */

bool slots_replace(struct snapshot *snapshot, const struct value_slots *slots) {
  struct snapshot_piece *part = &snapshot->parts[BAREPROF_PIECE_SLOTS];
  struct dump_piece *piece = &snapshot->header.pieces[BAREPROF_PIECE_SLOTS];
  uint32_t count = count_slots(snapshot);
  bool big = snapshot->header.big_endian;
  if (count < slots->count) {
    unsigned char *bytes =
        realloc(part->bytes, (size_t)slots->count * SLOT_BYTES);
    if (!bytes)
      return false;
    part->bytes = bytes;
    count = slots->count;
  }
  if (count == 0)
    return true;
  memset(part->bytes, 0, (size_t)count * SLOT_BYTES);
  for (uint32_t i = 0; i < slots->count; i++) {
    unsigned char *at = part->bytes + (size_t)i * SLOT_BYTES;
    store64(at, slots->list[i].owner, big);
    store64(at + 8, slots->list[i].value, big);
    store64(at + 16, slots->list[i].count, big);
    store64(at + 24, slots->list[i].site, big);
  }
  piece->size = (uint64_t)count * SLOT_BYTES;
  piece->left_out = false;
  return snapshot_mark_all_known(snapshot, BAREPROF_PIECE_SLOTS);
}

static bool add_or_subtract_slots(struct snapshot *to,
                                  const struct snapshot *by, bool subtract) {
  struct value_slots slots = {NULL, 0};
  if (!count_slots(by))
    return true;
  /* The slots of `by` come after the slots of `to`, or are marked EARLIER. */
  bool done = append_slots(&slots, to, 0) &&
              append_slots(&slots, by, subtract ? EARLIER : count_slots(to));
  if (done) {
    combine_equal_slots(&slots);
    done = slots_replace(to, &slots);
  }
  free(slots.list);
  return done;
}

bool slots_merge(struct snapshot *sum, const struct snapshot *other) {
  return add_or_subtract_slots(sum, other, false);
}

bool slots_subtract(struct snapshot *later, const struct snapshot *earlier) {
  return add_or_subtract_slots(later, earlier, true);
}

/* ---- the slots of an image ---- */

bool slots_find_storage(const struct elf *elf, struct slot_storage *storage) {
  const unsigned pointer = elf->wide ? 8 : 4;
  const unsigned char *at = NULL;
  uint64_t address;
  *storage = (struct slot_storage){.slot_size = 4 * pointer};
  if (elf_find_symbol(elf, "bareprof_values", &address))
    at = elf_bytes_at(elf, address, slots_symbol_size(elf));
  if (!at)
    return false;
  storage->address = load_number(at, pointer, elf->big);
  storage->ways = load32(at + 3 * pointer, elf->big);
  storage->count = load32(at + 3 * pointer + 4, elf->big);
  return true;
}

uint64_t slots_ram_size(const struct slot_storage *storage) {
  enum { STATE = 8 };
  return storage->count ? (uint64_t)storage->count * storage->slot_size + STATE
                        : 0;
}
