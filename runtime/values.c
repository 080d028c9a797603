/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The hooks of value profiling, and the value data of a profile. The hooks
 * record nothing, and never touch the record that they are handed: it may be
 * in ROM or, in lean and correlated images, nowhere. The profile still needs
 * an entry for each record with value sites, or llvm-profdata calls the file
 * truncated: one that says no values were seen.
 *
 * Linked when instrumented code calls a hook; the writer refers to
 * bareprof_values_write weakly.
 */
#include "writer.h"

void __llvm_profile_instrument_target(uint64_t value, void *data,
                                      uint32_t site);
void __llvm_profile_instrument_target(uint64_t value, void *data,
                                      uint32_t site) {
  (void)value;
  (void)data;
  (void)site;
}

void __llvm_profile_instrument_memop(uint64_t size, void *data, uint32_t site);
void __llvm_profile_instrument_memop(uint64_t size, void *data, uint32_t site) {
  (void)size;
  (void)data;
  (void)site;
}

/* Two numbers of 32 bits in the image's byte order. */
static void put_pair(struct bareprof_dump *dump, uint32_t first,
                     uint32_t second) {
  const uint32_t pair[2] = {bareprof_order32(dump->image, first),
                            bareprof_order32(dump->image, second)};
  bareprof_put(dump, pair, sizeof pair);
}

/* The entry of one kind: its number, its sites, and for each site, as a
 * byte, how many values follow; padded to 8. */
static size_t kind_size(unsigned sites) {
  return sites ? 8 + ((sites + 7u) & ~7u) : 0;
}

static void put_kind(struct bareprof_dump *dump, unsigned kind,
                     unsigned sites) {
  if (sites == 0)
    return;
  put_pair(dump, kind, sites);
  for (unsigned site = 0; site < sites; site += 8)
    bareprof_put64(dump, 0);
}

/* The entry of a record: its size, how many kinds have sites, and these
 * kinds. A record without sites has none. */
static void put_record(struct bareprof_dump *dump,
                       const unsigned char *counts) {
  size_t size = 8;
  uint32_t used = 0;
  for (unsigned kind = 0; kind < dump->layout->kinds; kind++) {
    unsigned sites = bareprof_load16(dump->image, counts + 2 * kind);
    size += kind_size(sites);
    used += sites != 0;
  }
  if (used == 0)
    return;
  put_pair(dump, (uint32_t)size, used);
  for (unsigned kind = 0; kind < dump->layout->kinds; kind++)
    put_kind(dump, kind, bareprof_load16(dump->image, counts + 2 * kind));
}

void bareprof_values_write(struct bareprof_dump *dump) {
  const unsigned char *counts =
      dump->image->records.begin + dump->layout->counts_at + 4;
  for (size_t record = 0; record < dump->record_count; record++) {
    put_record(dump, counts);
    counts += dump->layout->record_size;
  }
}
