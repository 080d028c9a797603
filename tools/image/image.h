/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the profile in an ELF: everything except the counts. Supports full
 * images (bareprof.ld), lean ones (bareprof-lean.ld), images compiled with
 * -profile-correlate=binary or =debug-info, and the files that `bareprof
 * extract` makes from them. The result is a snapshot without counts;
 * join_dump.c adds the counts.
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

/* ---- debug_correlation.c ----
 *
 * Makes records and names for an image that has them only in debug information
 * (-profile-correlate=debug-info). */

struct debug_correlation {
  struct buffer functions,
      names;    /* functions holds struct described_function, names the section
                   of names */
  size_t count; /* number of functions; 0: not such an image */
  bool lost;    /* the image has bitmaps, but their functions are unknown */
};

/* The ELF and the sections in which functions are searched. */
struct debug_correlation_input {
  const struct elf *elf;
  struct elf_section counters, bitmaps;
};

/* Finds the functions whose counters are in the section. Returns NULL or the
 * error. The caller calls debug_correlation_free in both cases. */
const char *debug_correlation_read(struct debug_correlation *described,
                                   const struct debug_correlation_input *in);

/* Makes a section of names of all functions that debug information describes,
 * including functions that the linker dropped. Returns NULL or the error. The
 * caller frees the names in both cases. */
const char *debug_correlation_make_names(const struct elf *elf,
                                         struct buffer *names);

void debug_correlation_free(struct debug_correlation *described);

/* Fills in the records and names of a snapshot whose header has their sizes.
 * The records are for address 0. Returns NULL or the error. */
const char *debug_correlation_fill(const struct debug_correlation *described,
                                   struct snapshot *snapshot);

/* ---- record ----
 *
 * Reads and writes the record of a function, which LLVM calls function data
 * (__llvm_prf_data), of any raw version, machine and byte order. Only the code
 * below depends on where the fields are. The positions come from
 * runtime/image_layout.c, compiled with BAREPROF_FOREIGN. */

enum { RECORD_KINDS = 3 };

/* The layout of records in an image. */
struct record_format {
  const struct bareprof_layout *layout;
  unsigned pointer; /* size of a pointer: 4 or 8 bytes */
  bool big;
  bool absolute; /* pointers are addresses, not offsets from the record */
};

struct record {
  uint64_t name, hash;
  uint64_t counters, bitmap; /* addresses, which have `pointer` bytes */
  bool has_bitmap;           /* the bitmap pointer is not 0 */
  uint64_t function, values; /* addresses as stored */
  uint32_t counter_count, bitmap_size;
  uint16_t sites[RECORD_KINDS];
};

/* Returns the format of records for a version word. layout is NULL if the
 * version is unknown. */
static inline struct record_format record_format_of(uint64_t version, bool wide,
                                                    bool big) {
  const struct bareprof_image image = {.version = &version,
                                       .pointer_size = wide ? 8 : 4};
  const struct bareprof_layout *layout = bareprof_layout_find(&image);
  return (struct record_format){layout, image.pointer_size, big,
                                layout && layout->fields & BAREPROF_ABSOLUTE};
}

/* Truncates an address to the machine's pointer size. */
static inline uint64_t record_narrow_address(const struct record_format *form,
                                             uint64_t address) {
  return form->pointer == 4 ? (uint32_t)address : address;
}

/* Reads a record. The last three pointers before NumCounters are BitmapPtr
 * (from raw 9 on), FunctionPointer and Values. `address` is the record's
 * address, or its offset from the first record if pointers are relative to the
 * first record. */
static inline void record_read(const struct record_format *form,
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
  to->counters = record_narrow_address(form, to->counters);
  for (unsigned kind = 0; kind < layout->kinds; kind++)
    to->sites[kind] = load16(counts + 4 + 2 * kind, form->big);
  if (layout->bitmap_at) {
    uint64_t bitmap = load_number(counts - 3 * pointer, pointer, form->big);
    to->has_bitmap = bitmap != 0;
    to->bitmap = record_narrow_address(form, bitmap + base);
    to->bitmap_size = load32(at + layout->bitmap_at, form->big);
  }
}

/* Whether the function's MC/DC outcomes are bytes (`bareprof cc --mcdc=bytes`).
 * Then these bytes are the last bitmap_size counters of the function, and the
 * bitmap pointer only marks this. Counters then have one byte each. If all
 * counters were such bytes, the record would be damaged. */
static inline bool record_has_mcdc_bytes(const struct record *record) {
  return record->bitmap == record->counters && record->bitmap_size;
}

/* Returns how many bitmap bytes so many bits take. */
static inline uint32_t record_bitmap_size(uint32_t bits) {
  return bits / 8 + (bits % 8 != 0);
}

