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

void __llvm_profile_instrument_memop(uint64_t size, void *data,
                                     uint32_t site);
void __llvm_profile_instrument_memop(uint64_t size, void *data,
                                     uint32_t site) {
  (void)size;
  (void)data;
  (void)site;
}

/* Two words of 32 bits in the image's byte order. */
static void put_pair(const struct bareprof_image *image,
                     struct bareprof_out *out, uint32_t first,
                     uint32_t second) {
  const uint32_t pair[2] = {bareprof_order32(image, first),
                            bareprof_order32(image, second)};
  bareprof_put(out, pair, sizeof pair);
}

/* The entry of one kind: its number, its sites, and for each site, as a
 * byte, how many values follow; padded to 8. */
static size_t kind_size(unsigned sites) {
  return 8 + ((sites + 7u) & ~7u);
}

static void put_kind(const struct bareprof_image *image,
                     struct bareprof_out *out, unsigned kind,
                     unsigned sites) {
  static const uint64_t none;
  put_pair(image, out, kind, sites);
  for (unsigned site = 0; site < sites; site += 8)
    bareprof_put(out, &none, sizeof none);
}

/* An entry: its size, how many kinds have sites, and these kinds. */
static void put_record(const struct bareprof_image *image,
                       struct bareprof_out *out,
                       const unsigned char *counts, unsigned kinds) {
  size_t size = 8;
  uint32_t used = 0;
  for (unsigned kind = 0; kind < kinds; kind++) {
    unsigned sites = bareprof_load16(image, counts + 2 * kind);
    if (sites) {
      size += kind_size(sites);
      used++;
    }
  }
  if (used == 0)
    return;
  put_pair(image, out, (uint32_t)size, used);
  for (unsigned kind = 0; kind < kinds; kind++) {
    unsigned sites = bareprof_load16(image, counts + 2 * kind);
    if (sites)
      put_kind(image, out, kind, sites);
  }
}

void bareprof_values_write(const struct bareprof_image *image,
                           const struct bareprof_shape *shape,
                           struct bareprof_out *out) {
  const unsigned char *counts =
      image->records.begin + bareprof_counts_at(image, shape->layout) + 4;
  for (size_t record = 0; record < shape->record_count; record++) {
    put_record(image, out, counts, shape->layout->kinds);
    counts += shape->record_size;
  }
}
