/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compares two snapshots of one image: whether one can follow the other, their
 * sum, and their difference.
 */
#include <string.h>

#include "../base/number.h"
#include "../object/elf.h"
#include "image.h"
#include "snapshot.h"

/* ---- comparison ---- */

/* Returns a counter as a number that grows as code runs. Coverage bytes change
 * from 0xFF to 0. */
static uint64_t count_at(const struct snapshot *snapshot, uint32_t element) {
  const unsigned char *bytes = snapshot->parts[BAREPROF_PIECE_COUNTERS].bytes;
  unsigned size = header_element(&snapshot->header, BAREPROF_PIECE_COUNTERS);
  return size == 1
             ? 255u - bytes[element]
             : load64(bytes + (size_t)element * 8, snapshot->header.big_endian);
}

/* The elements of a piece that are known in both snapshots, a range at a time.
 */
struct readings {
  const struct snapshot *later, *earlier;
  unsigned piece;
  struct range range;
  size_t at_later, at_earlier; /* indices in the lists of known ranges */
};

/* Finds the next range known in both snapshots. Returns false if there is none.
 */
static bool next_common(struct readings *readings) {
  const struct snapshot_part *a = &readings->later->parts[readings->piece];
  const struct snapshot_part *b = &readings->earlier->parts[readings->piece];
  size_t *i = &readings->at_later, *j = &readings->at_earlier;
  while (*i < a->known_count && *j < b->known_count) {
    struct range one = a->known[*i], other = b->known[*j];
    readings->range.first = one.first > other.first ? one.first : other.first;
    readings->range.end = one.end < other.end ? one.end : other.end;
    if (one.end < other.end)
      (*i)++;
    else
      (*j)++;
    if (readings->range.first < readings->range.end)
      return true;
  }
  return false;
}

static const unsigned char *bytes_of(const struct readings *readings,
                                     const struct snapshot *snapshot) {
  return snapshot->parts[readings->piece].bytes;
}

static bool counters_grew(const struct readings *readings) {
  for (uint32_t i = readings->range.first; i < readings->range.end; i++)
    if (count_at(readings->later, i) < count_at(readings->earlier, i))
      return false;
  return true;
}

static bool bits_grew(const struct readings *readings) {
  const unsigned char *now = bytes_of(readings, readings->later);
  const unsigned char *then = bytes_of(readings, readings->earlier);
  for (uint32_t i = readings->range.first; i < readings->range.end; i++)
    if (then[i] & ~now[i])
      return false;
  return true;
}

/* Whether a constant piece is equal. */
static bool pieces_equal(const struct readings *readings) {
  unsigned size = header_element(&readings->later->header, readings->piece);
  size_t at = (size_t)readings->range.first * size;
  return memcmp(bytes_of(readings, readings->later) + at,
                bytes_of(readings, readings->earlier) + at,
                (size_t)(readings->range.end - readings->range.first) * size) ==
         0;
}

static enum mip_form form_of(const struct readings *readings, bool big) {
  enum { HEADER = BAREPROF_PIECE_RECORDS };
  if (readings->piece == BAREPROF_PIECE_BITMAP)
    return MIP_FORM_EDGES;
  enum mip_form form = mip_form_of(readings->later->parts[HEADER].bytes, big);
  return form == MIP_FORM_MIXED
             ? mip_form_of(readings->earlier->parts[HEADER].bytes, big)
             : form;
}

/* Compares only words that are completely known in both. */
static bool mip_grew(const struct readings *readings) {
  const unsigned char *now = bytes_of(readings, readings->later);
  const unsigned char *then = bytes_of(readings, readings->earlier);
  bool big = readings->later->header.big_endian;
  enum mip_form form = form_of(readings, big);
  struct range range = readings->range;
  if (form == MIP_FORM_BYTES) {
    for (uint32_t i = range.first; i < range.end; i++)
      if (!mip_byte_grew(then[i], now[i]))
        return false;
    return true;
  }
  for (uint32_t i = (range.first + 3) / 4; i < range.end / 4; i++)
    if (!mip_word_grew(form, i, load32(then + 4 * (size_t)i, big),
                       load32(now + 4 * (size_t)i, big)))
      return false;
  return true;
}

