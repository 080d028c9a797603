/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Converts the records of an image from one raw version to another, for `join
 * --raw-version`.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "dumpfile.h"
#include "image.h"
#include "values.h"

/* Returns why a profile of raw version `raw` cannot hold the snapshot, or
 * NULL. */
static const char *find_conversion_error(const struct snapshot *snapshot,
                                         const struct bareprof_layout *to,
                                         unsigned raw) {
  const struct dump_header *header = &snapshot->header;
  bool bitmap = header->pieces[BAREPROF_PIECE_BITMAP].size ||
                snapshot_has_mcdc_bytes(snapshot);
  if (!to)
    return "raw versions are 7 to 11; use another --raw-version";
  if (bitmap && !to->bitmap_at)
    return "raw versions before 9 have no MC/DC bitmaps; use another "
           "--raw-version";
  if (bitmap && ((uint32_t)header->version == 9) != (raw == 9))
    return "LLVM 18 (raw version 9) stores MC/DC bitmaps differently from "
           "later releases; use another --raw-version";
  if (to->kinds < 3 && header->pieces[BAREPROF_PIECE_VTABLES].size)
    return "raw versions before 10 have no vtables; use --raw-version 10 or 11";
  if (raw == 7 && header->version & BAREPROF_BYTE_COVERAGE)
    return "raw version 7 has no 1-byte counters; use --raw-version 8 or later";
  if (raw < 9 && header->version & BAREPROF_TEMPORAL)
    return "with raw version 7 or 8, LLVM 13 to 16 would read the function "
           "order (timestamps) as counts; use --raw-version 9 or later, and "
           "LLVM 18 or later";
  return NULL;
}

/* Updates the addresses of records in value slots. An invalid address must not
 * become valid. */
static void move_slot_owners(struct snapshot *snapshot, uint64_t from,
                             uint64_t to, uint64_t count) {
  const struct dump_header *header = &snapshot->header;
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

const char *image_convert_version(struct snapshot *snapshot,
                                  const struct elf *elf, unsigned raw) {
  struct dump_header *header = &snapshot->header;
  struct dump_piece *piece = &header->pieces[BAREPROF_PIECE_RECORDS];
  struct snapshot_piece *part = &snapshot->parts[BAREPROF_PIECE_RECORDS];
  uint64_t version = (header->version & ~(uint64_t)UINT32_MAX) | raw;
  const struct record_format from =
      record_format_of(header->version, header->wide, header->big_endian);
  const struct record_format to =
      record_format_of(version, header->wide, header->big_endian);
  if ((uint32_t)header->version == raw)
    return NULL;
  const char *error = find_conversion_error(snapshot, to.layout, raw);
  if (error)
    return error;
  uint64_t count = piece->size / from.layout->record_size;
  size_t old = from.layout->record_size, size = to.layout->record_size;
  unsigned char *bytes = calloc(count + 1, size);
  if (!bytes)
    return out_of_memory;
  for (uint64_t i = 0; i < count; i++) {
    struct record record;
    record_read(&from, part->bytes + i * old, piece->address + i * old,
                &record);
    record_write(&to, bytes + i * size, piece->address + i * size, &record);
  }
  move_slot_owners(snapshot, old, size, count);
  image_replace_piece(snapshot, elf, BAREPROF_PIECE_RECORDS, bytes);
  piece->size = count * size;
  header->version = version;
  part->known[0].end = (uint32_t)(piece->size / 4);
  return NULL;
}
