/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sizes of elements, and which dumps go together.
 */
#include "header.h"

#include "../object/elf.h"
#include "bareprof_sampler.h"

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

/* What a compact dump says of its image. */
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

/* Also that they have none. */
static bool same_id(struct bytes a, struct bytes b) {
  return build_id_same(a, b) || (a.size == 0 && b.size == 0);
}

bool header_same(const struct header *a, const struct header *b) {
  return a->big_endian == b->big_endian && a->kind == b->kind &&
         a->core == b->core && a->image == b->image && a->boot == b->boot &&
         same_id(header_id(a), header_id(b)) &&
         (a->cut || b->cut ? same_cut(a, b) : same_pieces(a, b));
}
