/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The profile that an ELF holds: everything except the counts. Reads full
 * images (bareprof.ld), lean ones (bareprof-lean.ld), images compiled with
 * -profile-correlate=binary, and the files that `bareprof extract` makes from
 * them.
 */
#ifndef BAREPROF_TOOLS_IMAGE_H
#define BAREPROF_TOOLS_IMAGE_H

#include <string.h>

#include "../base/storage.h"
#include "../base/bytes.h"
#include "../object/elf.h"
#include "image_layout.h"
#include "snapshot.h"

struct bareprof_image;
struct bareprof_layout;

/* ---- described.c ----
 *
 * Records and names of an image that only its debug information has
 * (-profile-correlate=debug-info).
 */

struct described {
  struct buffer functions,
      names;    /* the first is struct described_function; the second
                                     the section of names */
  size_t count; /* of functions; 0: it is no such image */
  bool lost;    /* there are bitmaps, and nothing says of which functions */
};

/* Where functions are looked for. */
struct described_images {
  const struct elf *elf;
  struct elf_section counters, bitmaps;
};

/* Looks for functions with counters in this section. Returns NULL or the error.
 * The caller calls described_free in both cases. */
const char *described_read(struct described *described,
                           const struct described_images *in);

/* Makes a section of names of all functions that debug information describes,
 * including functions that the linker has dropped. Returns NULL or the error.
 * The caller frees names in both cases. */
const char *described_names(const struct elf *elf, struct buffer *names);

void described_free(struct described *described);

/* Fills the records and names of a snapshot whose header has their sizes. The
 * records are as at address 0. Returns NULL or the error. */
const char *described_take(const struct described *described,
                           struct snapshot *snapshot);

/* ---- record ----
 *
 * A record of a function (__llvm_prf_data), of any raw version, machine and
 * byte order. Only this file knows the places of the fields, from the rows of
 * runtime/image_layout.c, compiled with BAREPROF_FOREIGN.
 */

enum { RECORD_KINDS = 3 };

/* The form of records. */
struct record_form {
  const struct bareprof_layout *layout;
  unsigned pointer; /* bytes: 4 or 8 */
  bool big;
  bool absolute; /* pointers are addresses, not distances from the record */
};

struct record {
  uint64_t name, hash;
  uint64_t counters, bitmap; /* addresses, of `pointer` bytes */
  bool has_bitmap;           /* the pointer is not 0 */
  uint64_t function, values; /* addresses, as they are */
  uint32_t counter_count, bitmap_size;
  uint16_t sites[RECORD_KINDS];
};

/* Returns the form of records of a version word. layout NULL: the version is
 * unknown. */
static inline struct record_form record_form(uint64_t version, bool wide,
                                             bool big) {
  const struct bareprof_image image = {.version = &version,
                                       .pointer_size = wide ? 8 : 4};
  const struct bareprof_layout *layout = bareprof_layout_find(&image);
  return (struct record_form){layout, image.pointer_size, big,
                              layout && layout->fields & BAREPROF_ABSOLUTE};
}

/* Cuts an address to the machine's pointer size. */
static inline uint64_t record_narrow(const struct record_form *form,
                                     uint64_t address) {
  return form->pointer == 4 ? (uint32_t)address : address;
}

/* The last three pointers of a record, before NumCounters, are BitmapPtr (in
 * versions that have one), FunctionPointer, Values. address: the record's
 * address; or its offset, if the pointers are distances from the first
 * record. */
static inline void record_read(const struct record_form *form,
                               const unsigned char *at, uint64_t address,
                               struct record *to) {
  const struct bareprof_layout *layout = form->layout;
  const unsigned char *counts = at + layout->counts_at;
  unsigned pointer = form->pointer;
  uint64_t base = form->absolute ? 0 : address;
  *to = (struct record){
      .name = load64(at, form->big),
      .hash = load64(at + 8, form->big),
      .counters = load_number(at + 16, pointer, form->big) + base,
      .function = load_number(counts - 2 * pointer, pointer, form->big),
      .values = load_number(counts - pointer, pointer, form->big),
      .counter_count = load32(counts, form->big)};
  to->counters = record_narrow(form, to->counters);
  for (unsigned kind = 0; kind < layout->kinds; kind++)
    to->sites[kind] = load16(counts + 4 + 2 * kind, form->big);
  if (layout->bitmap_at) {
    uint64_t bitmap = load_number(counts - 3 * pointer, pointer, form->big);
    to->has_bitmap = bitmap != 0;
    to->bitmap = record_narrow(form, bitmap + base);
    to->bitmap_size = load32(at + layout->bitmap_at, form->big);
  }
}

/* Whether the bits of MC/DC are bytes, of `bareprof cc --mcdc=bytes`: the last
 * counters of the function, as many as bitmap_size says. If that is all of
 * them, the record is damaged. Counters have one byte then, and the bitmap's
 * pointer is only a mark. */
