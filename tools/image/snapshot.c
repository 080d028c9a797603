/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Snapshots: headers compared, ranges of known elements, arithmetic on
 * counters.
 */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/number.h"
#include "../base/compare.h"
#include "../base/search.h"
#include "../object/elf.h"
#include "bareprof_sampler.h"
#include "mipform.h"
#include "slots.h"

unsigned samples_flags(const struct header *header) {
  return (unsigned)(header->version >> 16) & 0xFFFF;
}

uint32_t samples_chain(const struct header *header) {
  return (uint32_t)(header->version >> 32);
}

bool samples_folded(const struct header *header) {
  return samples_flags(header) & BAREPROF_SAMPLES_FOLDED;
}

unsigned samples_words(const struct header *header) {
  return samples_folded(header) ? 3 : 2 + (samples_chain(header) & 0xFF);
}

unsigned header_element(const struct header *header, unsigned piece) {
  if (header->kind == BAREPROF_KIND_SAMPLES && piece == BAREPROF_PIECE_RECORDS)
    return samples_words(header) * (header->wide ? 8 : 4);
  if (piece == BAREPROF_PIECE_COUNTERS)
    return header->version & BAREPROF_BYTE_COVERAGE ? 1 : 8;
  if (piece == BAREPROF_PIECE_SLOTS)
    return SLOT_BYTES;
  return piece == BAREPROF_PIECE_RECORDS || piece == BAREPROF_PIECE_VTABLES ? 4
                                                                            : 1;
}

uint32_t header_elements(const struct header *header, unsigned piece) {
  return (uint32_t)(header->pieces[piece].size / header_element(header, piece));
}

uint32_t header_counts(const struct header *header) {
  return header_elements(header, BAREPROF_PIECE_COUNTERS) +
         header_elements(header, BAREPROF_PIECE_BITMAP);
}

/* Compares the fields that a compact dump has. */
static bool same_cut(const struct header *a, const struct header *b) {
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++)
    if (a->pieces[i].size != b->pieces[i].size)
      return false;
  return header_element(a, BAREPROF_PIECE_COUNTERS) ==
         header_element(b, BAREPROF_PIECE_COUNTERS);
}

static bool same_pieces(const struct header *a, const struct header *b) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    if (a->pieces[i].size != b->pieces[i].size ||
        a->pieces[i].address != b->pieces[i].address)
      return false;
  return a->wide == b->wide && a->version == b->version;
}

/* Also true if both have none. */
static bool same_id(struct bytes a, struct bytes b) {
  return build_id_same(a, b) || (a.size == 0 && b.size == 0);
}

bool header_same(const struct header *a, const struct header *b) {
  return a->big_endian == b->big_endian && a->kind == b->kind &&
         a->core == b->core && a->image == b->image && a->boot == b->boot &&
         same_id(header_id(a), header_id(b)) &&
         (a->cut || b->cut ? same_cut(a, b) : same_pieces(a, b));
}

/* ---- snapshots ---- */

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
  return true;
}

void snapshot_free(struct snapshot *snapshot) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    free(snapshot->parts[i].bytes);
    free(snapshot->parts[i].known);
  }
  memset(snapshot, 0, sizeof *snapshot);
}

/* ---- what is known ---- */

/* Adds a range to the end of a list that is to be settled. */
static bool push_range(struct snapshot_part *part, struct range range) {
  if (!list_more(&part->known, part->known_count, sizeof *part->known))
    return false;
  part->known[part->known_count++] = range;
  return true;
}

/* Elements usually come in order and adjoin. */
bool snapshot_know(struct snapshot *snapshot, unsigned piece,
                   struct range range) {
  struct snapshot_part *part = &snapshot->parts[piece];
  struct range *last =
      part->known_count ? &part->known[part->known_count - 1] : NULL;
  if (!last || range.first < last->first || range.first > last->end)
    return push_range(part, range);
  if (range.end > last->end)
    last->end = range.end;
  return true;
}

ORDER_BY(by_first, struct range, x->first);

/* Sorts ranges, and unites adjoining ones. */
static void settle_part(struct snapshot_part *part) {
  struct range *known = part->known;
  size_t kept = 0;
  bool ordered = true;
  for (size_t i = 1; i < part->known_count; i++)
    ordered &= known[i - 1].end < known[i].first;
  if (ordered)
    return;
  qsort(known, part->known_count, sizeof *known, by_first);
  for (size_t i = 1; i < part->known_count; i++) {
    if (known[i].first > known[kept].end)
      known[++kept] = known[i];
    else if (known[i].end > known[kept].end)
      known[kept].end = known[i].end;
  }
  part->known_count = kept + 1;
}

void snapshot_settle(struct snapshot *snapshot) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    settle_part(&snapshot->parts[i]);
}

/* The first range that ends behind an element; known_count: none does. */
static size_t range_behind(const struct snapshot_part *part, uint32_t element) {
  return search_behind(part->known, part->known_count, end, element);
}