static bool has_grown(const struct readings *readings) {
  unsigned kind = readings->later->header.kind;
  /* Entries of samples come and go. */
  if (kind == BAREPROF_KIND_SAMPLES)
    return pieces_equal(readings);
  if (kind == BAREPROF_KIND_MIP && readings->piece != BAREPROF_PIECE_RECORDS)
    return mip_grew(readings);
  switch (readings->piece) {
  case BAREPROF_PIECE_COUNTERS:
    return counters_grew(readings);
  case BAREPROF_PIECE_BITMAP:
    return bits_grew(readings);
  case BAREPROF_PIECE_SLOTS:
    return true; /* values lose their slots to others */
  default:
    return pieces_equal(readings);
  }
}

/* Whether a test holds for all elements known in both. *some: at least one of
 * these elements may change. */
static bool compare(const struct snapshot *later,
                    const struct snapshot *earlier,
                    bool (*holds)(const struct readings *readings),
                    bool *some) {
  *some = false;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    struct readings readings = {later, earlier, i, {0, 0}, 0, 0};
    while (next_common(&readings)) {
      if (!holds(&readings))
        return false;
      *some |= header_changes(&later->header, i);
    }
  }
  return true;
}

bool snapshot_follows(const struct snapshot *later,
                      const struct snapshot *earlier) {
  bool some;
  return compare(later, earlier, has_grown, &some) && some;
}

bool snapshot_may_follow(const struct snapshot *later,
                         const struct snapshot *earlier) {
  bool some;
  return compare(later, earlier, has_grown, &some);
}

bool snapshot_same(const struct snapshot *a, const struct snapshot *b) {
  bool some;
  return a->moment == b->moment && compare(a, b, pieces_equal, &some) && some;
}

/* ---- sums and differences ---- */

bool snapshot_subtract(struct snapshot *later, const struct snapshot *earlier) {
  bool big = later->header.big_endian;
  unsigned char *counts = later->parts[BAREPROF_PIECE_COUNTERS].bytes;
  uint32_t count = header_elements(&later->header, BAREPROF_PIECE_COUNTERS);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t new = count_at(later, i) - count_at(earlier, i);
    if (header_element(&later->header, BAREPROF_PIECE_COUNTERS) == 1)
      counts[i] = (unsigned char)(255 - new);
    else
      store64(counts + (size_t)i * 8, new, big);
  }
  unsigned char *bits = later->parts[BAREPROF_PIECE_BITMAP].bytes;
  const unsigned char *old = earlier->parts[BAREPROF_PIECE_BITMAP].bytes;
  for (size_t i = 0; bits && old &&
                     i < header_elements(&later->header, BAREPROF_PIECE_BITMAP);
       i++)
    bits[i] &= (unsigned char)~old[i];
  return slots_subtract(later, earlier);
}

bool snapshot_merge(struct snapshot *sum, const struct snapshot *other) {
  const struct header *header = &sum->header;
  unsigned char *to = sum->parts[BAREPROF_PIECE_COUNTERS].bytes;
  const unsigned char *from = other->parts[BAREPROF_PIECE_COUNTERS].bytes;
  uint32_t count = header_elements(header, BAREPROF_PIECE_COUNTERS);
  bool bytes = header_element(header, BAREPROF_PIECE_COUNTERS) == 1;
  for (uint32_t i = 0; i < count; i++) {
    if (bytes) {
      to[i] &= from[i];
      continue;
    }
    uint64_t a = load64(to + (size_t)i * 8, header->big_endian);
    uint64_t b = load64(from + (size_t)i * 8, header->big_endian);
    store64(to + (size_t)i * 8, sum_limited(a, b), header->big_endian);
  }
  to = sum->parts[BAREPROF_PIECE_BITMAP].bytes;
  from = other->parts[BAREPROF_PIECE_BITMAP].bytes;
  count = header_elements(header, BAREPROF_PIECE_BITMAP);
  for (uint32_t i = 0; to && from && i < count; i++)
    to[i] |= from[i];
  return slots_merge(sum, other);
}
