/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The known part of an image's profile: the bytes of its pieces, and the ranges
 * that have been received. Dumps of one start of one image can complete each
 * other, and their difference shows the execution in between.
 */
#ifndef BAREPROF_TOOLS_SNAPSHOT_H
#define BAREPROF_TOOLS_SNAPSHOT_H

#include "../base/bytes.h"
#include "../object/elf.h"
#include "values.h"
#include "wire.h"

struct bareprof_value_slot;

/* No piece of firmware's profile is larger; a larger size is refused as
 * wrong. */
#define PIECE_LIMIT (UINT64_C(1) << 24)

/* A value slot of any target: four numbers of 64 bits, see slots.c. */
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
  /* The dump is compact: version has only the byte mode, wide and addresses are
   * unknown, the build id is cut to 8 bytes. */
  bool cut;
  bool narrow; /* some code counts with 32 bits; */
  bool folded; /* bareprof_fold keeps the carries, and counters are as it
                  leaves them */
  bool packed; /* counters have 4 bytes on the target. Here they have 8: pieces
                  and records of a snapshot are as if they had 8 there, too */
  unsigned ordinal; /* of the dump in its start, modulo 256; 0: none, if the
                       start has sent no other one */
  /* By the ordinals of all that came of its start. start: the same for all of
   * one start, 0: not known. serial: dumps of it up to this one; 0: this one
   * came before. gap: a dump or a name directly before it is missing. */
  unsigned start, serial;
  bool gap;
  /* Of a compact dump: what the checks of its COUNTS frames begin
   * with, never 0. The upper half is that of its state. */
  uint32_t seed;
  uint16_t dump; /* the number of its frames: the upper half of its state */
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

/* Elements of a piece; counters and bitmap form one row. */
uint32_t header_elements(const struct header *header, unsigned piece);
uint32_t header_counts(const struct header *header);

/* Whether two dumps are of the same image, start and layout, so that pieces of
 * one can replace pieces of the other. One may be lean and the other full. */
bool header_same(const struct header *a, const struct header *b);

/* Whether counts are known only modulo 2^32. */
static inline bool header_modulo(const struct header *header) {
  return header->narrow && !header->folded;
}

/* Bytes of an element of a piece: 1, 4, 8, SLOT_BYTES, or an entry of
 * samples. */
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

/* Known elements, from first up to end (excluded). */
/* The same; of samples all changes. */
static inline bool header_changes(const struct header *header, unsigned piece) {
  return piece_changes(piece) || header->kind == BAREPROF_KIND_SAMPLES;
}

struct range {
  uint32_t first, end;
};

struct snapshot_part {
  unsigned char *bytes; /* header.pieces[].size of them, or NULL: left out */
  struct range *known;  /* ascending, with gaps between them, once settled */
  size_t known_count;
};

struct snapshot {
  struct header header;
  struct snapshot_part parts[BAREPROF_PIECES];
  bool several;          /* assembled from dumps of different instants */
  uint32_t moment;       /* a hash of what it shows: the number of its dump, and
                            below it what the seed has of it */
  size_t opened, closed; /* dumps that had begun when this one began, and
                            when it was given up or complete */
  size_t dumps;          /* dumps that it is made of */
};

/* Begins a snapshot without known elements. false: out of memory. */
bool snapshot_new(struct snapshot *snapshot, const struct header *header);
void snapshot_free(struct snapshot *snapshot);

/* Begins a copy of a snapshot's counts, without the parts that the ELF has as
 * well. false: out of memory. */
bool snapshot_counts(struct snapshot *counts, const struct snapshot *snapshot);

/* Marks elements of a piece as known; the caller has set their bytes. false:
 * out of memory. Settle after the last call, unless the elements are all, or
 * came in order. */
bool snapshot_know(struct snapshot *snapshot, unsigned piece,
                   struct range range);
void snapshot_settle(struct snapshot *snapshot);

