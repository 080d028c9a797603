/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Detects a function that counts into another function's counters: no tool
 * would notice. Used if bareprof_check_image refuses: a linker may keep the
 * record of a weak function without its counters, in any order of the others.
 *
 * Claims in order are separate without a search. Others are entered into a
 * table of all counters; or, in programs that only use buffers and must not
 * allocate, of a few counters at a time.
 */
#include "weak_hooks.h"
#include "profraw_write.h"
#include "hosted.h"

/* A record's counters: their place behind the first one, and size, which is 0
 * where a linker has dropped them. */
struct claim {
  uint64_t at;
  uint64_t size;
};

static struct claim claim_of(const struct bareprof_profile *profile,
                             const unsigned char *record) {
  const struct bareprof_image *image = profile->image;
  const struct bareprof_layout *layout = profile->layout;
  uint64_t room = bareprof_span_size(&image->counters);
  struct claim claim = {
      bareprof_load_pointer(image, record + 16),
      (uint64_t)bareprof_load32(image, record + layout->counts_at)
          << profile->shift};
  if (!(layout->fields & BAREPROF_ABSOLUTE))
    claim.at += bareprof_address_of(&image->records, record);
  claim.at -= bareprof_begin_address(&image->counters);
  if (claim.at > room || claim.size > room - claim.at)
    claim.size = 0;
  return claim;
}

/* Of two records that claim the same counter: they may if they are of
 * functions of one shape. */
static bool are_twins(const struct bareprof_profile *profile,
                      const unsigned char *record, const unsigned char *other) {
  return claim_of(profile, record).at == claim_of(profile, other).at &&
         __builtin_memcmp(record + 8, other + 8, 8) == 0;
}

/* Which counters are entered, and whose they are: the number of the first
 * record, from 1; or 0. */
struct table {
  uint64_t first;
  uint64_t count;
  uint32_t *owners;
};

/* Whether a record may have all that it claims of the table's counters. */
static bool enter(const struct bareprof_profile *profile,
                  const struct table *table, const unsigned char *record,
                  uint32_t number) {
  size_t step = profile->layout->record_size;
  struct claim claim = claim_of(profile, record);
  uint64_t at = claim.at >> profile->shift;
  uint64_t end = (claim.at + claim.size - 1) >> profile->shift;
  if (!claim.size || at >= table->first + table->count || end < table->first)
    return true;
  for (at = at < table->first ? table->first : at;
       at <= end && at - table->first < table->count; at++) {
    uint32_t *owner = &table->owners[at - table->first];
    if (!*owner)
      *owner = number;
    else if (!are_twins(profile, record, record - (number - *owner) * step))
      return false;
  }
  return true;
}

static bool is_ordered(const struct bareprof_profile *profile) {
  const unsigned char *record = profile->image->records.begin;
  uint64_t top = 0;
  for (size_t left = profile->record_count; left; left--) {
    struct claim claim = claim_of(profile, record);
    if (claim.size && claim.at < top)
      return false;
    if (claim.size)
      top = claim.at + claim.size;
    record += profile->layout->record_size;
  }
  return true;
}

/* Whether two records clash in any of so many counters, table by table. */
static bool clash(const struct bareprof_profile *profile, struct table *table,
                  uint64_t counters) {
  for (; table->first < counters; table->first += table->count) {
    const unsigned char *record = profile->image->records.begin;
    __builtin_memset(table->owners, 0, table->count * sizeof *table->owners);
    for (uint32_t i = 1; i <= profile->record_count; i++) {
      if (!enter(profile, table, record, i))
        return true;
      record += profile->layout->record_size;
    }
  }
  return false;
}

enum { FEW = 512 };

bool bareprof_hosted_is_shared(const struct bareprof_profile *profile) {
  uint64_t counters =
      bareprof_span_size(&profile->image->counters) >> profile->shift;
  uint32_t few[FEW];
  struct table table = {0, FEW, few};
  struct bareprof_hosted_bytes all = {0};
  if (is_ordered(profile))
    return false;
  if (counters > FEW && hook_hosted_make_room &&
      hook_hosted_make_room(&all, counters * sizeof *few) == 0) {
    table.owners = (uint32_t *)(void *)all.at;
    table.count = counters;
  }
  bool shared = clash(profile, &table, counters);
  if (hook_hosted_free)
    hook_hosted_free(&all);
  return shared;
}
