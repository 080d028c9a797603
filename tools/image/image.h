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

/* ---- debug_correlation.c ----
 *
 * Makes records and names for an image that has both only in debug information
 * (-profile-correlate=debug-info). */

struct debug_correlation {
  struct buffer functions,
      names; /* `functions` holds struct described_function, `names` a
                   section of names */
  /* The number of functions. The number is 0 if debug information does not
   * describe the functions of this image. */
  size_t count;
  bool lost; /* the image has bitmaps, but the functions of the bitmaps are
                unknown */
};

/* The ELF, and its sections that have the counters of the functions to find. */
struct debug_correlation_input {
  const struct elf *elf;
  struct elf_section counters, bitmaps;
};

/* Finds the functions whose counters are in the section. Returns NULL or the
 * error. The caller calls debug_correlation_free in both cases. */
const char *debug_correlation_read(struct debug_correlation *described,
                                   const struct debug_correlation_input *in);

/* Makes a section with the names of all functions that debug information
 * describes, including functions that the linker dropped. Returns NULL or the
 * error. The caller frees the names in both cases. */
const char *debug_correlation_make_names(const struct elf *elf,
                                         struct buffer *names);

void debug_correlation_free(struct debug_correlation *described);

/* Fills in the records and names of a snapshot whose header has the sizes of
 * both. The records are made as if the first one were at address 0. Returns
 * NULL or the error. */
const char *
debug_correlation_fill_snapshot(const struct debug_correlation *described,
                                struct snapshot *snapshot);

/* ---- record ----
 *
 * Reads and writes the record of a function, which LLVM calls function data
 * (__llvm_prf_data), of any raw version, machine and byte order. No other code
 * depends on the positions of the fields. The positions come from
 * runtime/image_layout.c, compiled with BAREPROF_FOREIGN. */

enum { RECORD_KINDS = 3 };

/* The layout of records in an image. */
struct record_format {
  const struct bareprof_layout *layout;
  unsigned pointer; /* size of a pointer in bytes: 4 or 8 */
  bool big;
  bool absolute; /* pointers are addresses, not offsets from the record */
};

struct record {
  uint64_t name, hash;
  uint64_t counters, bitmap; /* addresses of the counters and of the bitmap,
                                `pointer` bytes long */
  bool has_bitmap;           /* the bitmap pointer in the record is not 0 */
  uint64_t function, values; /* the two pointers, unchanged from the record */
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
 * (from raw version 9 on), FunctionPointer and Values. `address` is the
 * record's address, or the record's offset from the first record if pointers
 * are relative to the first record. */
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

/* Returns whether the function's MC/DC outcomes are bytes (`bareprof cc
 * --mcdc=bytes`). If so, these bytes are the last bitmap_size counters of the
 * function, and the bitmap pointer only marks this. Each counter then has one
 * byte. A record with only such counters is damaged. */
static inline bool record_has_mcdc_bytes(const struct record *record) {
  return record->bitmap == record->counters && record->bitmap_size;
}

/* Returns how many bitmap bytes hold a number of bits. */
static inline uint32_t record_bitmap_bytes(uint32_t bits) {
  return bits / 8 + (bits % 8 != 0);
}

/* Sets bit i of the bitmap if byte i says that the outcome occurred. */
static inline void record_bytes_to_bitmap(unsigned char *bitmap,
                                          const unsigned char *bytes,
                                          uint32_t bits) {
  memset(bitmap, 0, record_bitmap_bytes(bits));
  for (uint32_t i = 0; i < bits; i++)
    if (!bytes[i])
      bitmap[i / 8] |= (unsigned char)(1u << i % 8);
}

/* Writes a record. The function leaves out fields that the raw version lacks,
 * and does not change the padding between fields. */
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
  uint64_t address; /* address of the first record: see record_read */
  /* The addresses of both pieces, which are subtracted from record pointers. */
  uint64_t counters, bitmap;
  unsigned counter_size; /* size of a counter in bytes */
};

/* Several records may describe the same function, because a linker may keep one
 * definition of the function but the records of all definitions. *twins becomes
 * NULL if each function has only one record. Otherwise *twins becomes an array
 * with a byte for each record; the byte is not 0 if an earlier record describes
 * the same function. The caller frees *twins. Returns NULL or the error. The
 * time for n records grows with n if the records are in the order of their
 * counters, and with n log n otherwise. */
