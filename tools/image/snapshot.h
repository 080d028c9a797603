/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A snapshot is the known part of an image's profile: the bytes of the pieces,
 * and which elements are known. Snapshots of one boot can complete each other,
 * and their difference shows the code that ran in between. wire/ and image.c
 * make snapshots; join_dump.c, raw_write.c and dumpfile.c use them.
 */
#ifndef BAREPROF_TOOLS_SNAPSHOT_H
#define BAREPROF_TOOLS_SNAPSHOT_H

#include "../base/bytes.h"
#include "../object/elf.h"
#include "values.h"
#include "wire.h"

struct bareprof_value_slot;

/* The limit for the size of a piece. Profiles of firmware are smaller, so a
 * larger size is an error. */
#define PIECE_LIMIT (UINT64_C(1) << 24)

/* The size of a value slot of any target: four 64-bit numbers (slots.c). */
enum { SLOT_BYTES = 32 };

/* Whether a piece changes as code runs. The other pieces are also in the ELF.
 */
static inline bool piece_can_change(unsigned piece) {
  return piece == BAREPROF_PIECE_COUNTERS || piece == BAREPROF_PIECE_BITMAP ||
         piece == BAREPROF_PIECE_SLOTS;
}

struct dump_piece {
  uint64_t size; /* size in bytes; 0: the image lacks the piece */
  uint64_t address;
  bool left_out; /* this dump lacks the piece */
};

struct dump_header {
  bool big_endian, wide, lean;
  bool ranges_only; /* the dump has only the ranges that the request with `tag`
                named */
  /* The dump is compact. In a compact dump the version word has only the bit
   * for byte coverage, the addresses and `wide` are unknown, and the build id
   * has 8 bytes. */
  bool compact;
  bool narrow; /* some code increments only 32 bits */
  bool folded; /* bareprof_fold keeps the carries, so counters are stored
                  folded */
  bool packed; /* counters have 4 bytes on the target; in a snapshot, pieces and
                  records are converted to 8-byte counters */
  unsigned ordinal; /* number of the dump in its boot, modulo 256; 0: the dump
                       lacks a number, or its number is a multiple of 256 */
  /* These fields come from the ordinals of a boot. `start` is an id of the
   * boot, 0 if unknown. `serial` is the number of the boot's dumps up to this
   * one, 0 if the dump repeats an earlier one. `gap` says that a dump or name
   * right before this one is missing. */
  unsigned boot_id, serial;
  bool missing_before;
  /* In a compact dump, the seed of the CRCs of COUNTS frames, which is never 0.
   * The upper half is a part of the hash of the counts. */
  uint32_t seed;
  uint16_t dump; /* dump number in the frames: the upper half of the hash of the
                    counts */
  unsigned kind, core, image, boot;
  uint32_t tag;
  uint64_t version;
  unsigned char build_id[64];
  size_t build_id_size;
  struct dump_piece pieces[BAREPROF_PIECES];
};

static inline struct bytes header_build_id(const struct dump_header *header) {
  return (struct bytes){header->build_id, header->build_id_size};
}

/* Return the number of elements of a piece, and of counters and bitmap
 * together, which form one sequence. */
uint32_t header_element_count(const struct dump_header *header, unsigned piece);
uint32_t header_count_elements(const struct dump_header *header);

/* Whether two dumps are of the same image, boot and layout, so that pieces of
 * one dump can replace pieces of the other. One dump may be lean and the other
 * full. */
bool header_is_same_boot(const struct dump_header *a,
                         const struct dump_header *b);

/* Whether the dump's counts are known only modulo 2^32. */
static inline bool header_is_modulo(const struct dump_header *header) {
  return header->narrow && !header->folded;
}

/* Returns the size of an element of a piece: 1, 4, 8, SLOT_BYTES, or an entry
 * of samples. */
unsigned header_element_size(const struct dump_header *header, unsigned piece);

/* These functions are for a header of samples. They return the number of words
 * of an entry, whether an entry ends with a count, the flags, and in the low 8
 * bits the length of a chain of callers. The enum names the three numbers in
 * the piece of counters. */
unsigned samples_entry_words(const struct dump_header *header);
bool samples_are_folded(const struct dump_header *header);
unsigned samples_flags(const struct dump_header *header);
uint32_t samples_chain_word(const struct dump_header *header);
enum { SAMPLES_PERIOD, SAMPLES_LOST, SAMPLES_TAKEN, SAMPLES_NUMBERS };
enum { SAMPLES_CHAIN_MOST = 64 };

/* A gap: missing elements of a piece, starting with `first`. */
struct snapshot_gap {
  unsigned piece;
  uint32_t first, count;
};

/* Whether a piece changes as code runs. In a dump of samples, every piece
 * changes. */
static inline bool header_piece_can_change(const struct dump_header *header,
                                           unsigned piece) {
  return piece_can_change(piece) || header->kind == BAREPROF_KIND_SAMPLES;
}

/* A range of known elements, from first up to end (excluded). */
struct element_range {
  uint32_t first, end;
};

