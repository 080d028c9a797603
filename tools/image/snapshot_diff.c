/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decides whether one snapshot of an image can follow another, and computes the
 * sum and the difference of two snapshots. */
#include <string.h>

#include "../base/number.h"
#include "../object/elf.h"
#include "image.h"
#include "snapshot.h"

/* ---- comparison ---- */

/* Returns a counter as a number that grows as code runs. Coverage bytes change
 * from 0xFF to 0. */
static uint64_t read_growing_count(const struct snapshot *snapshot,
                                   uint32_t element) {
  const unsigned char *bytes = snapshot->parts[BAREPROF_PIECE_COUNTERS].bytes;
  unsigned size =
      header_element_size(&snapshot->header, BAREPROF_PIECE_COUNTERS);
  return size == 1
             ? 255u - bytes[element]
             : load64(bytes + (size_t)element * 8, snapshot->header.big_endian);
}

/* Two snapshots, and a range of elements of one piece. Both snapshots know all
 * elements of this range. */
struct snapshot_pair_cursor {
  const struct snapshot *later, *earlier;
  unsigned piece;
  struct element_range range;
  size_t at_later, at_earlier; /* indices in the lists of known ranges */
};

/* Finds the next range that both snapshots know. Returns false if none is left.
 */
static bool find_next_common_range(struct snapshot_pair_cursor *pair) {
  const struct snapshot_piece *a = &pair->later->parts[pair->piece];
  const struct snapshot_piece *b = &pair->earlier->parts[pair->piece];
  size_t *i = &pair->at_later, *j = &pair->at_earlier;
  while (*i < a->known_count && *j < b->known_count) {
    struct element_range one = a->known[*i], other = b->known[*j];
    pair->range.first = one.first > other.first ? one.first : other.first;
    pair->range.end = one.end < other.end ? one.end : other.end;
    if (one.end < other.end)
      (*i)++;
    else
      (*j)++;
    if (pair->range.first < pair->range.end)
      return true;
  }
  return false;
}

static const unsigned char *piece_bytes(const struct snapshot_pair_cursor *pair,
                                        const struct snapshot *snapshot) {
  return snapshot->parts[pair->piece].bytes;
}

static bool has_no_lower_counter(const struct snapshot_pair_cursor *pair) {
  for (uint32_t i = pair->range.first; i < pair->range.end; i++)
    if (read_growing_count(pair->later, i) <
        read_growing_count(pair->earlier, i))
      return false;
  return true;
}

/* Returns whether each bit of the earlier snapshot is still set. */
static bool bits_may_follow(const struct snapshot_pair_cursor *pair) {
  const unsigned char *now = piece_bytes(pair, pair->later);
  const unsigned char *then = piece_bytes(pair, pair->earlier);
  for (uint32_t i = pair->range.first; i < pair->range.end; i++)
    if (then[i] & ~now[i])
      return false;
  return true;
}

/* Returns whether a range of a constant piece has equal bytes in both
 * snapshots. */
static bool are_bytes_equal(const struct snapshot_pair_cursor *pair) {
  unsigned size = header_element_size(&pair->later->header, pair->piece);
  size_t at = (size_t)pair->range.first * size;
  return memcmp(piece_bytes(pair, pair->later) + at,
                piece_bytes(pair, pair->earlier) + at,
                (size_t)(pair->range.end - pair->range.first) * size) == 0;
}

static enum mip_format
mip_format_of_pair(const struct snapshot_pair_cursor *pair, bool big) {
  enum { HEADER = BAREPROF_PIECE_RECORDS };
  if (pair->piece == BAREPROF_PIECE_BITMAP)
    return MIP_FORM_EDGES;
  enum mip_format form = mip_format_of(pair->later->parts[HEADER].bytes, big);
  return form == MIP_FORM_MIXED
             ? mip_format_of(pair->earlier->parts[HEADER].bytes, big)
             : form;
}

/* Returns whether the later bytes of a MIP piece may follow the earlier ones.
 * Compares only words that both snapshots know completely. */
static bool mip_may_follow(const struct snapshot_pair_cursor *pair) {
  const unsigned char *now = piece_bytes(pair, pair->later);
  const unsigned char *then = piece_bytes(pair, pair->earlier);
  bool big = pair->later->header.big_endian;
  enum mip_format form = mip_format_of_pair(pair, big);
  struct element_range range = pair->range;
  if (form == MIP_FORM_BYTES) {
    for (uint32_t i = range.first; i < range.end; i++)
      if (!mip_byte_may_follow(then[i], now[i]))
        return false;
    return true;
  }
  for (uint32_t i = (range.first + 3) / 4; i < range.end / 4; i++)
    if (!mip_word_may_follow(form, i, load32(then + 4 * (size_t)i, big),
                             load32(now + 4 * (size_t)i, big)))
      return false;
  return true;
}