const char *shared_counters_check_and_mark(const struct record_table *of,
                                           unsigned char **twins);

/* ---- bss_counters.c ----
 *
 * Reads images whose counters do not have a section of their own. Only the
 * records say where the counters of these images are: `bareprof cc --place=bss`
 * puts counters into the vendor's .bss, and with -profile-correlate=binary a
 * linker script may put counters elsewhere. The records of these images are not
 * loaded, and contain addresses. Functions below join the counters of all
 * functions into one piece and all bitmaps into another, and change the records
 * to match. */

/* A range of the target's memory, and the range's offset in the piece. */
struct image_range {
  uint64_t address, size;
  uint64_t offset;
  unsigned piece; /* BAREPROF_PIECE_COUNTERS or _BITMAP */
};

/* The ranges of an image's memory, by ascending address. Ranges are not empty
 * and do not overlap. Adjacent ranges of one piece are merged. */
struct image_ranges {
  struct image_range *list; /* the caller frees it */
  size_t count;
};

struct bss_counters {
  struct image_ranges ranges;
  /* The joined pieces. Their addresses are multiples of 8 near the addresses of
   * the first function's counters and bitmap. */
  struct dump_piece counters, bitmap;
  unsigned char *records; /* records of the linked functions, with offsets as if
                             the first record were at address 0 */
  size_t records_size;
};

/* Reads records that contain addresses. `size` is the size of a counter on the
 * target. Functions that the linker dropped have counters at address 0; they
 * are left out. Returns NULL or the error: a record points outside the ELF's
 * memory, or two records share a counter. The caller calls bss_counters_free in
 * both cases. */
const char *bss_counters_read(struct bss_counters *placed,
                              const struct elf *elf,
                              const struct record_format *form,
                              struct bytes records, unsigned size);

/* Finds or makes what identifies the build: the build id or, if an image with
 * counters in .bss lacks a build id, a digest of records, names and mapping.
 * The function writes the digest to `room`. Many vendors' links lack a build
 * id, and the firmware of such an image could not send one. Returns false if
 * the ELF has neither. */
bool image_find_or_make_id(const struct elf *elf, struct bytes *id,
                           unsigned char room[16]);

void bss_counters_free(struct bss_counters *placed);

/* ---- convert_version.c ---- */

/* Rewrites the records of an image's snapshot for another raw version. Returns
 * NULL, or the name of the part that this version cannot express, such as a
 * bitmap before version 9. */
const char *image_convert_version(struct snapshot *snapshot,
                                  const struct elf *elf, unsigned raw);

/* ---- image.c ---- */

/* Makes the names of an image compiled with -profile-correlate=debug-info,
 * encoded as in section __llvm_prf_names. For other images *names stays empty.
 * The caller frees the names. *lost becomes true if the functions of bitmaps
 * are unknown, so that MC/DC is lost. Returns NULL or the error. */
const char *image_make_debug_names(const struct elf *elf, struct buffer *names,
                                   bool *lost);

/* Opens an ELF file. If objects of the ELF count in different ways, this is an
 * error. Returns 0, or prints the error and returns 1. */
struct file;
int image_open_file(struct elf *elf, struct file *file, const char *name);

/* Makes a snapshot of the image. The constant pieces are known in the snapshot.
 * Counters and bitmap are unknown and hold their initial values. `version` is
 * the version word. Returns NULL or the error; after an error there is nothing
 * to free. Constant pieces point into the ELF where possible, so call
 * image_free while elf is still open. */
const char *image_read(struct snapshot *snapshot, const struct elf *elf,
                       uint64_t version);
void image_free(struct snapshot *snapshot, const struct elf *elf);

/* Lists the ranges of the target's memory that hold counters and bitmaps, by
 * ascending address. The ranges are the sections of counters and bitmaps, if
 * the image has these; otherwise the records point to the ranges. `version` is
 * the version word. Offsets count bytes of the target, so a 4-byte counter
 * takes 4. Returns NULL or the error. The caller frees ranges->list in any
 * case. */
const char *image_list_count_ranges(const struct elf *elf, uint64_t version,
                                    struct image_ranges *ranges);

