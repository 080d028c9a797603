/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a dump is of: an image, one of its starts, and the pieces of its
 * profile. Frames begin with it (wire/frame.h), and so does a file of a dump
 * (dumpfile.h).
 */
#ifndef IMAGE_HEADER_H
#define IMAGE_HEADER_H

#include "../base/bytes.h"
#include "wire.h"

/* No piece of firmware's profile is larger; what says so is not believed. */
#define PIECE_LIMIT (UINT64_C(1) << 24)

/* A value slot, of whatever target: four numbers of 64 bits, see slots.h. */
enum { SLOT_BYTES = 32 };

/* Whether a piece changes as code runs; the others are in the ELF, too. */
static inline bool piece_changes(unsigned piece) {
  return piece == BAREPROF_PIECE_COUNTERS || piece == BAREPROF_PIECE_BITMAP ||
         piece == BAREPROF_PIECE_SLOTS;
}

struct piece {
  uint64_t size; /* bytes; 0: the image has none */
  uint64_t address;
  bool left_out; /* of this dump */
};

struct header {
  bool big_endian, wide, lean;
  bool part; /* only what request `tag` named */
  /* Of a compact dump: version has its byte mode alone, wide and addresses are
   * not known, the build id is cut to 8 bytes. */
  bool cut;
  unsigned kind, core, image, boot;
  uint32_t tag;
  uint64_t version;
  unsigned char build_id[64];
  size_t build_id_size;
  struct piece pieces[BAREPROF_PIECES];
};

static inline struct bytes header_id(const struct header *header) {
  return (struct bytes){header->build_id, header->build_id_size};
}

/* Elements of a piece; those of counters and bitmap, as one row. */
uint32_t header_elements(const struct header *header, unsigned piece);
uint32_t header_counts(const struct header *header);

/* Whether two dumps are of the same image, start and layout, so that pieces of
 * one can stand for those of the other. Lean or not does not matter. */
bool header_same(const struct header *a, const struct header *b);

/* Bytes of an element of a piece: 1, 4, 8, SLOT_BYTES, of samples an entry. */
unsigned header_element(const struct header *header, unsigned piece);

/* A header of samples: words of an entry, and whether the last is a count.
 * Their counters. */
unsigned samples_words(const struct header *header);
bool samples_folded(const struct header *header);
unsigned samples_flags(const struct header *header);
uint32_t samples_chain(const struct header *header);
enum { SAMPLES_PERIOD, SAMPLES_LOST, SAMPLES_TAKEN, SAMPLES_NUMBERS };
enum { SAMPLES_CHAIN_MOST = 64 };

/* Elements of a piece, from first on. */
struct hole {
  unsigned piece;
  uint32_t first, count;
};

#endif
