/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A snapshot is the known part of an image's profile. The snapshot has the
 * bytes of the profile's pieces, and says which elements of the pieces are
 * known. Snapshots of one boot can complete each other, and their difference
 * shows the code that ran in between. wire/ and image.c make snapshots;
 * join_dump.c, raw_write.c and dumpfile.c use them.
 */
#ifndef BAREPROF_TOOLS_SNAPSHOT_H
#define BAREPROF_TOOLS_SNAPSHOT_H

#include "../base/bytes.h"
#include "../object/elf.h"
#include "values.h"
#include "wire.h"

/* The limit for the size of a piece. Profiles of firmware are smaller, so a
 * larger size is an error. */
#define PIECE_LIMIT (UINT64_C(1) << 24)
#define PIECE_TOO_LARGE                                                        \
  "a piece of the profile is larger than 16 MB; measure fewer files, reserve " \
  "fewer value slots, or pass the right file"

/* The size of a value slot, which is the same for all targets: four 64-bit
 * numbers (slots.c). */
enum { SLOT_BYTES = 32 };

/* Returns whether a piece changes as code runs. The other pieces are also in
 * the ELF. */
static inline bool piece_can_change(unsigned piece) {
  return piece == BAREPROF_PIECE_COUNTERS || piece == BAREPROF_PIECE_BITMAP ||
         piece == BAREPROF_PIECE_SLOTS;
}

struct dump_piece {
  uint64_t size; /* size of the piece in bytes; 0: the image lacks the piece */
  uint64_t address;
  bool left_out; /* the dump lacks the piece */
};

struct dump_header {
  bool big_endian, wide, lean;
  bool ranges_only; /* the dump has only the ranges that the host requested with
                       `tag` */
  /* The dump is compact. The version word of a compact dump has only the bit
   * for byte coverage, the addresses and `wide` are unknown, and the build id
   * has 8 bytes. */
  bool compact;
  bool narrow; /* some code increments only 32 bits */
  /* The image has bareprof_fold, which keeps the carries of the counters.
   * counter_width_unfold converts these counters to counts. */
  bool folded;
  bool packed; /* the target's counters have 4 bytes; a snapshot has pieces and
                  records converted to 8-byte counters */
  /* The number of the dump in its boot, modulo 256. If it is 0, the dump lacks
   * a number, or its number is a multiple of 256. */
  unsigned ordinal;
  /* These members come from the numbers of a boot's dumps. `boot_id` identifies
   * the boot, or is 0 if the boot is unknown. `serial` is the number of the
   * boot's dumps up to this dump, or 0 if this dump repeats an earlier one. If
   * `missing_before` is true, the dump or name right before this dump is
   * missing. */
  unsigned boot_id, serial;
  bool missing_before;
  /* In a compact dump, the seed for the CRCs of the COUNTS frames, which is
   * never 0. The upper half of the seed is a part of the hash of the counts. */
  uint32_t seed;
  uint16_t dump; /* the dump number in the frames, which is the upper half of
                    the hash of the counts */
  unsigned kind, core, image, boot; /* as in a HEADER frame */
  uint32_t tag;
  uint64_t version;
  unsigned char build_id[64];
  size_t build_id_size;
  struct dump_piece pieces[BAREPROF_PIECES];
};

static inline struct bytes header_build_id(const struct dump_header *header) {
  return (struct bytes){header->build_id, header->build_id_size};
}

/* The first function returns the number of elements of a piece, the second the
 * number of counters and bitmap bytes, which form one sequence. */
uint32_t header_element_count(const struct dump_header *header, unsigned piece);
uint32_t header_counter_and_bitmap_count(const struct dump_header *header);

/* Returns whether two dumps have the same image, boot and layout, so that
 * pieces of one dump can replace pieces of the other dump. One dump may be lean
 * and the other full. */
bool header_is_same_boot(const struct dump_header *a,
                         const struct dump_header *b);

/* Returns whether the dump's counts are known only modulo 2^32. */
static inline bool header_is_modulo(const struct dump_header *header) {
  return header->narrow && !header->folded;
}

/* Returns the size of one element of a piece in bytes: 1, 4, 8, SLOT_BYTES, or
 * the size of an entry in a dump of samples. */