static inline bool record_has_bytes(const struct record *record) {
  return record->bitmap == record->counters && record->bitmap_size;
}

/* Bytes of the bitmap that these make. */
static inline uint32_t record_bitmap(uint32_t bits) {
  return bits / 8 + (bits % 8 != 0);
}

/* Sets bit i of the bitmap if byte i says that it ran. */
static inline void record_fold(unsigned char *bitmap,
                               const unsigned char *bytes, uint32_t bits) {
  memset(bitmap, 0, record_bitmap(bits));
  for (uint32_t i = 0; i < bits; i++)
    if (!bytes[i])
      bitmap[i / 8] |= (unsigned char)(1u << i % 8);
}

/* Writes a record. Fields that the version lacks are lost. The bytes between
 * fields stay. */
static inline void record_write(const struct record_form *form,
                                unsigned char *at, uint64_t address,
                                const struct record *from) {
  const struct bareprof_layout *layout = form->layout;
  unsigned char *counts = at + layout->counts_at;
  unsigned pointer = form->pointer;
  uint64_t base = form->absolute ? 0 : address;
  store64(at, from->name, form->big);
  store64(at + 8, from->hash, form->big);
  store_number(at + 16, from->counters - base, pointer, form->big);
  store_number(counts - 2 * pointer, from->function, pointer, form->big);
  store_number(counts - pointer, from->values, pointer, form->big);
  store32(counts, from->counter_count, form->big);
  for (unsigned kind = 0; kind < layout->kinds; kind++)
    store16(counts + 4 + 2 * kind, from->sites[kind], form->big);
  if (layout->bitmap_at) {
    store_number(counts - 3 * pointer,
                 from->has_bitmap ? from->bitmap - base : 0, pointer,
                 form->big);
    store32(at + layout->bitmap_at, from->bitmap_size, form->big);
  }
}

/* ---- claims.c ----
 *
 * The check that no two functions have a counter or a byte of bitmap in common.
 * All readers of records make it: of images (doctor, report, join) and of raw
 * profiles (merge). Claims are inside their pieces.
 */

struct claims {
  struct record_form form;
  struct bytes records;
  uint64_t address;          /* of the first record, as record_read takes it */
  uint64_t counters, bitmap; /* what is subtracted from a record's pointers */
  unsigned counter_size;     /* bytes */
};

/* Several records may be of one function: a linker keeps one of its
 * definitions, and may keep all their records. *twins: from malloc, a byte a
 * record, not 0 if an earlier record is of the same function; or NULL: there
 * are none. Returns NULL or the error. Takes n log n, or n if the records are
 * in the order of their counters. */
const char *claims_check(const struct claims *of, unsigned char **twins);

/* ---- placed.c ----
 *
 * Images whose counters have no section of their own, so only the records say
 * where they are: counters that `bareprof cc --place=bss` put into the vendor's
 * .bss, and those of -profile-correlate=binary that a script put elsewhere. The
 * records are not loaded, and have addresses. The counters of all functions are
 * put into one row, and so are the bitmaps; the records are changed to fit.
 */

/* Bytes of the target's memory, and where they go in the piece. */
struct image_range {
  uint64_t address, size;
  uint64_t offset;
  unsigned piece; /* BAREPROF_PIECE_COUNTERS or BAREPROF_PIECE_BITMAP */
};

/* By ascending address; no range overlaps another, none is empty, and those of
 * one piece that touch are one. */
struct image_ranges {
  struct image_range *list; /* from malloc */
  size_t count;
};

struct placed {
  struct image_ranges ranges;
  struct piece counters, bitmap; /* as if they were together: addresses are
                                    multiples of 8, near the first function's */
  unsigned char *records;        /* of functions that are linked: distances, as
                                    if they began at address 0 */
  size_t records_size;
};

/* Reads records of addresses. size: bytes of a counter on the target. Functions
 * that the linker dropped have counters at 0, and are left out. Returns NULL or
 * the error: a record points outside the ELF's memory, or two share a counter.
 * The caller calls placed_free in both cases. */
const char *placed_read(struct placed *placed, const struct elf *elf,
                        const struct record_form *form, struct bytes records,
                        unsigned size);

/* Finds what names the build: the build id; or, because no code of such an
 * image could tell one and many vendors' links have none, a digest of records,
 * names and mapping, in room. false: the ELF has neither. */
bool image_id(const struct elf *elf, struct bytes *id, unsigned char room[16]);

void placed_free(struct placed *placed);

/* Returns the names of an image compiled with =debug-info, in the form of the
 * section __llvm_prf_names; no names for other images. The caller frees the
 * names. *lost: the image has bitmaps of unknown functions, so MC/DC is lost.
 * Returns NULL or the error. */
const char *image_names(const struct elf *elf, struct buffer *names,
                        bool *lost);

