/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Counts out of memory: saved by a debugger, in a core, or bare. No check of
 * the link protects them, so what can be seen of the build id and of the
 * guard word is looked at.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "slots.h"
#include "join_inside.h"
#include "storage.h"

/* Bytes of memory at an address, or the segments of a core. */
struct memory {
  struct bytes bytes;
  uint64_t address;
  const struct elf *core;
};

static const unsigned char *find_in(struct bytes bytes, uint64_t at,
                                    uint64_t address, uint64_t size) {
  uint64_t offset = address - at;
  return bytes.data && address >= at && offset <= bytes.size &&
                 size <= bytes.size - offset
             ? bytes.data + offset
             : NULL;
}

/* Where an address range lies in memory; NULL: not, or not all of it. */
static const unsigned char *find(const struct memory *memory, uint64_t address,
                                 uint64_t size) {
  if (!memory->core)
    return find_in(memory->bytes, memory->address, address, size);
  const unsigned char *found = NULL;
  for (uint64_t i = 0; !found && i < memory->core->segment_count; i++) {
    struct elf_segment segment = elf_segment(memory->core, i);
    struct bytes bytes = {segment.bytes, (size_t)segment.file_size};
    if (segment.type == ELF_PT_LOAD)
      found = find_in(bytes, segment.address, address, size);
  }
  return found;
}

/* Of the word that bareprof_init fills; false: the image has none. */
static bool guard_address(const struct join *join, uint64_t *address) {
  return elf_find_symbol(join->elf, "__bareprof_guard", address) && *address;
}

/* Whether the guard is set, or cannot be seen. */
static bool initialised(const struct join *join, const struct memory *memory) {
  const struct header *header = &join->profile.header;
  const struct piece *counters = &header->pieces[BAREPROF_PIECE_COUNTERS];
  uint64_t address;
  if (!guard_address(join, &address))
    return true;
  const unsigned char *guard = find(memory, address, 8);
  uint32_t expected = ~(uint32_t)(counters->address + counters->size);
  return !guard || (uint32_t)load64(guard, header->big_endian) == expected;
}

/* Whether memory shows the note of another build than the ELF's. */
static bool other_build(const struct join *join, const struct memory *memory) {
  struct elf_section note;
  if (!elf_find_section(join->elf, ".note.gnu.build-id", &note) ||
      !note.bytes || !(note.flags & ELF_ALLOC))
    return false;
  const unsigned char *seen = find(memory, note.address, note.size);
  return seen && memcmp(seen, note.bytes, (size_t)note.size) != 0;
}

static int copy_counts(const struct join *join, const char *name,
                       const struct memory *memory, struct snapshot *counts) {
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++) {
    const struct piece *piece = &join->profile.header.pieces[i];
    if (piece->size == 0)
      continue;
    const unsigned char *bytes = find(memory, piece->address, piece->size);
    if (!bytes)
      return report(name,
                    "it does not have all %s, which are at 0x%llx to 0x%llx; "
                    "save that memory, too",
                    i == BAREPROF_PIECE_COUNTERS ? "counters" : "bitmaps",
                    (unsigned long long)piece->address,
                    (unsigned long long)(piece->address + piece->size));
    if (!snapshot_constant(counts, i, bytes))
      return report(name, "out of memory; close other programs");
  }
  return 0;
}

/* ---- value slots ---- */

/* One as struct bareprof_value_slot has it. What a hook was just filling has
 * no value yet. */
static void load_slot(struct bareprof_value_slot *slot, const unsigned char *at,
                      const struct elf *elf) {
  unsigned pointer = elf->wide ? 8 : 4;
  slot->owner = load_number(at, pointer, elf->big);
  slot->value = load_number(at + pointer, pointer, elf->big);
  slot->count = load_number(at + 2 * pointer, pointer, elf->big);
  slot->site = (uint32_t)load_number(at + 3 * pointer, pointer / 2, elf->big);
  slot->owner &= ~BAREPROF_VALUE_FROZEN;
  if (!(slot->owner & BAREPROF_VALUE_OWNED))
    slot->owner = 0;
}