unsigned header_element_size(const struct dump_header *header, unsigned piece);

/* These functions read the header of a dump of samples. The first one returns
 * the number of words in an entry, the second one whether an entry ends with a
 * count. The third one returns the flags, the fourth one a word whose low 8
 * bits are the length of the chain of callers. The enum names the three numbers
 * in the counters piece. */
unsigned samples_entry_words(const struct dump_header *header);
bool samples_are_folded(const struct dump_header *header);
unsigned samples_flags(const struct dump_header *header);
uint32_t samples_chain_word(const struct dump_header *header);
enum { SAMPLES_PERIOD, SAMPLES_LOST, SAMPLES_TAKEN, SAMPLES_NUMBERS };
enum { SAMPLES_CHAIN_MOST = 64 };

/* A gap in a piece: `count` missing elements, from element `first` on. */
struct snapshot_gap {
  unsigned piece;
  uint32_t first, count;
};

/* Returns whether a piece changes as code runs. In a dump of samples, every
 * piece changes. */
static inline bool header_piece_can_change(const struct dump_header *header,
                                           unsigned piece) {
  return piece_can_change(piece) || header->kind == BAREPROF_KIND_SAMPLES;
}

/* A range of known elements, from `first` up to `end`, which is excluded. */
struct element_range {
  uint32_t first, end;
};

struct snapshot_piece {
  unsigned char *bytes; /* the piece's bytes; header.pieces[].size is the number
                           of bytes. NULL if the dump lacks the piece */
  /* the known ranges; snapshot_sort_and_join_ranges sorts these and joins
   * adjacent ranges */
  struct element_range *known;
  size_t known_count;
};

struct snapshot {
  struct dump_header header;
  struct snapshot_piece parts[BAREPROF_PIECES];
  bool several_moments; /* the snapshot was assembled from dumps of different
                            moments */
  /* A hash of the counts. The upper half of the hash is the dump number, the
   * lower half is a part of the seed. */
  uint32_t moment;
  /* The number of dumps that had begun when this dump began, and the number
   * when this dump was complete or given up. */
  size_t opened, closed;
  size_t dumps; /* number of dumps from which the snapshot was made */
};

/* Begins a snapshot without known elements. Returns false if memory runs out.
 */
bool snapshot_init(struct snapshot *snapshot, const struct dump_header *header);
void snapshot_free(struct snapshot *snapshot);

/* Copies only the counts of a snapshot. Pieces that are also in the ELF are not
 * copied. Returns false if memory runs out. */
bool snapshot_copy_counts(struct snapshot *counts,
                          const struct snapshot *snapshot);

/* Marks elements of a piece as known. The caller has set their bytes. Returns
 * false if memory runs out. Call snapshot_sort_and_join_ranges after the last
 * call, unless the elements came in order or all elements were marked. */
bool snapshot_mark_known(struct snapshot *snapshot, unsigned piece,
                         struct element_range range);
void snapshot_sort_and_join_ranges(struct snapshot *snapshot);

/* Marks all elements of a piece as known. Returns false if memory runs out. */
bool snapshot_mark_all_known(struct snapshot *snapshot, unsigned piece);

/* Returns whether all elements are known in all pieces that are not left out.
 */
bool snapshot_is_complete(const struct snapshot *snapshot);

/* Treats unknown elements as code that never ran. The function sets unknown
 * coverage bytes to 0xFF, which means that the code has not run. Other unknown
 * elements have the right value from the beginning. */
void snapshot_fill_gaps_as_not_run(struct snapshot *snapshot);

/* Finds the first gap at or after element gap->first of piece gap->piece, or in
 * a later piece. Returns false if no gap follows. For the first call, set *gap
 * to {0, 0, 0}; for the next one, add gap->count to gap->first. */
bool snapshot_find_gap(const struct snapshot *snapshot,
                       struct snapshot_gap *gap);

/* Returns a hash of build id, counters and bitmap. Callers recognise a repeated
 * dump from its hash. */
uint64_t snapshot_hash_counts(const struct snapshot *dump);

/* Fills gaps of `later` with elements of `earlier`. Returns false if memory
 * runs out; then the caller must not use `later`. */
bool snapshot_fill_gaps(struct snapshot *later, const struct snapshot *earlier);