struct snapshot_part {
  unsigned char *bytes; /* header.pieces[].size bytes; NULL if the dump lacks
                           the piece */
  struct element_range
      *known; /* ascending and separated by gaps, once settled by
                 snapshot_sort_ranges */
  size_t known_count;
};

struct snapshot {
  struct dump_header header;
  struct snapshot_part parts[BAREPROF_PIECES];
  bool several_moments;  /* assembled from dumps of different moments */
  uint32_t moment;       /* a hash of the counts: upper half: the dump number;
                            lower half: a part of the seed */
  size_t opened, closed; /* numbers of dumps that had begun when this dump
                            began, and when it was complete or given up */
  size_t dumps;          /* number of dumps that the snapshot was made from */
};

/* Begins a snapshot without known elements. Returns false if memory runs out.
 */
bool snapshot_new(struct snapshot *snapshot, const struct dump_header *header);
void snapshot_free(struct snapshot *snapshot);

/* Copies only the counts of a snapshot, without the pieces that are also in the
 * ELF. Returns false if memory runs out. */
bool snapshot_copy_counts(struct snapshot *counts,
                          const struct snapshot *snapshot);

/* Marks elements of a piece as known; the caller has set their bytes. Returns
 * false if memory runs out. Call snapshot_sort_ranges after the last call,
 * unless the elements came in order or all elements were marked. */
bool snapshot_mark_known(struct snapshot *snapshot, unsigned piece,
                         struct element_range range);
void snapshot_sort_ranges(struct snapshot *snapshot);

/* Whether all pieces that are not left out are completely known. */
bool snapshot_is_complete(const struct snapshot *snapshot);

/* Treats unknown elements as never executed, by setting unknown coverage bytes.
 * Other elements have that value from the beginning. */
void snapshot_mark_not_run(struct snapshot *snapshot);

/* Finds the first gap at or after hole->first in hole->piece, or in a later
 * piece. Returns false without a gap. Start with {0, 0, 0} and continue with
 * first += count. */
bool snapshot_find_gap(const struct snapshot *snapshot,
                       struct snapshot_gap *gap);

/* Whether `later` may come from the same boot as `earlier`, and from a later
 * moment. Among the elements known in both, counters must not have fallen, bits
 * of the bitmap and covered bytes must not have been cleared, and names and
 * records must be equal. At least one element that may change must be known in
 * both. If `later` is complete, it shows all code that `earlier` shows. Both
 * snapshots must be of the same image (header_is_same_boot). Samples must be
 * equal, because their entries come and go. A MIP section with counts and
 * blocks is compared roughly, because only the map tells counts from blocks. */
bool snapshot_follows(const struct snapshot *later,
                      const struct snapshot *earlier);

/* Like snapshot_follows, but the snapshots need not have a known element in
 * common. Call this for an answer to a request for the gaps of `earlier`. */
bool snapshot_may_follow(const struct snapshot *later,
                         const struct snapshot *earlier);

/* Whether both snapshots show the same moment: their hashes are equal, and so
 * are all elements known in both. Then they can complete each other, if they
 * are from the same boot or the hash has 32 bits. */
bool snapshot_is_same_moment(const struct snapshot *a,
                             const struct snapshot *b);

/* Returns a hash of build id, counters and bitmap, to recognise a dump. */
uint64_t snapshot_hash(const struct snapshot *dump);

/* Fills gaps of `later` from `earlier`. Returns false if memory runs out;
 * `later` must not be used then. */
bool snapshot_fill_gaps(struct snapshot *later, const struct snapshot *earlier);

/* Fills only the gaps of constant pieces: names and records. */
bool snapshot_fill_constants(struct snapshot *snapshot,
                             const struct snapshot *other);

/* Sets a constant piece (names, for example) to its bytes in the ELF. Returns
 * false if memory runs out. */
bool snapshot_set_piece(struct snapshot *snapshot, unsigned piece,
                        const unsigned char *bytes);

/* Adds the counts of another run. Counters and values add up, to at most
 * 2^64-1; coverage and bitmaps are united. Both snapshots must be complete and
 * of the same layout. Returns false if memory runs out. */
bool snapshot_merge(struct snapshot *sum, const struct snapshot *other);

/* Turns `later` into the difference from `earlier`. Counters and values are
 * subtracted; coverage and bitmaps keep only new elements. Both snapshots must
 * be complete, and snapshot_follows(later, earlier). Returns false if memory
 * runs out. */
bool snapshot_subtract(struct snapshot *later, const struct snapshot *earlier);

/* ---- counter_width.c ----
 *
 * Finds which kind of counters the objects of an image have, and how many bits
 * the increments have. `bareprof cc` leaves a string for each object in section
 * .bareprof.counters, which is not loaded:
 *
 *   64 0 SOURCE             clang's own counters
 *   byte 0 SOURCE           byte counters
 *   trace 0 SOURCE          trace points: the counters are not in memory
 *   32 LEFT SOURCE          32-bit increments, which interrupts may lose
 *   32-atomic LEFT SOURCE   32-bit increments that interrupts cannot lose
 *   32-packed LEFT SOURCE, 32-packed-atomic LEFT SOURCE
 *                           the same, for 4-byte counters
 *
 * LEFT is the number of 64-bit increments that remain in the object. An object
 * with --place=bss has a second string, bss RAW SOURCE, as a script may discard
 * .comment: the raw version that its clang writes, or 0. The runtime's
 * bareprof_fold leaves the string `fold`. */