static int copy_slots(const struct join *join, const char *name,
                      const struct memory *memory, struct snapshot *counts) {
  struct storage storage;
  if (!storage_find(join->elf, &storage) || !storage.count)
    return 0;
  if (storage.count > PIECE_LIMIT / SLOT_BYTES)
    return report(join->elf_name,
                  "it has more than 16 MB of value slots; is it damaged?");
  uint64_t size = (uint64_t)storage.count * storage.slot_size;
  const unsigned char *at = find(memory, storage.address, size);
  if (!at) {
    report(name,
           "it does not have the value slots, at 0x%llx to 0x%llx, and adds "
           "no values; save all of it as one memory image",
           (unsigned long long)storage.address,
           (unsigned long long)(storage.address + size));
    return 0;
  }
  struct slots slots = {calloc(storage.count, sizeof *slots.list),
                        storage.count};
  for (uint32_t i = 0; slots.list && i < slots.count; i++)
    load_slot(&slots.list[i], at + (size_t)i * storage.slot_size, join->elf);
  bool done = slots.list && slots_set(counts, &slots);
  free(slots.list);
  return done ? 0 : report(name, "out of memory; close other programs");
}

static int join_found(struct join *join, const char *name,
                      const struct memory *memory) {
  struct snapshot counts;
  if (join_begin(join, 0))
    return 1;
  if (other_build(join, memory))
    return join_other_build(join, name);
  struct header header = join->profile.header;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    header.pieces[i].left_out =
        i != BAREPROF_PIECE_COUNTERS && i != BAREPROF_PIECE_BITMAP;
  if (!snapshot_new(&counts, &header))
    return report(name, "out of memory; close other programs");
  int status = copy_counts(join, name, memory, &counts);
  if (!status)
    status = copy_slots(join, name, memory, &counts);
  if (!status && !initialised(join, memory))
    status = report(name, "its counters were never initialised; call "
                          "bareprof_init before the first instrumented "
                          "function, or give the right address");
  if (!status)
    status = join_take(join, name, &counts);
  snapshot_free(&counts);
  return status;
}

int join_memory(struct join *join, const char *name, struct bytes memory,
                uint64_t address) {
  const struct memory one = {memory, address, NULL};
  return join_found(join, name, &one);
}

int join_core(struct join *join, const char *name, struct bytes file) {
  struct elf core;
  const char *error = elf_open(&core, file);
  if (error)
    return report(name, "%s", error);
  if (core.type != ELF_CORE)
    return report(name, "it is an ELF, but no core; give dumps behind the "
                        "ELF that ran");
  if (core.big != join->elf->big || core.wide != join->elf->wide ||
      core.machine != join->elf->machine)
    return report(name,
                  "it is a core of another machine than %s; give the "
                  "ELF that ran",
                  join->elf_name);
  const struct memory memory = {.core = &core};
  return join_found(join, name, &memory);
}

/* The counters come first; then the bitmap; what may be behind them ends with
 * the guard. A file of another size is something else. */
int join_bare(struct join *join, const char *name, struct bytes file) {
  if (join_begin(join, 0))
    return 1;
  const struct piece *counters =
      &join->profile.header.pieces[BAREPROF_PIECE_COUNTERS];
  const struct piece *bitmap =
      &join->profile.header.pieces[BAREPROF_PIECE_BITMAP];
  uint64_t most = counters->size, guard;
  if (bitmap->size)
    most = bitmap->address + bitmap->size - counters->address;
  most = (most + 7) / 8 * 8;
  if (guard_address(join, &guard) && guard - counters->address >= most)
    most = guard + 8 - counters->address;
  if (file.size > most)
    return report(name,
                  "it is no dump, no core, and too large for bare counters, "
                  "which are %llu bytes; give a memory image by --memory "
                  "FILE@ADDRESS",
                  (unsigned long long)most);
  return join_memory(join, name, file, counters->address);
}