/* Fills only the gaps of the constant pieces, such as names and records, with
 * elements of `other`. */
bool snapshot_fill_constant_gaps(struct snapshot *snapshot,
                                 const struct snapshot *other);

/* Sets all bytes of a piece, which are then known. Returns false if memory runs
 * out. */
bool snapshot_set_piece(struct snapshot *snapshot, unsigned piece,
                        const unsigned char *bytes);

/* ---- snapshot_diff.c ---- */

/* Returns whether `later` may come from the same boot as `earlier`, and from a
 * later moment. The function compares the elements that both snapshots know:
 * counters must not have fallen, bits of the bitmap and covered bytes must not
 * have been cleared, and names and records must be equal. Both snapshots must
 * know at least one element that may change. If `later` is complete, it shows
 * all code that `earlier` shows. Both snapshots must be of the same image
 * (header_is_same_boot). Samples must be equal, because entries of samples come
 * and go. A MIP section with counts and blocks is compared roughly, because
 * only the map tells counts from blocks. */
bool snapshot_follows(const struct snapshot *later,
                      const struct snapshot *earlier);

/* Does the same as snapshot_follows, but the snapshots need no known element in
 * common. Call this for an answer to a request for the gaps of `earlier`. */
bool snapshot_may_follow(const struct snapshot *later,
                         const struct snapshot *earlier);

/* Returns whether both snapshots show the same moment, which means that their
 * hashes are equal and all elements that both snapshots know are equal. Then
 * one can complete the other, if both have the same boot or the hash has 32
 * bits. */
bool snapshot_is_same_moment(const struct snapshot *a,
                             const struct snapshot *b);

/* Adds the counts of another run to `sum`. Counters and values are added, to at
 * most 2^64-1. Coverage bytes and bitmaps are united. Both snapshots must be
 * complete and have the same layout. Returns false if memory runs out. */
bool snapshot_merge(struct snapshot *sum, const struct snapshot *other);

/* Turns `later` into the difference from `earlier`. Counters and values are
 * subtracted. Coverage bytes and bitmaps keep only the new bits. Both snapshots
 * must be complete, and snapshot_follows(later, earlier) must be true. If
 * snapshot_is_saturated(later) was true, differences are too low, usually 0.
 * Returns false if memory runs out. */
bool snapshot_subtract(struct snapshot *later, const struct snapshot *earlier);

/* ---- counter_width.c ----
 *
 * Finds the kind of counters in the objects of an image, and the width of the
 * increments. `bareprof cc` leaves a string for each object in section
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
 * compiled with --place=bss has a second string, bss RAW SOURCE, because a
 * linker script may discard .comment. RAW is the raw version that the object's
 * clang writes, or 0. The runtime's bareprof_fold leaves the string `fold`. */

/* A group of objects with the same kind of counters, and one source. */
struct object_group {
  size_t objects;
  char source[32]; /* the name of the source; a longer name lacks its
                      beginning */
};

/* The size of a counter on the target, in bytes. WIDTH_0: trace points, whose
 * counters are not in memory. */
enum counter_width_kind { WIDTH_8, WIDTH_4, WIDTH_1, WIDTH_0, WIDTH_KINDS };

struct counter_widths {
  struct object_group kinds[WIDTH_KINDS];
  struct object_group placed; /* objects compiled with --place=bss */
  uint32_t raw; /* raw versions of the objects in `placed`: bit v for raw
                          version v */
  bool folded;  /* the image contains bareprof_fold */
  struct object_group narrow; /* objects with 32-bit increments */
  struct object_group packed; /* narrow objects with 4-byte counters */
  struct object_group torn;   /* narrow objects without atomic increments */
  struct object_group plain;  /* torn objects with 8-byte counters */
  struct object_group partly; /* narrow objects that still have 64-bit
                                 increments */
  struct object_group other;  /* strings with a kind that this bareprof does not
                                 know */
  uint64_t left; /* number of 64-bit increments left in all objects */
};

/* Reads the section .bareprof.counters. The result is all zeros if the section
 * is missing or unreadable. */
void counter_width_read(struct counter_widths *widths, const struct elf *elf);

/* The names of the sections of records that --place=bss makes, in the order of
 * enum counter_width_kind, followed by NULL. */
extern const char *const placed_records[];

