/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compares headers of dumps, and keeps lists of the known elements of
 * snapshots. snapshot_diff.c compares snapshots. */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "../base/storage.h"
#include "../base/number.h"
#include "../base/compare.h"
#include "../object/elf.h"
#include "bareprof_sampler.h"

unsigned samples_flags(const struct dump_header *header) {
  return (unsigned)(header->version >> 16) & 0xFFFF;
}

uint32_t samples_chain_word(const struct dump_header *header) {
  return (uint32_t)(header->version >> 32);
}

bool samples_are_folded(const struct dump_header *header) {
  return samples_flags(header) & BAREPROF_SAMPLES_FOLDED;
}

unsigned samples_entry_words(const struct dump_header *header) {
  return samples_are_folded(header) ? 3
                                    : 2 + (samples_chain_word(header) & 0xFF);
}

unsigned header_element_size(const struct dump_header *header, unsigned piece) {
  if (header->kind == BAREPROF_KIND_SAMPLES && piece == BAREPROF_PIECE_RECORDS)
    return samples_entry_words(header) * (header->wide ? 8 : 4);
  if (piece == BAREPROF_PIECE_COUNTERS)
    return header->version & BAREPROF_BYTE_COVERAGE ? 1 : 8;
  if (piece == BAREPROF_PIECE_SLOTS)
    return SLOT_BYTES;
  return piece == BAREPROF_PIECE_RECORDS || piece == BAREPROF_PIECE_VTABLES ? 4
                                                                            : 1;
}

uint32_t header_element_count(const struct dump_header *header,
                              unsigned piece) {
  return (uint32_t)(header->pieces[piece].size /
                    header_element_size(header, piece));
}

uint32_t header_counter_and_bitmap_count(const struct dump_header *header) {
  return header_element_count(header, BAREPROF_PIECE_COUNTERS) +
         header_element_count(header, BAREPROF_PIECE_BITMAP);
}

/* Compares only the fields that a compact dump has. */
static bool has_same_compact_fields(const struct dump_header *a,
                                    const struct dump_header *b) {
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++)
    if (a->pieces[i].size != b->pieces[i].size)
      return false;
  return header_element_size(a, BAREPROF_PIECE_COUNTERS) ==
         header_element_size(b, BAREPROF_PIECE_COUNTERS);
}

static bool has_same_memory_layout(const struct dump_header *a,
                                   const struct dump_header *b) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    if (a->pieces[i].size != b->pieces[i].size ||
        a->pieces[i].address != b->pieces[i].address)
      return false;
  return a->wide == b->wide && a->version == b->version;
}

/* Returns whether two build ids match. Two empty ids match, too. */
static bool has_same_build_id(struct bytes a, struct bytes b) {
  return elf_build_ids_match(a, b) || (a.size == 0 && b.size == 0);
}

bool header_is_same_boot(const struct dump_header *a,
                         const struct dump_header *b) {
  return a->big_endian == b->big_endian && a->kind == b->kind &&
         a->core == b->core && a->image == b->image && a->boot == b->boot &&
         has_same_build_id(header_build_id(a), header_build_id(b)) &&
         (a->compact || b->compact ? has_same_compact_fields(a, b)
                                   : has_same_memory_layout(a, b));
}

/* ---- snapshots ---- */