/* Maps an ELF whose objects count in one way. Returns 0, or prints the error
 * and returns 1. */
struct file;
int image_map(struct elf *elf, struct file *file, const char *name);

/* Makes a snapshot of the image: constant pieces known, counters and bitmap not
 * (at their initial value). version: the word. Returns NULL or the error; after
 * an error there is nothing to free. Constant pieces stay in the memory of the
 * ELF where possible: free the snapshot with image_free while elf is still
 * open. */
const char *image_read(struct snapshot *snapshot, const struct elf *elf,
                       uint64_t version);
void image_free(struct snapshot *snapshot, const struct elf *elf);

/* Finds the memory of the target that holds counters and bitmaps, by ascending
 * address. An image with a section for each has one range of each; of others,
 * the records say where they are. version: the word. The offsets are those of
 * the target's bytes: a counter of 4 bytes takes 4. Returns NULL or the error.
 * The caller frees ranges->list in both cases. */
const char *image_ranges(const struct elf *elf, uint64_t version,
                         struct image_ranges *ranges);

/* The raw versions whose format the writer accepts for the image's records, one
 * bit each. If there are none, the reason, for the likeliest version. */
const char *image_versions(const struct elf *elf, uint64_t variant,
                           uint32_t likely, uint32_t *versions);

/* Replaces the bytes of a piece of an image's snapshot. The new bytes come from
 * malloc. */
void image_replace(struct snapshot *snapshot, const struct elf *elf,
                   unsigned piece, unsigned char *bytes);

/* Rewrites the records of an image's snapshot for another raw version. Returns
 * NULL, or the part that the version cannot express (a bitmap before version 9,
 * ...). */
const char *image_convert(struct snapshot *snapshot, const struct elf *elf,
                          unsigned raw);

/* ---- join_dump.c ----
 *
 * Joins an image and its counts into a profile. The counts come from lean (or
 * full) dumps, memory images and cores, and add up. The functions return 0, or
 * print the error and return 1.
 */

struct join {
  /* From the caller; elf is open. */
  const struct elf *elf;
  const char *elf_name;
  unsigned raw; /* version of the profile; 0: the image's version */
  /* Only for join_dump.c, 0 at first. */
  bool begun;
  struct snapshot profile; /* once begun */
  size_t dumps;            /* how many have been added */
  struct image_ranges ranges;
};

/* Adds a dump without gaps. Its build id must be that of the ELF. */
int join_dump(struct join *join, const char *name, const struct snapshot *dump);

/* Adds the content of memory from an address on. All counters and the bitmap
 * must be in this memory. The guard word and the build id are checked if they
 * are there, too. */
int join_memory(struct join *join, const char *name, struct bytes memory,
                uint64_t address);

/* The same for a file: a dump (.bpdump), a core, or, if it is neither, bare
 * counters and the memory behind them: the bitmap, if any, and the rest up to
 * the guard word. */
int join_file(struct join *join, const char *name, struct bytes file);

/* Adds what a trace counted. */
struct traced;
int join_traced(struct join *join, const char *name,
                const struct traced *traced);

/* Writes the profile to out (a name). */
int join_write(struct join *join, const char *out);

void join_free(struct join *join);

/* ---- mipform ----
 *
 * How bytes of MIP's raw section can change as code runs. Everything is in this
 * header, because only snapshot.c and raw_write.c need it.
 */

/* The form of the raw bytes behind the header. If there are blocks among the
 * counts, only the map distinguishes them. */
enum mip_form {
  MIP_FORM_BYTES,
  MIP_FORM_COUNTS,
  MIP_FORM_MIXED,
  MIP_FORM_EDGES
};

/* Returns the form by the header of the raw section, in the target's byte
 * order. MIXED if the header is unknown, that is, all zeros. */
static inline enum mip_form mip_form_of(const unsigned char *header, bool big) {
  enum { BLOCKS = 2, COUNTED = 4 | 8 };
  uint32_t type = load32(header + 8, big);
  if (type && !(type & COUNTED))
    return MIP_FORM_BYTES;
  return !type || (type & BLOCKS) ? MIP_FORM_MIXED : MIP_FORM_COUNTS;
}

/* Whether a byte, or a word, can go from `then` to `now`. All ones: never. */
static inline bool mip_byte_grew(unsigned then, unsigned now) {
  return then == 0xFF || now != 0xFF;
}

/* which: 0 is the first word behind the header, or of the table of edges.
 * The table has the lost calls, and then callee, call site and count of each
 * edge. */
static inline bool mip_word_grew(enum mip_form form, uint32_t which,
                                 uint32_t then, uint32_t now) {
  if (form == MIP_FORM_EDGES)
    return which % 3 == 0 ? now >= then : then == 0 || now == then;
  return then == UINT32_MAX ||
         (now != UINT32_MAX && (form != MIP_FORM_COUNTS || now >= then));
}

#endif