/* Check whether the image links objects of several kinds. Objects of different
 * kinds would increment each other's counters, for example in a template that
 * both instantiate, and the version word describes only one kind. The first
 * function returns NULL or the error, which names objects and is valid until
 * the next call. The second function returns only the names. */
const char *counter_width_mix_error(const struct elf *elf);
const char *counter_width_describe_mixed(const struct elf *elf);

/* Returns whether the image's counts are known only modulo 2^32. */
bool counter_width_is_modulo(const struct counter_widths *widths);

/* Warns that the counts in a file are known only modulo 2^32. `placed` says
 * that --place=bss was used, which bareprof_fold does not support. */
void counter_width_warn_modulo(const char *file, bool placed);

/* Converts a counter to a count. Call it only if the image has bareprof_fold.
 * A packed count is at most BAREPROF_FOLD_LEAST, which means "or more". */
uint64_t counter_width_unfold(const struct dump_header *header,
                              uint64_t counter);

/* Returns whether some counts are only lower bounds, because bareprof_fold has
 * stopped a 4-byte counter before it wrapped, at BAREPROF_FOLD_LEAST. */
bool snapshot_is_saturated(const struct snapshot *snapshot);

/* Prints one line that says that some counts are lower bounds, or that
 * differences of such counts are too low. */
void counter_width_warn_saturated(const char *file);
void counter_width_warn_stopped(const char *file);

/* Calls counter_width_warn_stopped if the snapshot is saturated. Sets *warned,
 * and prints nothing if it is set. */
void snapshot_warn_stopped_once(const struct snapshot *snapshot,
                                const char *file, bool *warned);

/* If the image has bareprof_fold, replaces the counters with counts. */
void snapshot_unfold(struct snapshot *snapshot);

/* ---- slots.c ----
 *
 * Reads and changes the value slots of a snapshot, which are piece 6. A slot
 * has four 64-bit numbers in the target's byte order: the address of a record
 * plus 1, or 0 if the slot is free; a value that was seen at a site; its count;
 * the index of the site in the function. If a value is in several slots, the
 * counts of these slots are added up. */

/* The used slots of a snapshot, with one slot for each value of a site, sorted
 * by owner, then site. The values of a site stay in the order of their slots.
 * The rank of a slot is its index. */
struct value_slots {
  struct bareprof_value_slot *list; /* the caller frees it */
  uint32_t count;
};

/* Reads the used slots of a snapshot. Returns false if memory runs out. */
bool slots_read(struct value_slots *slots, const struct snapshot *snapshot);

/* Returns the number of slots in use. */
uint32_t slots_count_used(const struct snapshot *snapshot);

/* Adds the slots of another snapshot of the same image to `sum`. Either
 * snapshot may lack slots. Returns false if memory runs out. */
bool slots_merge(struct snapshot *sum, const struct snapshot *other);

/* Turns the counts in the slots of `later` into differences from `earlier`. If
 * a count is smaller than in `earlier`, the value had lost its slot in between,
 * and the later count is the difference. Returns false if memory runs out. */
bool slots_subtract(struct snapshot *later, const struct snapshot *earlier);

/* Replaces the slots of a snapshot with the slots of a list. */
bool slots_replace(struct snapshot *snapshot, const struct value_slots *slots);

/* Keeps the `most` values of a site that have the highest counts, in their
 * order in the list. Returns the number of values that remain. */
uint32_t slots_keep_highest(struct bareprof_value_slot *list, uint32_t count,
                            uint32_t most);

struct slot_storage {
  uint64_t address;   /* address of the slots */
  uint32_t count;     /* number of slots; 0: the firmware lacks slots */
  uint32_t ways;      /* the most values of a site */
  unsigned slot_size; /* size of a slot in bytes */
};

/* Finds the slots in the target's memory. Returns false if the ELF lacks the
 * symbol of the slots or its contents. */
bool slots_find_storage(const struct elf *elf, struct slot_storage *storage);

/* Returns the size in bytes of the symbol that slots_find_storage finds. */
static inline unsigned slots_symbol_size(const struct elf *elf) {
  return elf->wide ? 32 : 20;
}

/* Returns the size of the slots in RAM, in bytes. */
uint64_t slots_ram_size(const struct slot_storage *storage);

#endif