/* Sets bit i of the bitmap if byte i says that the outcome occurred. */
static inline void record_bytes_to_bitmap(unsigned char *bitmap,
                                          const unsigned char *bytes,
                                          uint32_t bits) {
  memset(bitmap, 0, record_bitmap_size(bits));
  for (uint32_t i = 0; i < bits; i++)
    if (!bytes[i])
      bitmap[i / 8] |= (unsigned char)(1u << i % 8);
}

/* Writes a record. Fields that the raw version lacks are dropped. Padding
 * between fields stays unchanged. */
static inline void record_write(const struct record_format *form,
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

/* ---- shared_counters.c ----
 *
 * Checks that no two functions share a counter or a bitmap byte. All code that
 * reads records makes this check, for images (doctor, report, join) and for raw
 * profiles (merge). The caller has checked that each record's counters and
 * bitmap are inside their pieces. */

struct record_table {
  struct record_format form;
  struct bytes records;
  uint64_t address;          /* address of the first record, as for
                                record_read */
  uint64_t counters, bitmap; /* subtracted from each record's pointers */
  unsigned counter_size;     /* size of a counter in bytes */
};

/* Several records may describe the same function, because a linker may keep one
 * definition of the function but the records of all definitions. *twins becomes
 * NULL without such records. Otherwise *twins gets a byte for each record,
 * which is not 0 if an earlier record has the same function; the caller frees
 * *twins. Returns NULL or the error. Takes time n if the records are in the
 * order of their counters, otherwise n log n. */
const char *shared_counters_check(const struct record_table *of,
                                  unsigned char **twins);

/* ---- bss_counters.c ----
 *
 * Reads images whose counters lack a section of their own, so only the records
 * say where the counters are: `bareprof cc --place=bss` puts them into the
 * vendor's .bss, and with -profile-correlate=binary a script may put them
 * elsewhere. Such records are not loaded and contain addresses. The counters of
 * all functions are joined into one piece, and so are the bitmaps; the records
 * are changed to match. */

/* A range of the target's memory, and the range's offset in the piece. */
struct image_range {
  uint64_t address, size;
  uint64_t offset;
  unsigned piece; /* BAREPROF_PIECE_COUNTERS or _BITMAP */
};

/* The ranges, by ascending address. Ranges are not empty and do not overlap;
 * adjacent ranges of one piece are merged. */
struct image_ranges {
  struct image_range *list; /* the caller frees it */
  size_t count;
};

struct bss_counters {
  struct image_ranges ranges;
  struct dump_piece counters,
      bitmap;                    /* the joined pieces: addresses are multiples
                                    of 8, near the first function's */
  unsigned char *records;        /* records of linked functions, with offsets as
                                    if they began at address 0 */
  size_t records_size;
};

/* Reads records that contain addresses. `size` is the size of a counter on the
 * target. Functions that the linker dropped have their counters at 0, and are
 * left out. Returns NULL or the error: a record points outside the ELF's
 * memory, or two records share a counter. The caller calls bss_counters_free in
 * both cases. */
const char *bss_counters_read(struct bss_counters *placed,
                              const struct elf *elf,
                              const struct record_format *form,
                              struct bytes records, unsigned size);

/* Finds what identifies the build: the build id or, for an image with counters
 * in .bss, a digest of records, names and mapping, which is written to `room`.
 * Many vendors' links lack a build id, and the firmware of such an image could
 * not send one. Returns false if the ELF has neither. */
bool image_find_id(const struct elf *elf, struct bytes *id,
                   unsigned char room[16]);

void bss_counters_free(struct bss_counters *placed);

/* Makes the names of an image compiled with =debug-info, encoded as in section
 * __llvm_prf_names. For other images *names stays empty. The caller frees the
 * names. *lost becomes true if the image has bitmaps of unknown functions, so
 * that MC/DC is lost. Returns NULL or the error. */
const char *image_make_debug_names(const struct elf *elf, struct buffer *names,
                                   bool *lost);

/* Opens an ELF. An ELF whose objects count in different ways is an error.
 * Returns 0, or prints the error and returns 1. */
struct file;
int image_open_file(struct elf *elf, struct file *file, const char *name);

/* Makes a snapshot of the image. Constant pieces are known; counters and bitmap
 * are not, and hold their initial value. `version` is the version word. Returns
 * NULL or the error; after an error there is nothing to free. Constant pieces
 * point into the ELF where possible, so call image_free while elf is still
 * open. */
const char *image_read(struct snapshot *snapshot, const struct elf *elf,
                       uint64_t version);
void image_free(struct snapshot *snapshot, const struct elf *elf);

/* Finds the target memory that holds counters and bitmaps, by ascending
 * address. The ranges are the sections of counters and bitmaps, if the image
 * has them; otherwise the records point to them. `version` is the version word.
 * Offsets count bytes of the target: a 4-byte counter takes 4. Returns NULL or
 * the error. The caller frees ranges->list in both cases. */
const char *image_find_ranges(const struct elf *elf, uint64_t version,
                              struct image_ranges *ranges);

/* Sets *versions to the raw versions that fit the image's records, one bit
 * each. Returns NULL or, if no version fits, the error of the likeliest
 * version. */
const char *image_find_versions(const struct elf *elf, uint64_t variant,
                                uint32_t likely, uint32_t *versions);

/* Replaces the bytes of a piece in an image's snapshot, and takes ownership of
 * the new bytes, which come from malloc. */
void image_replace_piece(struct snapshot *snapshot, const struct elf *elf,
                         unsigned piece, unsigned char *bytes);

/* Rewrites the records of an image's snapshot for another raw version. Returns
 * NULL, or which part the other version cannot express, such as a bitmap before
 * version 9. */
const char *image_convert_version(struct snapshot *snapshot,
                                  const struct elf *elf, unsigned raw);

/* ---- join_dump.c ----
 *
 * Joins an image with its counts to a profile. The counts come from lean (or
 * full) dumps, memory images and cores; several inputs add up. The functions
 * return 0, or print the error and return 1.
 */

struct image_join {
  /* The caller sets these; elf is open. */
  const struct elf *elf;
  const char *elf_name;
  unsigned raw; /* raw version of the profile; 0: the image's version */
  /* Only for join_dump.c; 0 at first. */
  bool begun;
  struct snapshot profile; /* once begun */
  size_t dumps;            /* number of inputs that have been added */
  struct image_ranges ranges;
};

/* Adds a complete dump. The dump's build id must match the ELF's. */
int join_dump(struct image_join *join, const char *name,
              const struct snapshot *dump);

/* Adds counts from memory that starts at an address. All counters and the
 * bitmap must be in this memory. The guard word and the build id are checked if
 * this memory contains them. */
int join_add_memory(struct image_join *join, const char *name,
                    struct bytes memory, uint64_t address);

/* Adds counts from a file: a dump (.bpdump), a core, or bare counters. Bare
 * counters are followed by memory: the bitmap, if any, and the rest up to the
 * guard word. */
int join_add_file(struct image_join *join, const char *name, struct bytes file);

/* Adds the counts of a trace. */
struct trace_counts;
int join_add_trace(struct image_join *join, const char *name,
                   const struct trace_counts *traced);

/* Writes the profile to the file named out. */
int join_write(struct image_join *join, const char *out);

void join_free(struct image_join *join);

/* ---- mip_format ----
 *
 * Decides how bytes of MIP's raw section may change as code runs. snapshot.c
 * and raw_write.c use these functions. */

/* The format of the raw bytes after the header. If a section has counts and
 * blocks, only the map tells counts from blocks. */
enum mip_format {
  MIP_FORM_BYTES,
  MIP_FORM_COUNTS,
  MIP_FORM_MIXED,
  MIP_FORM_EDGES
};

/* Returns the format that the header of the raw section shows. The header is in
 * the target's byte order. Returns MIXED if the header is all zeros. */
static inline enum mip_format mip_format_of(const unsigned char *header,
                                            bool big) {
  enum { BLOCKS = 2, COUNTED = 4 | 8 };
  uint32_t type = load32(header + 8, big);
  if (type && !(type & COUNTED))
    return MIP_FORM_BYTES;
  return !type || (type & BLOCKS) ? MIP_FORM_MIXED : MIP_FORM_COUNTS;
}

/* Whether a byte, or a word, may change from the value `then` to the value
 * `now` as code runs. If all bits are 1, the code has never run. */
static inline bool mip_byte_may_follow(unsigned then, unsigned now) {
  return then == 0xFF || now != 0xFF;
}

/* Whether a word may change from the value `then` to the value `now` as code
 * runs. `which` is the word's index after the header, or in the table of edges.
 * The table starts with the number of lost calls, followed by callee, call site
 * and count of each edge. */
static inline bool mip_word_may_follow(enum mip_format form, uint32_t which,
                                       uint32_t then, uint32_t now) {
  if (form == MIP_FORM_EDGES)
    return which % 3 == 0 ? now >= then : then == 0 || now == then;
  return then == UINT32_MAX ||
         (now != UINT32_MAX && (form != MIP_FORM_COUNTS || now >= then));
}

#endif
