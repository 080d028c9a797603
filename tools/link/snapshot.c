/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Snapshots: ranges of known elements, and arithmetic on counters.
 */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "mipform.h"
#include "slots.h"

bool snapshot_new(struct snapshot *snapshot, const struct header *header) {
  memset(snapshot, 0, sizeof *snapshot);
  snapshot->header = *header;
  snapshot->dumps = 1;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct piece *piece = &header->pieces[i];
    if (piece->size == 0 || piece->left_out)
      continue;
    snapshot->parts[i].bytes = calloc(1, (size_t)piece->size);
    if (!snapshot->parts[i].bytes) {
      snapshot_free(snapshot);
      return false;
    }
  }
  /* What is not known did not run. */
  if (header_element(header, BAREPROF_PIECE_COUNTERS) == 1)
    memset(snapshot->parts[BAREPROF_PIECE_COUNTERS].bytes, 0xFF,
           (size_t)header->pieces[BAREPROF_PIECE_COUNTERS].size);
  return true;
}

void snapshot_free(struct snapshot *snapshot) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    free(snapshot->parts[i].bytes);
    free(snapshot->parts[i].known);
  }
  memset(snapshot, 0, sizeof *snapshot);
}

/* Adds a range, and unites it with those that it meets. */
static bool know(struct part *part, struct range range) {
  struct range *known =
      realloc(part->known, (part->known_count + 1) * sizeof *known);
  if (!known)
    return false;
  part->known = known;
  /* From the end on: they come in order, as a rule. */
  size_t begin = part->known_count;
  while (begin && known[begin - 1].end >= range.first)
    begin--;
  size_t end = begin;
  for (; end < part->known_count && known[end].first <= range.end; end++) {
    if (known[end].first < range.first)
      range.first = known[end].first;
    if (known[end].end > range.end)
      range.end = known[end].end;
  }
  memmove(&known[begin + 1], &known[end],
          (part->known_count - end) * sizeof *known);
  known[begin] = range;
  part->known_count += begin + 1 - end;
  return true;
}

bool snapshot_know(struct snapshot *snapshot, unsigned piece,
                   struct range range) {
  return know(&snapshot->parts[piece], range);
}

const char *snapshot_add(struct snapshot *snapshot, const struct frame *frame) {
  unsigned char *to[BAREPROF_PIECES];
  struct elements elements[DECODED_PIECES];
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    to[i] = snapshot->parts[i].bytes;
  const char *error = decode(frame, &snapshot->header, to, elements);
  for (unsigned i = 0; !error && i < DECODED_PIECES; i++) {
    struct range range = {elements[i].first,
                          elements[i].first + elements[i].count};
    if (elements[i].count && !know(&snapshot->parts[elements[i].piece], range))
      error = "out of memory; give it less at once";
  }
  return error;
}

bool snapshot_hole(const struct snapshot *snapshot, struct hole *hole) {
  for (; hole->piece < BAREPROF_PIECES; hole->piece++, hole->first = 0) {
    const struct part *part = &snapshot->parts[hole->piece];
    uint32_t end = header_elements(&snapshot->header, hole->piece);
    if (!part->bytes)
      continue;
    for (size_t i = 0; i < part->known_count; i++) {
      if (hole->first < part->known[i].first) {
        end = part->known[i].first;
        break;
      }
      if (hole->first < part->known[i].end)
        hole->first = part->known[i].end;
    }
    if (hole->first < end) {
      hole->count = end - hole->first;
      return true;
    }
  }
  return false;
}

bool snapshot_whole(const struct snapshot *snapshot) {
  struct hole hole = {0, 0, 0};
  return !snapshot_hole(snapshot, &hole);
}

/* What two lists of ranges have in common, from *first on; false at their
 * end. */
static bool common(const struct part *a, const struct part *b, uint32_t first,
                   struct range *range) {
  for (size_t i = 0, j = 0; i < a->known_count && j < b->known_count;) {
    uint32_t begin = a->known[i].first;
    uint32_t end = a->known[i].end;
    if (b->known[j].first > begin)
      begin = b->known[j].first;
    if (first > begin)
      begin = first;
    if (b->known[j].end < end)
      end = b->known[j].end;
    if (begin < end) {
      *range = (struct range){begin, end};
      return true;
    }
    if (a->known[i].end < b->known[j].end)
      i++;
    else
      j++;
  }
  return false;
}

/* ---- what can follow what ---- */

/* A counter, so that it grows as code runs: bytes go from 0xFF to 0. */
static uint64_t count_at(const struct snapshot *snapshot, uint32_t element) {
  const unsigned char *bytes = snapshot->parts[BAREPROF_PIECE_COUNTERS].bytes;
  unsigned size = header_element(&snapshot->header, BAREPROF_PIECE_COUNTERS);
  return size == 1
             ? 255u - bytes[element]
             : load64(bytes + (size_t)element * 8, snapshot->header.big_endian);
}