/* Whether all pieces that are not left out are known. */
bool snapshot_whole(const struct snapshot *snapshot);

/* Treats unknown elements as never executed: sets bytes of coverage
 * accordingly. Other elements begin this way. */
void snapshot_not_run(struct snapshot *snapshot);

/* The first gap at or behind hole->first of hole->piece, or of a later
 * piece; false if there is none. Begin with {0, 0, 0} and go on with first
 * += count. */
bool snapshot_hole(const struct snapshot *snapshot, struct hole *hole);

/* Whether `later` may be of the same start as `earlier`, and read after it:
 * among elements known in both, counters have not fallen, no bit of a bitmap
 * and no covered byte is gone, and names and records are equal. At least one
 * element that could have changed must be known in both. If `later` is
 * complete, it shows all code that `earlier` shows. Both are of the same image
 * (header_same). Samples must be equal, because their entries come and go. For
 * MIP with counts and blocks, words are compared roughly, because only the map
 * distinguishes counts from blocks.
 */
bool snapshot_follows(const struct snapshot *later,
                      const struct snapshot *earlier);

/* The same, except that they need no known element in common. For the answer to
 * a request for the gaps of `earlier`. */
bool snapshot_may_follow(const struct snapshot *later,
                         const struct snapshot *earlier);

/* Whether both show the same moment: their dumps have the same hash and agree
 * in all elements known in both. Then they may complete each other, if they are
 * of one start, or if the hash has 32 bits. */
bool snapshot_same(const struct snapshot *a, const struct snapshot *b);

/* A hash of the build, the counters and the bitmap, to recognise a dump. */
uint64_t snapshot_hash(const struct snapshot *dump);

/* Fills gaps of `later` from `earlier`. false: out of memory, and later is no
 * longer usable. */
bool snapshot_fill(struct snapshot *later, const struct snapshot *earlier);

/* The same, only for constant pieces: names and records. */
bool snapshot_fill_constants(struct snapshot *snapshot,
                             const struct snapshot *other);

/* Fills the holes of a constant piece (names, for example) from size bytes of
 * the ELF. false: out of memory. */
bool snapshot_constant(struct snapshot *snapshot, unsigned piece,
                       const unsigned char *bytes);

/* Adds the counts of another run: counters and values add up, to 2^64-1 at
 * most; coverage and bitmaps unite. Both are complete and of the same layout.
 * false: out of memory. */
bool snapshot_merge(struct snapshot *sum, const struct snapshot *other);

/* Turns `later` into the difference since `earlier`: counters and values are
 * subtracted; coverage and bitmaps keep only new elements. Both are complete,
 * and snapshot_follows(later, earlier). false: out of memory. */
bool snapshot_subtract(struct snapshot *later, const struct snapshot *earlier);

/* ---- widths.c ----
 *
 * What the counters of an image's objects are, and how wide the increments.
 * `bareprof cc` leaves a string an object in the section .bareprof.counters,
 * which no target loads:
 *
 *   64 0 SOURCE             clang's own
 *   byte 0 SOURCE           flags of a byte
 *   trace 0 SOURCE          labels: counters in no memory
 *   32 LEFT SOURCE          increments of 32 bits, which an interrupt may lose
 *   32-atomic LEFT SOURCE   increments of 32 bits, which it may not
 *   32-packed LEFT SOURCE, 32-packed-atomic LEFT SOURCE
 *                           the same, of counters of 4 bytes
 *
 * LEFT is how many increments of the object have stayed at 64 bits. Of an
 * object of --place=bss there is one more, bss 0 SOURCE. The runtime's
 * bareprof_fold leaves the string `fold`.
 */

/* Objects of one kind, and the source of one of them. */
struct width {
  size_t objects;
  char source[32]; /* its end, if it is longer */
};

/* What a counter is on the target: so many bytes. */
enum width_kind { WIDTH_8, WIDTH_4, WIDTH_1, WIDTH_0, WIDTH_KINDS };

