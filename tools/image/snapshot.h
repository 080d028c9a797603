/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What is known of an image's profile: the bytes of its pieces, and which of
 * them have been received. Dumps of one start of one image can complete each
 * other, and their difference is what has happened in between.
 */
#ifndef BAREPROF_TOOLS_SNAPSHOT_H
#define BAREPROF_TOOLS_SNAPSHOT_H

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

/* Elements that are known, from first up to, not including, end. */
struct range {
  uint32_t first, end;
};

struct snapshot_part {
  unsigned char *bytes; /* header.pieces[].size of them, or NULL: left out */
  struct range *known;  /* ascending, with gaps between them, once settled */
  size_t known_count, known_room;
};

struct snapshot {
  struct header header;
  struct snapshot_part parts[BAREPROF_PIECES];
  bool several;          /* put together of dumps of different instants */
  uint16_t moment;       /* the number of its dump, a hash of what it shows */
  size_t opened, closed; /* how many dumps had begun when it did, and when it
                            was given up or whole */
  size_t dumps;          /* how many it is made of */
};

/* Begins a snapshot of which nothing is known yet. false: out of memory. */
bool snapshot_new(struct snapshot *snapshot, const struct header *header);
void snapshot_free(struct snapshot *snapshot);

/* Says that elements of a piece, whose bytes have been set, are known. false:
 * out of memory. Settle behind the last one, unless they are all, or come in
 * order. */
bool snapshot_know(struct snapshot *snapshot, unsigned piece,
                   struct range range);
void snapshot_settle(struct snapshot *snapshot);

/* Whether all pieces that are not left out are known. */
bool snapshot_whole(const struct snapshot *snapshot);

/* What is not known did not run: sets bytes of coverage to that. Others begin
 * so. */
void snapshot_not_run(struct snapshot *snapshot);

/* The first gap at or behind hole->first of hole->piece, or of a later
 * piece; false if there is none. Begin with {0, 0, 0} and go on with first
 * += count. */
bool snapshot_hole(const struct snapshot *snapshot, struct hole *hole);

/* Whether `later` may be of the same start as `earlier`, and read after it:
 * of what both know, counters have not fallen, no bit of a bitmap and no
 * covered byte is gone, names and records are the same; and there is something
 * that both know and that could have changed. If `later` is whole it shows all
 * code that `earlier` shows. Both are of the same image (header_same).
 * Samples must be the same, as their entries come and go; of MIP with counts
 * and blocks words are compared roughly, as only the map tells which is which.
 */
bool snapshot_follows(const struct snapshot *later,
                      const struct snapshot *earlier);

/* The same, but they need not know anything in common: for the answer to a
 * request for what `earlier` lacks. */
bool snapshot_may_follow(const struct snapshot *later,
                         const struct snapshot *earlier);

/* Whether both show one moment: dumps of one number that agree in all that both
 * know. Then they may complete each other. */
bool snapshot_same(const struct snapshot *a, const struct snapshot *b);

/* Fills what `later` does not know with what `earlier` does. false: out of
 * memory, and later has become useless. */
bool snapshot_fill(struct snapshot *later, const struct snapshot *earlier);

/* The same of what cannot change as code runs: names and records. */
bool snapshot_fill_constants(struct snapshot *snapshot,
                             const struct snapshot *other);

/* Fills the holes of a piece that cannot change, such as names, from size
 * bytes of the ELF. false: out of memory. */
bool snapshot_constant(struct snapshot *snapshot, unsigned piece,
                       const unsigned char *bytes);

/* Adds the counts of another run: counters and values add up, to 2^64-1 at
 * most; coverage and bitmaps unite. Both are whole, and of the same layout.
 * false: out of memory. */
bool snapshot_merge(struct snapshot *sum, const struct snapshot *other);

/* Turns `later` into what has happened since `earlier`: counters and values
 * are subtracted, coverage and bitmaps show what is new. Both are whole, and
 * snapshot_follows(later, earlier). false: out of memory. */
bool snapshot_subtract(struct snapshot *later, const struct snapshot *earlier);

#endif
