/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records of one raw version as those of another.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"

#include "layout.h"
#include "values.h"

/* Records, read or written. */
struct records {
  const struct header *header;
  const struct bareprof_layout *layout;
  unsigned char *bytes;
  uint64_t address;
  unsigned pointer;
};

/* A record, whatever its version. */
struct record {
  uint64_t name, hash;
  uint64_t counters, bitmap; /* addresses */
  uint64_t function, values;
  uint32_t counter_count, bitmap_size;
  uint16_t sites[3];
};

static uint64_t load_at(const struct records *from, const unsigned char *at,
                        unsigned size) {
  return load_number(at, size, from->header->big_endian);
}

static void store_at(const struct records *to, unsigned char *at,
                     uint64_t value, unsigned size) {
  store_number(at, value, size, to->header->big_endian);
}

/* What a pointer of the record at `at` is relative to. */
static uint64_t base(const struct records *records, uint64_t at) {
  return records->layout->fields & BAREPROF_ABSOLUTE ? 0
                                                     : records->address + at;
}

/* The last three pointers of a record, before NumCounters, are BitmapPtr (in
 * versions that have one), FunctionPointer, Values. */
static void read_record(const struct records *from, uint64_t at,
                        struct record *record) {
  const unsigned char *bytes = from->bytes + at;
  const unsigned char *counts = bytes + from->layout->counts_at;
  unsigned pointer = from->pointer;
  memset(record, 0, sizeof *record);
  record->name = load_at(from, bytes, 8);
  record->hash = load_at(from, bytes + 8, 8);
  record->counters = load_at(from, bytes + 16, pointer) + base(from, at);
  record->function = load_at(from, counts - 2 * pointer, pointer);
  record->values = load_at(from, counts - pointer, pointer);
  record->counter_count = (uint32_t)load_at(from, counts, 4);
  for (unsigned kind = 0; kind < from->layout->kinds; kind++)
    record->sites[kind] = (uint16_t)load_at(from, counts + 4 + 2 * kind, 2);
  if (from->layout->bitmap_at) {
    uint64_t bitmap = load_at(from, counts - 3 * pointer, pointer);
    record->bitmap = bitmap ? bitmap + base(from, at) : 0;
    record->bitmap_size =
        (uint32_t)load_at(from, bytes + from->layout->bitmap_at, 4);
  }
}

static void write_record(const struct records *to, uint64_t at,
                         const struct record *record) {
  unsigned char *bytes = to->bytes + at;
  unsigned char *counts = bytes + to->layout->counts_at;
  unsigned pointer = to->pointer;
  store_at(to, bytes, record->name, 8);
  store_at(to, bytes + 8, record->hash, 8);
  store_at(to, bytes + 16, record->counters - base(to, at), pointer);
  store_at(to, counts - 2 * pointer, record->function, pointer);
  store_at(to, counts - pointer, record->values, pointer);
  store_at(to, counts, record->counter_count, 4);
  for (unsigned kind = 0; kind < to->layout->kinds; kind++)
    store_at(to, counts + 4 + 2 * kind, record->sites[kind], 2);
  if (to->layout->bitmap_at) {
    uint64_t bitmap = record->bitmap ? record->bitmap - base(to, at) : 0;
    store_at(to, counts - 3 * pointer, bitmap, pointer);
    store_at(to, bytes + to->layout->bitmap_at, record->bitmap_size, 4);
  }
}

static struct records open_records(const struct header *header,
                                   const uint64_t *version,
                                   unsigned char *bytes) {
  const struct bareprof_image image = {.version = version,
                                       .pointer_size = header->wide ? 8 : 4};
  return (struct records){header, bareprof_layout_find(&image), bytes,
                          header->pieces[BAREPROF_PIECE_RECORDS].address,
                          image.pointer_size};
}

/* What the other version has no place for, or takes for something else. */
static const char *misfit(const struct header *header,
                          const struct bareprof_layout *to, unsigned raw) {
  bool bitmap = header->pieces[BAREPROF_PIECE_BITMAP].size;
  if (!to)
    return "raw versions are 7 to 11; give another --raw-version (of report: "
           "--llvm)";
  if (bitmap && !to->bitmap_at)
    return "raw versions before 9 have no MC/DC bitmaps; give another "
           "--raw-version (of report: --llvm)";
  if (bitmap && ((uint32_t)header->version == 9) != (raw == 9))
    return "LLVM 18 (raw version 9) reads MC/DC bitmaps in another way than "
           "later ones; give another --raw-version (of report: --llvm)";
  if (to->kinds < 3 && header->pieces[BAREPROF_PIECE_VTABLES].size)
    return "raw versions before 10 have no vtables; give another "
           "--raw-version (of report: --llvm)";
  if (raw == 7 && header->version & BAREPROF_BYTE_COVERAGE)
    return "raw version 7 has no counters of one byte; give another "
           "--raw-version (of report: --llvm)";
  if (raw < 9 && header->version & BAREPROF_TEMPORAL)
    return "LLVM 13 to 16 (raw versions 7 and 8) take the order of functions "
           "for counts; give another --raw-version (of report: --llvm)";
  return NULL;
}

/* Value slots name records by their addresses. What was none shall not become
 * one. */
static void move_owners(struct snapshot *snapshot, uint64_t from, uint64_t to,
                        uint64_t count) {
  const struct header *header = &snapshot->header;
  uint64_t base = header->pieces[BAREPROF_PIECE_RECORDS].address;
  unsigned char *at = snapshot->parts[BAREPROF_PIECE_SLOTS].bytes;
  uint64_t left = header->pieces[BAREPROF_PIECE_SLOTS].size / SLOT_BYTES;
  for (; at && left; left--, at += SLOT_BYTES) {
    uint64_t owner = load64(at, header->big_endian);
    uint64_t offset = owner - BAREPROF_VALUE_OWNED - base;
    bool record = offset % from == 0 && offset / from < count;
    if (owner)
      store64(at,
              record ? base + offset / from * to + BAREPROF_VALUE_OWNED
                     : UINT64_MAX,
              header->big_endian);
  }
}

const char *image_convert(struct snapshot *snapshot, const struct elf *elf,
                          unsigned raw) {
  struct header *header = &snapshot->header;
  struct piece *piece = &header->pieces[BAREPROF_PIECE_RECORDS];
  struct part *part = &snapshot->parts[BAREPROF_PIECE_RECORDS];
  uint64_t version = (header->version & ~(uint64_t)UINT32_MAX) | raw;
  struct records from = open_records(header, &header->version, part->bytes);
  struct records to = open_records(header, &version, NULL);
  if ((uint32_t)header->version == raw)
    return NULL;
  const char *error = misfit(header, to.layout, raw);
  if (error)
    return error;
  uint64_t count = piece->size / from.layout->record_size;
  to.bytes = calloc(count + 1, to.layout->record_size);
  if (!to.bytes)
    return "out of memory; close other programs";
  for (uint64_t i = 0; i < count; i++) {
    struct record record;
    read_record(&from, i * from.layout->record_size, &record);
    write_record(&to, i * to.layout->record_size, &record);
  }
  move_owners(snapshot, from.layout->record_size, to.layout->record_size,
              count);
  image_replace(snapshot, elf, BAREPROF_PIECE_RECORDS, to.bytes);
  piece->size = count * to.layout->record_size;
  header->version = version;
  part->known[0].end = (uint32_t)(piece->size / 4);
  return NULL;
}