/* The objects of one kind, and the source of one of them. */
struct object_group {
  size_t objects;
  char source[32]; /* the name's end, if the name is longer */
};

/* The size of a counter on the target, in bytes. */
enum counter_width_kind { WIDTH_8, WIDTH_4, WIDTH_1, WIDTH_0, WIDTH_KINDS };

struct counter_widths {
  struct object_group kinds[WIDTH_KINDS];
  struct object_group placed; /* with --place=bss */
  uint32_t raw;        /* raw versions in `placed`: bit v for raw version v */
  bool folded;         /* bareprof_fold is linked */
  struct object_group narrow; /* objects with 32-bit increments */
  struct object_group packed; /* narrow objects with 4-byte counters */
  struct object_group torn;   /* narrow objects without atomic increments */
  struct object_group plain;  /* torn objects with 8-byte counters */
  struct object_group partly; /* narrow objects that still have 64-bit
                                 increments */
  struct object_group other;  /* strings that this bareprof does not know */
  uint64_t left;       /* 64-bit increments left in all objects */
};

/* Reads the section. The result is all zeros if the section is missing or
 * unreadable. */
void counter_width_read(struct counter_widths *widths, const struct elf *elf);

/* The sections of records that --place=bss makes, by enum counter_width_kind,
 * followed by NULL. */
extern const char *const placed_records[];

/* Whether objects of several kinds are linked. Such objects would increment
 * each other's counters, for example in a template that both instantiate, and
 * the version word describes only one kind. Returns NULL or the error, which
 * names objects and is valid until the next call. The second function returns
 * only the names. */
const char *counter_width_mix_error(const struct elf *elf);
const char *counter_width_mixed_objects(const struct elf *elf);

/* Whether the image's counts are known only modulo 2^32. */
bool counter_width_is_modulo(const struct counter_widths *widths);

/* Warns that a file's counts are known only modulo 2^32. `placed` says that
 * --place=bss placed the counters, which bareprof_fold does not support. */
void counter_width_warn_modulo(const char *file, bool placed);

/* If the image has bareprof_fold, converts a counter to a count. */
uint64_t counter_width_unfold(const struct dump_header *header,
                              uint64_t counter);

/* Whether some counts are only lower bounds. This happens if the counters have
 * 4 bytes, and bareprof_fold has stopped a counter before it wrapped. */
bool snapshot_is_saturated(const struct snapshot *snapshot);

/* Prints one line that says that some counts are lower bounds. */
void counter_width_warn_saturated(const char *file);

/* If the image has bareprof_fold, replaces the counters by counts. */
void snapshot_unfold(struct snapshot *snapshot);

/* ---- slots.c ----
 *
 * Reads and changes the value slots of a snapshot, which are piece 6. A slot
 * has four 64-bit numbers in the target's byte order: the address of a record
 * plus 1, or 0 if the slot is free; a value that was seen at a site; its count;
 * the index of the site in the function. A value may be in several slots; their
 * counts add up. */

/* The used slots, each value once, sorted by owner, then site. The values of a
 * site stay in the order of their slots. The rank of a slot is its index. */
struct value_slots {
  struct bareprof_value_slot *list; /* the caller frees it */
  uint32_t count;
};

/* Returns false if memory runs out. */
bool slots_read(struct value_slots *slots, const struct snapshot *snapshot);

/* Returns how many slots are in use. */
uint32_t slots_count_used(const struct snapshot *snapshot);

/* Adds the slots of another snapshot of the same image; either snapshot may be
 * without slots. Returns false if memory runs out. */
bool slots_merge(struct snapshot *sum, const struct snapshot *other);

/* Turns counts into differences. A smaller count than in `earlier` means that
 * the value had lost its slot in between; then the later count itself is the
 * difference. Returns false if memory runs out. */
bool slots_subtract(struct snapshot *later, const struct snapshot *earlier);

/* Replaces the slots of a snapshot. */
bool slots_replace(struct snapshot *snapshot, const struct value_slots *slots);

/* Keeps the `most` values with the highest counts of a site, in their order.
 * Returns how many remain. */
uint32_t slots_keep_highest(struct bareprof_value_slot *list, uint32_t count,
                            uint32_t most);

struct slot_storage {
  uint64_t address; /* address of the slots */
  uint32_t count;   /* number of slots; 0: the firmware lacks slots */
  uint32_t ways;
  unsigned slot_size; /* in bytes */
};

/* Returns false if the ELF lacks the symbol or its contents. */
bool slots_find_storage(const struct elf *elf, struct slot_storage *storage);

/* Returns the size in bytes of the symbol that slots_find_storage finds. */
static inline unsigned slots_symbol_size(const struct elf *elf) {
  return elf->wide ? 32 : 20;
}

/* Returns the size of the slots in RAM, in bytes. */
uint64_t slots_ram_size(const struct slot_storage *storage);

#endif
