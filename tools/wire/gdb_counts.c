/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds, fills and reads the counts of an ELF through a GDB server. gdb_visit.c
 * calls these functions; join_add_file (image/join_dump.c) turns the result
 * into a profile.
 */
#include "gdb.h"

#include <stdlib.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../image/image.h"
#include "../image/trace_counts.h"
#include "../image/snapshot.h"
#include "../image/raw_version.h"

enum { POISON = 0xA5, GUARD_SIZE = 8, SAMPLES = 16, SAMPLE_SIZE = 64 };

/* ---- ranges ---- */

static const char *append_counts_range(struct gdb_counts *counts,
                                       uint64_t address, uint64_t size,
                                       enum counts_range_kind kind) {
  if (!size)
    return NULL;
  if (size > PIECE_LIMIT)
    return PIECE_TOO_LARGE;
  if (!list_make_room(&counts->ranges, counts->count, sizeof *counts->ranges))
    return out_of_memory;
  counts->ranges[counts->count++] = (struct counts_range){address, size, kind};
  return NULL;
}

/* Adds the ranges of value slots, and the ranges that prove that the counts
 * belong to the ELF. */
static const char *add_elf_match_ranges(struct gdb_counts *counts) {
  struct elf_section note;
  struct slot_storage storage;
  const char *error = NULL;
  if (elf_find_symbol(counts->elf, "__bareprof_guard", &counts->guard) &&
      counts->guard)
    error =
        append_counts_range(counts, counts->guard, GUARD_SIZE, COUNTS_PROOF);
  if (!error && elf_find_section(counts->elf, ".note.gnu.build-id", &note) &&
      note.bytes && note.flags & ELF_ALLOC) {
    error = append_counts_range(counts, note.address, note.size, COUNTS_PROOF);
    counts->proven = true; /* join_add_file checks the build id */
  }
  if (!error && slots_find_storage(counts->elf, &storage) && storage.count)
    error = append_counts_range(counts, storage.address,
                                (uint64_t)storage.count * storage.slot_size,
                                COUNTS_PROOF);
  return error;
}

/* Adds the ranges of counters and bitmaps. */
static const char *add_count_ranges(struct gdb_counts *counts,
                                    uint64_t version) {
  struct image_ranges ranges = {NULL, 0};
  const char *error = image_list_count_ranges(counts->elf, version, &ranges);
  for (size_t i = 0; i < ranges.count && !error; i++) {
    const struct image_range *range = &ranges.list[i];
    bool counters = range->piece == BAREPROF_PIECE_COUNTERS;
    error = append_counts_range(counts, range->address, range->size,
                                counters ? COUNTS_COUNTERS : COUNTS_BITMAP);
    if (counters)
      counts->counters_end = range->address + range->size;
  }
  free(ranges.list);
  return error;
}

const char *gdb_counts_find_ranges(struct gdb_counts *counts,
                                   const struct elf *elf) {
  struct raw_version_evidence found;
  struct snapshot image;
  uint64_t version;
  *counts = (struct gdb_counts){.elf = elf};
  const char *error = linked_points_present(elf)
                          ? "the ELF has trace points instead of counters; use "
                            "bareprof run --trace"
                          : raw_version_collect_evidence(elf, 0, &found);
  if (!error)
    error = raw_version_choose(&found, 0, 0, &version);
  if (!error)
    error = image_read(&image, elf, version);
  if (error)
    return error;
  counts->ones = version & BAREPROF_BYTE_COVERAGE;
  counts->element = counts->ones ? 1 : image.header.packed ? 4 : 8;
  image_free(&image, elf);
  error = add_count_ranges(counts, version);
  return error ? error : add_elf_match_ranges(counts);
}

void gdb_counts_free(struct gdb_counts *counts) { free(counts->ranges); }

/* ---- before the program starts ---- */

const char *gdb_counts_write_initial(const struct gdb_counts *counts,
                                     struct gdb_client *gdb) {
  const char *error = NULL;
  for (size_t i = 0; i < counts->count && !error; i++) {
    const struct counts_range *range = &counts->ranges[i];
    bool ones = range->kind == COUNTS_COUNTERS && counts->ones;
    if (range->kind != COUNTS_PROOF)
      error = gdb_fill_memory(gdb, range->address, ones ? 0xFF : 0,
                              (size_t)range->size);
  }
  unsigned char guard[GUARD_SIZE];
  store64(guard, (uint32_t)~counts->counters_end, counts->elf->big);
  if (!error && counts->guard)
    error = gdb_write_memory(gdb, counts->guard, guard, sizeof guard);
  return error;
}

const char *gdb_counts_poison(const struct gdb_counts *counts,
                              struct gdb_client *gdb) {
  const char *error = NULL;
  for (size_t i = 0; i < counts->count && !error; i++)
    if (counts->ranges[i].kind != COUNTS_PROOF)
      error = gdb_fill_memory(gdb, counts->ranges[i].address, POISON,
                              (size_t)counts->ranges[i].size);
  return error;
}

/* ---- after the program has run ---- */

/* Finds the section that contains byte number `offset` of all code. */
static bool find_code_section_at(const struct elf *elf, uint64_t offset,
                                 struct elf_section *section, uint64_t *left) {
  *left = offset;
  for (uint64_t i = 1; i < elf->section_count; i++) {
    *section = elf_section(elf, i);
    if (!elf_section_has_code(elf, (uint32_t)i) || !section->bytes)
      continue;
    if (*left < section->size)
      return true;
    *left -= section->size;
  }
  return false;
}

const char gdb_counts_other[] =
    "the code on the target does not match this ELF; "
    "pass the ELF that runs, or flash this one";