/* Sets *versions to the raw versions that fit the image's records, one bit
 * each. Returns NULL or, if no version fits, the error of the likeliest
 * version. */
const char *image_find_possible_versions(const struct elf *elf,
                                         uint64_t variant, uint32_t likely,
                                         uint32_t *versions);

/* Replaces the bytes of a piece in an image's snapshot. The function takes
 * ownership of the new bytes, which malloc allocated. */
void image_replace_piece(struct snapshot *snapshot, const struct elf *elf,
                         unsigned piece, unsigned char *bytes);

/* ---- join_dump.c ----
 *
 * Makes a profile from an image and its counts. The counts come from lean (or
 * full) dumps, memory images and cores; the counts of several inputs are added.
 * The functions return 0, or print the error and return 1.
 */

struct image_join {
  /* The caller sets these three members, and opens elf before. */
  const struct elf *elf;
  const char *elf_name;
  unsigned raw; /* raw version of the profile to write; 0: the version of the
                   image */
  /* Bits of the warnings that were printed; 0 at first. The next join of the
   * same ELF may get these bits, so that each warning is printed once. */
  unsigned char warned;
  /* Only join_dump.c uses these members, which must be 0 at first. */
  bool begun;
  struct snapshot profile; /* the profile so far, valid if `begun` is set */
  size_t dumps;            /* number of inputs that have been added */
  struct image_ranges ranges;
};

/* Adds a complete dump. The dump's build id must match the ELF's. */
int join_dump(struct image_join *join, const char *name,
              const struct snapshot *dump);

/* Adds the counts in a copy of the target's memory, which starts at `address`.
 * The copy must contain all counters and the bitmap. If the copy contains the
 * guard word and the build id, the function checks both. */
int join_add_memory(struct image_join *join, const char *name,
                    struct bytes memory, uint64_t address);

/* Adds the counts in a file: a dump (.bpdump), a core, a trace, or a memory
 * image that starts with the counters. The bitmap, if any, and the rest of the
 * memory up to the guard word must follow the counters. */
int join_add_file(struct image_join *join, const char *name, struct bytes file);

/* Adds the counts of a trace. */
struct trace_counts;
int join_add_trace(struct image_join *join, const char *name,
                   const struct trace_counts *traced);

/* Writes the profile to a file with the name `out`. */
int join_write(struct image_join *join, const char *out);

void join_free(struct image_join *join);

/* ---- mip_format ----
 *
 * Says how the bytes of MIP's raw section may change as code runs. snapshot.c
 * and raw_write.c use these functions. */

/* The format of the raw bytes after the header. If a section has counts and
 * blocks, only the MIP map says which bytes are counts. */
enum mip_format {
  MIP_FORM_BYTES,
  MIP_FORM_COUNTS,
  MIP_FORM_MIXED,
  MIP_FORM_EDGES
};

/* Returns the format that the header of the raw section shows. The header is in
 * the target's byte order. Returns MIXED if all bytes of the header are 0. */
static inline enum mip_format mip_format_of(const unsigned char *header,
                                            bool big) {
  enum { BLOCKS = 2, COUNTED = 4 | 8 };
  uint32_t type = load32(header + 8, big);
  if (type && !(type & COUNTED))
    return MIP_FORM_BYTES;
  return !type || (type & BLOCKS) ? MIP_FORM_MIXED : MIP_FORM_COUNTS;
}

/* Returns whether a byte may change from the value `then` to the value `now` as
 * code runs. 0xFF means that the code has never run. */
static inline bool mip_byte_may_follow(unsigned then, unsigned now) {
  return then == 0xFF || now != 0xFF;
}

/* Does the same for a word, whose bits are all set before the code runs.
 * `which` is the word's index after the header, or its index in the table of
 * edges. The table of edges starts with the number of lost calls; then come the
 * callee, the call site and the count of each edge. */
static inline bool mip_word_may_follow(enum mip_format form, uint32_t which,
                                       uint32_t then, uint32_t now) {
  if (form == MIP_FORM_EDGES)
    return which % 3 == 0 ? now >= then : then == 0 || now == then;
  return then == UINT32_MAX ||
         (now != UINT32_MAX && (form != MIP_FORM_COUNTS || now >= then));
}

#endif