static bool range_may_follow(const struct snapshot_pair_cursor *pair) {
  unsigned kind = pair->later->header.kind;
  /* A sample's entry may move or disappear, so only equal samples match. */
  if (kind == BAREPROF_KIND_SAMPLES)
    return are_bytes_equal(pair);
  if (kind == BAREPROF_KIND_MIP && pair->piece != BAREPROF_PIECE_RECORDS)
    return mip_may_follow(pair);
  switch (pair->piece) {
  case BAREPROF_PIECE_COUNTERS:
    return has_no_lower_counter(pair);
  case BAREPROF_PIECE_BITMAP:
    return bits_may_follow(pair);
  case BAREPROF_PIECE_SLOTS:
    return true; /* a value may lose its slot to another value */
  default:
    return are_bytes_equal(pair);
  }
}

/* Returns whether a test is true for all elements that both snapshots know.
 * *some becomes true if one of these elements may change as code runs. */
static bool
test_common_ranges(const struct snapshot *later, const struct snapshot *earlier,
                   bool (*holds)(const struct snapshot_pair_cursor *pair),
                   bool *some) {
  *some = false;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    struct snapshot_pair_cursor pair = {later, earlier, i, {0, 0}, 0, 0};
    while (find_next_common_range(&pair)) {
      if (!holds(&pair))
        return false;
      *some |= header_piece_can_change(&later->header, i);
    }
  }
  return true;
}

bool snapshot_follows(const struct snapshot *later,
                      const struct snapshot *earlier) {
  bool some;
  return test_common_ranges(later, earlier, range_may_follow, &some) && some;
}

bool snapshot_may_follow(const struct snapshot *later,
                         const struct snapshot *earlier) {
  bool some;
  return test_common_ranges(later, earlier, range_may_follow, &some);
}

bool snapshot_is_same_moment(const struct snapshot *a,
                             const struct snapshot *b) {
  bool some;
  return a->moment == b->moment &&
         test_common_ranges(a, b, are_bytes_equal, &some) && some;
}

/* ---- sums and differences ---- */

bool snapshot_subtract(struct snapshot *later, const struct snapshot *earlier) {
  bool big = later->header.big_endian;
  unsigned char *counts = later->parts[BAREPROF_PIECE_COUNTERS].bytes;
  uint32_t count =
      header_element_count(&later->header, BAREPROF_PIECE_COUNTERS);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t new =
        read_growing_count(later, i) - read_growing_count(earlier, i);
    if (header_element_size(&later->header, BAREPROF_PIECE_COUNTERS) == 1)
      counts[i] = (unsigned char)(255 - new);
    else
      store64(counts + (size_t)i * 8, new, big);
  }
  unsigned char *bits = later->parts[BAREPROF_PIECE_BITMAP].bytes;
  const unsigned char *old = earlier->parts[BAREPROF_PIECE_BITMAP].bytes;
  for (size_t i = 0;
       bits && old &&
       i < header_element_count(&later->header, BAREPROF_PIECE_BITMAP);
       i++)
    bits[i] &= (unsigned char)~old[i];
  return slots_subtract(later, earlier);
}

bool snapshot_merge(struct snapshot *sum, const struct snapshot *other) {
  const struct dump_header *header = &sum->header;
  unsigned char *to = sum->parts[BAREPROF_PIECE_COUNTERS].bytes;
  const unsigned char *from = other->parts[BAREPROF_PIECE_COUNTERS].bytes;
  uint32_t count = header_element_count(header, BAREPROF_PIECE_COUNTERS);
  bool bytes = header_element_size(header, BAREPROF_PIECE_COUNTERS) == 1;
  for (uint32_t i = 0; i < count; i++) {
    if (bytes) {
      to[i] &= from[i];
      continue;
    }
    uint64_t a = load64(to + (size_t)i * 8, header->big_endian);
    uint64_t b = load64(from + (size_t)i * 8, header->big_endian);
    store64(to + (size_t)i * 8, add_saturated(a, b), header->big_endian);
  }
  to = sum->parts[BAREPROF_PIECE_BITMAP].bytes;
  from = other->parts[BAREPROF_PIECE_BITMAP].bytes;
  count = header_element_count(header, BAREPROF_PIECE_BITMAP);
  for (uint32_t i = 0; to && from && i < count; i++)
    to[i] |= from[i];
  return slots_merge(sum, other);
}