static bool is_blank_memory(const unsigned char *bytes, uint64_t size) {
  for (uint64_t i = 1; i < size; i++)
    if (bytes[i] != bytes[0])
      return false;
  return bytes[0] == 0 || bytes[0] == 0xFF;
}

/* Compares samples of the code. If the server cannot read a sample, the sample
 * proves nothing, and is skipped. */
const char *gdb_counts_compare_code(struct gdb_counts *counts,
                                    struct gdb_client *gdb) {
  const struct elf *elf = counts->elf;
  unsigned char seen[SAMPLE_SIZE];
  struct elf_section section;
  uint64_t size = 0, left;
  while (find_code_section_at(elf, size, &section, &left))
    size += section.size;
  for (uint64_t i = 0; i < SAMPLES && size; i++) {
    if (!find_code_section_at(elf, size / SAMPLES * i, &section, &left))
      break;
    uint64_t some = section.size - left;
    some = some < sizeof seen ? some : sizeof seen;
    const char *error =
        gdb_read_memory(gdb, section.address + left, seen, (size_t)some);
    if (error && error != gdb_unreadable)
      return error;
    if (!error && memcmp(seen, section.bytes + left, (size_t)some) != 0) {
      counts->other = section.address + left;
      counts->blank = is_blank_memory(seen, some);
      return gdb_counts_other;
    }
    counts->proven |= !error;
  }
  return NULL;
}

/* Returns whether the program has changed these bytes since it started. */
static bool has_changed_bytes(const struct gdb_counts *counts,
                              const struct counts_range *range,
                              const unsigned char *bytes) {
  unsigned char first =
      range->kind == COUNTS_COUNTERS && counts->ones ? 0xFF : 0;
  for (uint64_t i = 0; range->kind != COUNTS_PROOF && i < range->size; i++)
    if (bytes[i] != first)
      return true;
  return false;
}

/* Returns whether a counter still contains the poison. A counter starts from
 * the poison and counts up, so the upper half of the poison is kept longest. */
static bool is_poisoned(const struct gdb_counts *counts,
                        const unsigned char *at) {
  bool big = counts->elf->big;
  switch (counts->element) {
  case 8:
    return load64(at, big) >> 32 == 0xA5A5A5A5;
  case 4:
    return load32(at, big) >> 16 == 0xA5A5;
  default:
    return *at == POISON;
  }
}

static const char *check_counters_cleared(const struct gdb_counts *counts,
                                          const struct counts_range *range,
                                          const unsigned char *bytes) {
  for (uint64_t i = 0; i + counts->element <= range->size; i += counts->element)
    if (is_poisoned(counts, bytes + i))
      return "the counters were not cleared before the program counted; place "
             "their section where start-up code clears memory";
  return NULL;
}

/* Returns how many bytes to read for a range. The size is rounded up to a
 * multiple of 8, because sections end there. Only symbols tell the exact end,
 * and an ELF may have lost its symbols. */
static uint64_t padded_size(const struct counts_range *range) {
  uint64_t rest = (range->address + range->size) % 8;
  bool pads = range->kind != COUNTS_PROOF && rest;
  return range->size + (pads ? 8 - rest : 0);
}

/* Writes the headers of a core file to the buffer, and reserves space for the
 * contents. The last program header stays empty; gdb_stack.c uses it for a
 * note. */
static const char *write_core_headers(const struct gdb_counts *counts,
                                      struct buffer *core) {
  const struct elf *elf = counts->elf;
  unsigned pointer = elf->wide ? 8 : 4;
  size_t first = elf->wide ? 64 : 52, each = elf->wide ? 56 : 32;
  uint64_t at = first + each * (counts->count + 1), size = at;
  for (size_t i = 0; i < counts->count; i++)
    size += padded_size(&counts->ranges[i]);
  core->limit = (size_t)size;
  const char *error = buffer_reserve(core, (size_t)size);
  if (error)
    return error;
  core->size = (size_t)size;
  unsigned char *header = memset(core->data, 0, (size_t)size);
  memcpy(header, elf->file.data, 16); /* the class and byte order are the
                                         same */
  store16(header + 16, ELF_CORE, elf->big);
  store16(header + 18, elf->machine, elf->big);
  store32(header + 20, 1, elf->big);
  store_number(header + 24 + pointer, first, pointer, elf->big);
  unsigned char *sizes = header + 28 + 3 * pointer; /* the fields after
                                                       e_flags */
  store16(sizes, (uint16_t)first, elf->big);
  store16(sizes + 2, (uint16_t)each, elf->big);
  store16(sizes + 4, (uint16_t)(counts->count + 1), elf->big);
  for (size_t i = 0; i < counts->count; i++) {
    const struct counts_range *range = &counts->ranges[i];
    unsigned char *to = header + first + each * i;
    store32(to, ELF_PT_LOAD, elf->big);
    to += pointer; /* in 64-bit files, the flags are before this field */
    const uint64_t some = padded_size(range);
    const uint64_t fields[] = {at, range->address, 0, some, some};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
      store_number(to + pointer * k, fields[k], pointer, elf->big);
    at += some;
  }
  return NULL;
}

const char *gdb_counts_read(struct gdb_counts *counts, struct gdb_client *gdb,
                            bool poisoned, struct buffer *core) {
  const char *error = write_core_headers(counts, core);
  size_t at = core->size;
  counts->counted = false;
  for (size_t i = counts->count; i-- && !error;) {
    const struct counts_range *range = &counts->ranges[i];
    size_t some = (size_t)padded_size(range);
    at -= some;
    error = gdb_read_memory(gdb, range->address, core->data + at, some);
    if (!error && poisoned && range->kind == COUNTS_COUNTERS)
      error = check_counters_cleared(counts, range, core->data + at);
    counts->counted |=
        !error && has_changed_bytes(counts, range, core->data + at);
  }
  return error;
}