bool snapshot_init(struct snapshot *snapshot,
                   const struct dump_header *header) {
  memset(snapshot, 0, sizeof *snapshot);
  snapshot->header = *header;
  snapshot->dumps = 1;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++) {
    const struct dump_piece *piece = &header->pieces[i];
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

/* ---- known elements ---- */

/* Appends a range to a list of known ranges. The caller sorts the list later.
 */
static bool append_known_range(struct snapshot_piece *part,
                               struct element_range range) {
  if (!list_make_room(&part->known, part->known_count, sizeof *part->known))
    return false;
  part->known[part->known_count++] = range;
  return true;
}

/* Usually elements come in order, so the new range extends the last range. */
bool snapshot_mark_known(struct snapshot *snapshot, unsigned piece,
                         struct element_range range) {
  struct snapshot_piece *part = &snapshot->parts[piece];
  struct element_range *last =
      part->known_count ? &part->known[part->known_count - 1] : NULL;
  if (!last || range.first < last->first || range.first > last->end)
    return append_known_range(part, range);
  if (range.end > last->end)
    last->end = range.end;
  return true;
}

bool snapshot_mark_all_known(struct snapshot *snapshot, unsigned piece) {
  snapshot->parts[piece].known_count = 0;
  return snapshot_mark_known(
      snapshot, piece,
      (struct element_range){0,
                             header_element_count(&snapshot->header, piece)});
}

ORDER_BY(by_first, struct element_range, x->first);

/* Sorts the known ranges of a piece, and joins adjacent ranges. */
static void sort_and_join_known_ranges(struct snapshot_piece *part) {
  struct element_range *known = part->known;
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

void snapshot_sort_and_join_ranges(struct snapshot *snapshot) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    sort_and_join_known_ranges(&snapshot->parts[i]);
}

/* Returns the index of the first known range that ends after an element.
 * Returns known_count if no such range exists. */
static size_t find_range_ending_after(const struct snapshot_piece *part,
                                      uint32_t element) {
  return search_after(part->known, part->known_count, end, element);
}

bool snapshot_find_gap(const struct snapshot *snapshot,
                       struct snapshot_gap *gap) {
  for (; gap->piece < BAREPROF_PIECES; gap->piece++, gap->first = 0) {
    const struct snapshot_piece *part = &snapshot->parts[gap->piece];
    uint32_t end = header_element_count(&snapshot->header, gap->piece);
    if (!part->bytes)
      continue;
    size_t i = find_range_ending_after(part, gap->first);
    if (i < part->known_count && part->known[i].first <= gap->first)
      gap->first = part->known[i++].end;
    if (i < part->known_count)
      end = part->known[i].first;
    if (gap->first < end) {
      gap->count = end - gap->first;
      return true;
    }
  }
  return false;
}

void snapshot_fill_gaps_as_not_run(struct snapshot *snapshot) {
  struct snapshot_gap gap = {BAREPROF_PIECE_COUNTERS, 0, 0};
  if (header_element_size(&snapshot->header, BAREPROF_PIECE_COUNTERS) != 1)
    return;
  for (; snapshot_find_gap(snapshot, &gap) &&
         gap.piece == BAREPROF_PIECE_COUNTERS;
       gap.first += gap.count)
    memset(snapshot->parts[gap.piece].bytes + gap.first, 0xFF, gap.count);
}

bool snapshot_is_complete(const struct snapshot *snapshot) {
  struct snapshot_gap gap = {0, 0, 0};
  return !snapshot_find_gap(snapshot, &gap);
}

/* ---- gaps filled from other snapshots ---- */

/* Fills gaps of a piece with elements of the same piece in another snapshot. */
static bool fill_piece_gaps(struct snapshot_piece *to,
                            const struct snapshot_piece *from,
                            uint32_t elements, unsigned size) {
  size_t count = to->known_count, j = 0;
  for (size_t i = 0; i <= count; i++) {
    uint32_t first = i ? to->known[i - 1].end : 0;
    uint32_t end = i < count ? to->known[i].first : elements;
    while (j < from->known_count && from->known[j].end <= first)
      j++;
    for (; j < from->known_count && from->known[j].first < end; j++) {
      struct element_range range = from->known[j];
      range.first = range.first > first ? range.first : first;
      range.end = range.end < end ? range.end : end;
      size_t offset = (size_t)range.first * size;
      memcpy(to->bytes + offset, from->bytes + offset,
             (size_t)(range.end - range.first) * size);
      if (!append_known_range(to, range))
        return false;
      if (from->known[j].end > end)
        break;
    }
  }
  sort_and_join_known_ranges(to);
  return true;
}

static bool fill_gaps_of_pieces(struct snapshot *to,
                                const struct snapshot *from, bool constants) {
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    if (to->parts[i].bytes && from->parts[i].bytes &&
        !(constants && header_piece_can_change(&to->header, i)) &&
        !fill_piece_gaps(&to->parts[i], &from->parts[i],
                         header_element_count(&to->header, i),
                         header_element_size(&to->header, i)))
      return false;
  return true;
}

bool snapshot_fill_gaps(struct snapshot *later,
                        const struct snapshot *earlier) {
  later->dumps += earlier->dumps;
  return fill_gaps_of_pieces(later, earlier, false);
}

bool snapshot_fill_constant_gaps(struct snapshot *snapshot,
                                 const struct snapshot *other) {
  return fill_gaps_of_pieces(snapshot, other, true);
}

bool snapshot_set_piece(struct snapshot *snapshot, unsigned piece,
                        const unsigned char *bytes) {
  size_t size = (size_t)snapshot->header.pieces[piece].size;
  if (size) /* an empty piece has no bytes */
    memcpy(snapshot->parts[piece].bytes, bytes, size);
  return snapshot_mark_all_known(snapshot, piece);
}

bool snapshot_copy_counts(struct snapshot *counts,
                          const struct snapshot *snapshot) {
  struct dump_header header = snapshot->header;
  header.lean = true;
  for (unsigned i = 0; i < BAREPROF_PIECES; i++)
    header.pieces[i].left_out |=
        i != BAREPROF_PIECE_COUNTERS && i != BAREPROF_PIECE_BITMAP;
  if (!snapshot_init(counts, &header))
    return false;
  counts->opened = snapshot->opened;
  counts->closed = snapshot->closed;
  if (snapshot_fill_gaps(counts, snapshot))
    return true;
  snapshot_free(counts);
  return false;
}

/* The hash is FNV-1a. */
static uint64_t hash_bytes(uint64_t value, const unsigned char *bytes,
                           uint64_t size) {
  for (uint64_t i = 0; i < size; i++)
    value = (value ^ bytes[i]) * UINT64_C(0x100000001B3);
  return value;
}

uint64_t snapshot_hash_counts(const struct snapshot *dump) {
  const struct dump_header *header = &dump->header;
  uint64_t value = hash_bytes(UINT64_C(0xCBF29CE484222325), header->build_id,
                              header->build_id_size);
  for (unsigned i = BAREPROF_PIECE_COUNTERS; i <= BAREPROF_PIECE_BITMAP; i++)
    if (dump->parts[i].bytes)
      value = hash_bytes(value, dump->parts[i].bytes, header->pieces[i].size);
  return value;
}