struct widths {
  struct width kinds[WIDTH_KINDS];
  struct width placed; /* by --place=bss */
  bool folded;         /* bareprof_fold is linked */
  struct width narrow; /* objects that count with 32 bits */
  struct width packed; /* those of them whose counters have 4 bytes, */
  struct width torn;   /* without atomic increments, */
  struct width plain;  /* both: without these, and of 8 bytes, */
  struct width partly; /* or with increments of 64 bits left */
  struct width other;  /* strings that this bareprof does not know */
  uint64_t left;       /* increments left, of all objects */
};

/* Reads the section. All zeros if there is none, or if it cannot be read. */
void widths_read(struct widths *widths, const struct elf *elf);

/* The sections of records that --place=bss makes, by enum width_kind; NULL ends
 * them. */
extern const char *const placed_records[];

/* Whether objects of several kinds are linked. They would count in each other's
 * counters, for example in those of a template that both have, and one version
 * word speaks for all. Returns NULL or the error, which names objects and is
 * valid until the next call. The second returns only the names. */
const char *widths_mixed(const struct elf *elf);
const char *widths_mixed_objects(const struct elf *elf);

/* Whether counts of the image are known only modulo 2^32. */
bool widths_modulo(const struct widths *widths);

/* Prints the one line that says so, about a file. Counters that --place=bss
 * `placed` are no matter of bareprof_fold. */
void widths_tell(const char *file, bool placed);

/* The count that a counter of an image with bareprof_fold stands for. */
uint64_t count_of(const struct header *header, uint64_t counter);

/* Whether some counts are known as "at least" only: the counters have 4 bytes,
 * and bareprof_fold has kept them from wrapping. */
bool snapshot_saturated(const struct snapshot *snapshot);

/* Prints the one line that says that some counts are known as "at least". */
void widths_tell_least(const char *file);

/* The counts of an image with bareprof_fold, instead of its counters in
 * memory. */
void snapshot_unfold(struct snapshot *snapshot);

/* ---- slots.c ----
 *
 * The value slots of a snapshot, its piece 6. Each has four numbers of 64 bits,
 * in the target's byte order: the address of a record plus 1, or 0 if the slot
 * is free; a value that was seen there; a count; the site in the function. A
 * value may be in several slots; their counts add up.
 */

/* The used slots, each value once, sorted by owner, then site. The values of a
 * site stay in the order of their slots. rank is the slot's index. */
struct slots {
  struct bareprof_value_slot *list; /* from malloc, for the caller to free */
  uint32_t count;
};

/* false: out of memory. */
bool slots_read(struct slots *slots, const struct snapshot *snapshot);

/* Returns how many slots are used. */
uint32_t slots_used(const struct snapshot *snapshot);

/* Adds the slots of another snapshot of the same image; either snapshot may
 * have none. false: out of memory. */
bool slots_merge(struct snapshot *sum, const struct snapshot *other);

/* Turns counts into differences. If a count became smaller, the value had lost
 * its slot in between, and the whole count is new. false: out of memory. */
bool slots_subtract(struct snapshot *later, const struct snapshot *earlier);

/* Sets the slots of a snapshot. */
bool slots_set(struct snapshot *snapshot, const struct slots *slots);

/* Keeps the `most` most counted values of a site, in their order. Returns how
 * many are left. */
uint32_t slots_cut(struct bareprof_value_slot *list, uint32_t count,
                   uint32_t most);

struct storage {
  uint64_t address; /* of the slots */
  uint32_t count;   /* of slots; 0: no storage was given */
  uint32_t ways;
  unsigned slot_size; /* bytes */
};

/* false: the ELF has no such symbol, or not its contents. */
bool storage_find(const struct elf *elf, struct storage *storage);

/* Bytes of that symbol. */
static inline unsigned storage_bytes(const struct elf *elf) {
  return elf->wide ? 32 : 20;
}

/* Bytes of RAM. */
uint64_t storage_size(const struct storage *storage);

#endif