/* Two readings of a part, of the elements that both know. */
struct readings {
  const struct snapshot *later, *earlier;
  unsigned piece;
  struct range range;
};

static const unsigned char *bytes_of(const struct readings *readings,
                                     const struct snapshot *snapshot) {
  return snapshot->parts[readings->piece].bytes;
}

/* Whether code that runs changes a piece. */
static bool changes(const struct header *header, unsigned piece) {
  return piece_changes(piece) || header->kind == BAREPROF_KIND_SAMPLES;
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

/* Names, records, and what else does not change. */
static bool stayed(const struct readings *readings) {
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

/* Of words only those that both know all of. */
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

static bool grew(const struct readings *readings) {
  unsigned kind = readings->later->header.kind;
  /* Entries of samples come and go. */
  if (kind == BAREPROF_KIND_SAMPLES)
    return stayed(readings);
  if (kind == BAREPROF_KIND_MIP && readings->piece != BAREPROF_PIECE_RECORDS)
    return mip_grew(readings);
  switch (readings->piece) {
  case BAREPROF_PIECE_COUNTERS:
    return counters_grew(readings);
  case BAREPROF_PIECE_BITMAP:
    return bits_grew(readings);
  case BAREPROF_PIECE_SLOTS:
    return true; /* Values lose their slots to others. */
  default:
    return stayed(readings);
  }
}

/* Whether a test holds of all that both know. some: there is something that
 * both know, and that may change. */
static bool compare(const struct snapshot *later,
                    const struct snapshot *earlier,
                    bool (*holds)(const struct readings *readings),
                    bool *some) {
  *some = false;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    struct readings readings = {later, earlier, i, {0, 0}};
    while (common(&later->parts[i], &earlier->parts[i], readings.range.end,
                  &readings.range)) {
      if (!holds(&readings))
        return false;
      *some |= changes(&later->header, i);
    }
  }
  return true;
}

bool snapshot_follows(const struct snapshot *later,
                      const struct snapshot *earlier) {
  bool some;
  return compare(later, earlier, grew, &some) && some;
}

bool snapshot_may_follow(const struct snapshot *later,
                         const struct snapshot *earlier) {
  bool some;
  return compare(later, earlier, grew, &some);
}

bool snapshot_same(const struct snapshot *a, const struct snapshot *b) {
  bool some;
  return a->moment == b->moment && compare(a, b, stayed, &some) && some;
}

/* Takes what one part knows of a hole of another. */
static bool fill(struct part *to, const struct part *from, struct range hole,
                 unsigned size) {
  for (size_t i = 0; from->bytes && i < from->known_count; i++) {
    struct range range = from->known[i];
    if (range.first < hole.first)
      range.first = hole.first;
    if (range.end > hole.end)
      range.end = hole.end;
    if (range.first >= range.end)
      continue;
    size_t offset = (size_t)range.first * size;
    memcpy(to->bytes + offset, from->bytes + offset,
           (size_t)(range.end - range.first) * size);
    if (!know(to, range))
      return false;
  }
  return true;
}

bool snapshot_fill(struct snapshot *later, const struct snapshot *earlier) {
  struct hole hole = {0, 0, 0};
  for (; snapshot_hole(later, &hole); hole.first += hole.count)
    if (!fill(&later->parts[hole.piece], &earlier->parts[hole.piece],
              (struct range){hole.first, hole.first + hole.count},
              header_element(&later->header, hole.piece)))
      return false;
  later->dumps += earlier->dumps;
  return true;
}

bool snapshot_fill_constants(struct snapshot *snapshot,
                             const struct snapshot *other) {
  struct hole hole = {0, 0, 0};
  for (; snapshot_hole(snapshot, &hole); hole.first += hole.count)
    if (!changes(&snapshot->header, hole.piece) &&
        !fill(&snapshot->parts[hole.piece], &other->parts[hole.piece],
              (struct range){hole.first, hole.first + hole.count},
              header_element(&snapshot->header, hole.piece)))
      return false;
  return true;
}

bool snapshot_constant(struct snapshot *snapshot, unsigned piece,
                       const unsigned char *bytes) {
  struct part *part = &snapshot->parts[piece];
  struct range all = {0, header_elements(&snapshot->header, piece)};
  memcpy(part->bytes, bytes, (size_t)snapshot->header.pieces[piece].size);
  return know(part, all);
}

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
    store64(to + (size_t)i * 8, a + b < a ? UINT64_MAX : a + b,
            header->big_endian);
  }
  to = sum->parts[BAREPROF_PIECE_BITMAP].bytes;
  from = other->parts[BAREPROF_PIECE_BITMAP].bytes;
  count = header_elements(header, BAREPROF_PIECE_BITMAP);
  for (uint32_t i = 0; to && from && i < count; i++)
    to[i] |= from[i];
  return slots_merge(sum, other);
}