bool snapshot_hole(const struct snapshot *snapshot, struct hole *hole) {
  for (; hole->piece < BAREPROF_PIECES; hole->piece++, hole->first = 0) {
    const struct snapshot_part *part = &snapshot->parts[hole->piece];
    uint32_t end = header_elements(&snapshot->header, hole->piece);
    if (!part->bytes)
      continue;
    size_t i = range_behind(part, hole->first);
    if (i < part->known_count && part->known[i].first <= hole->first)
      hole->first = part->known[i++].end;
    if (i < part->known_count)
      end = part->known[i].first;
    if (hole->first < end) {
      hole->count = end - hole->first;
      return true;
    }
  }
  return false;
}

void snapshot_not_run(struct snapshot *snapshot) {
  struct hole hole = {BAREPROF_PIECE_COUNTERS, 0, 0};
  if (header_element(&snapshot->header, BAREPROF_PIECE_COUNTERS) != 1)
    return;
  for (;
       snapshot_hole(snapshot, &hole) && hole.piece == BAREPROF_PIECE_COUNTERS;
       hole.first += hole.count)
    memset(snapshot->parts[hole.piece].bytes + hole.first, 0xFF, hole.count);
}

bool snapshot_whole(const struct snapshot *snapshot) {
  struct hole hole = {0, 0, 0};
  return !snapshot_hole(snapshot, &hole);
}

/* ---- what can follow what ---- */

/* Returns a counter as a number that grows as code runs: coverage bytes go from
 * 0xFF to 0. */
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
  size_t at_later, at_earlier; /* in the lists of ranges */
};

/* Finds the next range that both know. false: there is none. */
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

/* Whether a constant part is equal. */
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

/* Compares only words that both know completely. */
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

/* Whether a test holds for all elements known in both. some: at least one of
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

/* Fills holes of one part from another. */
static bool fill_part(struct snapshot_part *to,
                      const struct snapshot_part *from, uint32_t elements,
                      unsigned size) {
  size_t count = to->known_count, j = 0;
  for (size_t i = 0; i <= count; i++) {
    uint32_t first = i ? to->known[i - 1].end : 0;
    uint32_t end = i < count ? to->known[i].first : elements;
    while (j < from->known_count && from->known[j].end <= first)
      j++;
    for (; j < from->known_count && from->known[j].first < end; j++) {
      struct range range = from->known[j];
      range.first = range.first > first ? range.first : first;
      range.end = range.end < end ? range.end : end;
      size_t offset = (size_t)range.first * size;
      memcpy(to->bytes + offset, from->bytes + offset,
             (size_t)(range.end - range.first) * size);
      if (!push_range(to, range))
        return false;
      if (from->known[j].end > end)
        break;
    }
  }
  settle_part(to);
  return true;
}

static bool fill_all(struct snapshot *to, const struct snapshot *from,
                     bool constants) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    if (to->parts[i].bytes && from->parts[i].bytes &&
        !(constants && changes(&to->header, i)) &&
        !fill_part(&to->parts[i], &from->parts[i],
                   header_elements(&to->header, i),
                   header_element(&to->header, i)))
      return false;
  return true;
}

bool snapshot_fill(struct snapshot *later, const struct snapshot *earlier) {
  later->dumps += earlier->dumps;
  return fill_all(later, earlier, false);
}

bool snapshot_fill_constants(struct snapshot *snapshot,
                             const struct snapshot *other) {
  return fill_all(snapshot, other, true);
}

bool snapshot_constant(struct snapshot *snapshot, unsigned piece,
                       const unsigned char *bytes) {
  struct snapshot_part *part = &snapshot->parts[piece];
  struct range all = {0, header_elements(&snapshot->header, piece)};
  memcpy(part->bytes, bytes, (size_t)snapshot->header.pieces[piece].size);
  part->known_count = 0;
  return snapshot_know(snapshot, piece, all);
}

bool snapshot_counts(struct snapshot *counts, const struct snapshot *snapshot) {
  struct header header = snapshot->header;
  header.lean = true;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    header.pieces[i].left_out |=
        i != BAREPROF_PIECE_COUNTERS && i != BAREPROF_PIECE_BITMAP;
  if (!snapshot_new(counts, &header))
    return false;
  counts->opened = snapshot->opened;
  counts->closed = snapshot->closed;
  if (snapshot_fill(counts, snapshot))
    return true;
  snapshot_free(counts);
  return false;
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
    store64(to + (size_t)i * 8, sum_limited(a, b), header->big_endian);
  }
  to = sum->parts[BAREPROF_PIECE_BITMAP].bytes;
  from = other->parts[BAREPROF_PIECE_BITMAP].bytes;
  count = header_elements(header, BAREPROF_PIECE_BITMAP);
  for (uint32_t i = 0; to && from && i < count; i++)
    to[i] |= from[i];
  return slots_merge(sum, other);
}
