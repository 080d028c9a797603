/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes the value data of a raw profile. The data has an entry for each record
 * with value sites:
 *
 *   u32 size of the entry, u32 number of kinds that have sites;
 *   then for each of these kinds:
 *   u32 kind, u32 number of sites, u8 number of values for each site,
 *   zeros up to a multiple of 8, u64 value and u64 count for each value
 *
 * A record whose sites lack values also has an entry; without it llvm-profdata
 * reports a truncated file. LLVM defines the format in InstrProfData.inc,
 * INSTR_PROF_VALUE_PROF_DATA. The host tool uses this file too; in its table
 * the slots are sorted by owner, then by site.
 */
#include "shared.h"
#include "values.h"
#include "profraw_write.h"

/* The record and the site whose values are written next. */
struct site_cursor {
  struct bareprof_writer *writer;
  const struct bareprof_values *values;
  const unsigned char *sites; /* NumValueSites of the record */
  bareprof_value_word owner;  /* owner of the record's slots, without FROZEN */
  uint32_t site;              /* index among all sites of the record */
};

/* put_or_count_values either only counts the values, or writes how many values
 * each site has, or writes the values. */
enum { COUNTED, ANNOUNCED, WRITTEN };

static inline void put_value(struct bareprof_writer *writer,
                             const struct bareprof_value_slot *slot) {
  const uint64_t pair[2] = {
      bareprof_to_image_order64(writer->profile.image, slot->value),
      bareprof_to_image_order64(writer->profile.image,
                                BAREPROF_LOAD(&slot->count))};
  bareprof_put_bytes(writer, pair, sizeof pair);
}

/* Counts or writes the values of the next `sites` sites, as `what` selects, and
 * returns how many values these sites have. */
static size_t put_or_count_values(struct site_cursor *at, unsigned sites,
                                  unsigned what) {
  size_t sum = 0;
  for (; sites; sites--, at->site++) {
    struct bareprof_value_window window =
        bareprof_value_find_window(at->values, at->owner, at->site);
    unsigned char found = 0;
    for (; window.begin != window.end; window.begin++) {
      if (BAREPROF_LOAD(&window.begin->owner) !=
              (at->owner | BAREPROF_VALUE_FROZEN) ||
          window.begin->site != at->site)
        continue;
      found++;
      if (what == WRITTEN)
        put_value(at->writer, window.begin);
    }
    if (what == ANNOUNCED)
      bareprof_put_bytes(at->writer, &found, 1);
    sum += found;
  }
  return sum;
}

/* Sends two 32-bit numbers in the image's byte order. */
static void put_pair(struct bareprof_writer *writer, uint32_t first,
                     uint32_t second) {
  const uint32_t pair[2] = {
      bareprof_to_image_order32(writer->profile.image, first),
      bareprof_to_image_order32(writer->profile.image, second)};
  bareprof_put_bytes(writer, pair, sizeof pair);
}

/* Writes the data of one kind of values. If `what` is COUNTED, only returns the
 * size of the data. */
static size_t put_or_size_value_kind(struct site_cursor *at, unsigned kind,
                                     unsigned what) {
  unsigned sites =
      bareprof_load16(at->writer->profile.image, at->sites + 2 * kind);
  uint32_t first = at->site;
  if (sites == 0)
    return 0;
  if (what == COUNTED)
    return 8 + sites + bareprof_padding(sites) +
           16 * put_or_count_values(at, sites, COUNTED);
  put_pair(at->writer, kind, sites);
  put_or_count_values(at, sites, ANNOUNCED);
  bareprof_put_zeros(at->writer, bareprof_padding(sites));
  at->site = first;
  return put_or_count_values(at, sites, WRITTEN);
}

/* Sends the values of one record. Their size comes first, so the values are
 * walked over twice. */
static void put_record_values(struct site_cursor *at) {
  unsigned kinds = bareprof_layout_of(&at->writer->profile)->kinds;
  uint32_t size = 8;
  uint32_t used = 0;
  for (unsigned kind = 0; kind < kinds; kind++) {
    uint32_t bytes = (uint32_t)put_or_size_value_kind(at, kind, COUNTED);
    size += bytes;
    used += bytes != 0;
  }
  if (used == 0)
    return;
  put_pair(at->writer, size, used);
  at->site = 0;
  for (unsigned kind = 0; kind < kinds; kind++)
    put_or_size_value_kind(at, kind, WRITTEN);
}

void bareprof_values_write(struct bareprof_writer *writer) {
  const struct bareprof_image *image = writer->profile.image;
  const struct bareprof_layout *layout = bareprof_layout_of(&writer->profile);
  const unsigned char *record = image->records.begin;
  const struct bareprof_values *values = image->values;
  if (values)
    writer->error = bareprof_values_freeze(values);
  if (writer->error)
    return;
  bareprof_put_profile(writer);
  for (size_t left = writer->profile.record_count; left; left--) {
    bareprof_word address = bareprof_address_of(&image->records, record);
    put_record_values(
        &(struct site_cursor){.writer = writer,
                              .values = values,
                              .sites = record + layout->counts_at + 4,
                              .owner = address | BAREPROF_VALUE_OWNED});
    record += layout->record_size;
  }
  if (values)
    bareprof_values_thaw(values);
}
