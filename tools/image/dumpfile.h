/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads and writes a lean dump's file (.bpdump), which has the counters and the
 * bitmap of an image. `bareprof receive` writes the file, and `bareprof join`
 * combines the file with its ELF. The format is bareprof's own:
 *
 *   bareprof dump 2
 *   kind 0                        as in a HEADER frame
 *   core 0
 *   image 0
 *   boot 0
 *   order little                  or big
 *   counter 8                     or 1: bytes
 *   pointer 4                     or 8, or - of a compact dump
 *   version 0x000000000000000a    the version word, or - with pointer -
 *   build-id 0123456789abcdef     hex, or -
 *   instant one                   or several
 *   piece 1 address 0x20000000 size 1576 known 0-100 120-197
 *   data 1600
 *
 * The lines end with LF and come in this order. Each present piece has a piece
 * line, with its number (0 records, 1 counters, 2 bitmap, 3 names, 4 vtables, 5
 * vtable names, 6 value slots: see slots.c) and the ranges of known elements
 * (begin-end, end excluded). The bytes of these pieces follow in the target's
 * byte order, one piece after the other, `data` bytes in total. The last 4
 * bytes are the little-endian CRC-32 of everything before. Unknown elements did
 * not run. In a compact dump the build id has 8 bytes and the addresses are 0,
 * because the ELF has them.
 */
#ifndef BAREPROF_TOOLS_DUMPFILE_H
#define BAREPROF_TOOLS_DUMPFILE_H

#include <stdio.h>

#include "../object/elf.h"
#include "../object/names.h"
#include "snapshot.h"

/* Writes the file to a stream. The caller checks the stream for errors. */
void dumpfile_write(const struct snapshot *snapshot, FILE *stream);

/* Returns whether the file begins like a dump file. */
bool dumpfile_is_dump(struct bytes file);

/* Reads a file. Returns NULL or the error. After an error the caller has
 * nothing to free. */
const char *dumpfile_read(struct snapshot *snapshot, struct bytes file);

/* ---- raw_write.c ----
 *
 * Writes a snapshot to a file. A snapshot with all pieces becomes a raw
 * profile, through the runtime's own writer: the bytes are the same as if
 * bareprof_write had sent the profile. A snapshot of MIP becomes a file with
 * MIP's raw section and its edges. A snapshot of samples becomes a file of
 * samples.
 */

/* Writes the raw profile of a snapshot to a stream. The caller checks the
 * stream for errors. Returns NULL or the image's error; after an error nothing
 * has been written. */
const char *raw_write_profile(const struct snapshot *snapshot, FILE *stream);

/* Returns whether the image has functions that store each MC/DC outcome in a
 * byte. raw_write_profile turns these bytes into bitmaps. */
bool snapshot_has_mcdc_bytes(const struct snapshot *snapshot);

/* Checks whether raw_write_profile can write the snapshot. The check covers
 * only the contents of the records. Returns NULL or the error. */
const char *raw_write_check(const struct snapshot *snapshot);

/* Returns the message for an error of an image (enum bareprof_error). */
const char *image_error_message(int error);

/* Returns whether the header of a MIP dump announces counts. A file of MIP data
 * with counts cannot describe gaps. */
bool mipfile_has_counts(const struct snapshot *snapshot);

/* The number of edges in a MIP dump, and the number of calls whose edges are
 * lost because there was no space. */
struct mipfile_edge_counts {
  uint32_t count, lost;
};
struct mipfile_edge_counts mipfile_count_edges(const struct snapshot *snapshot);

/* Writes a MIP dump to a stream as a file of raw MIP data. The caller checks
 * the stream for errors. Returns NULL or the dump's error; after an error
 * nothing has been written. */
const char *mipfile_write(const struct snapshot *snapshot, FILE *stream);

/* The number of samples that were taken, and the number of lost samples. */
struct samplesfile_counts {
  uint32_t taken, lost;
};
struct samplesfile_counts
samplesfile_read_counts(const struct snapshot *snapshot);

/* Writes the file of samples to a stream. The caller checks the stream for
 * errors. */
void samplesfile_write(const struct snapshot *snapshot, FILE *stream);

/* ---- functions.c ----
 *
 * Reads the instrumented functions of an image from the records and names in
 * its ELF, to find which counters and bitmap bytes belong to which function.
 * Callers use the functions to explain gaps in a dump and the meaning of a bare
 * memory image.
 *
 * Supports raw versions 7 to 11 in all variants: full images (bareprof.ld),
 * lean ones (bareprof-lean.ld, whose records lack addresses), and images
 * compiled with -profile-correlate=binary (records in __llvm_covdata) or
 * =debug-info (no records; see dwarf_counters_read in dwarf.h).
 */

struct image_function {
  const char *name;  /* NULL if the section of names lacks the name */
  uint64_t name_ref; /* low 64 bits of the name's MD5, see md5_low64 */
  uint64_t hash;     /* structural hash of the function */
  uint64_t counters; /* offset of the function's counters in __llvm_prf_cnts, in
                        bytes */
  uint32_t counter_count;
  /* The number of counters that are MC/DC outcomes. The outcomes are the last
   * counters of the function. */
  uint32_t mcdc_byte_count;
  uint32_t bitmap_size; /* size of the bitmap in bytes; 0: no bitmap */
  uint64_t bitmap;      /* offset of the bitmap in __llvm_prf_bits, in bytes */
};

struct image_functions {
  struct image_function *list; /* the functions, by ascending offset of their
                                  counters */
  size_t count;
  unsigned counter_size; /* size of a counter: 8, or 1 for byte counters */
  struct name_table names;
};

/* Reads the functions. version is the version word as in a dump's header: the
 * raw version in bits 0 to 31, the variant in bits 32 to 63. An ELF without a
 * dump may lack this word. Returns NULL or the error. The caller frees
 * *functions in both cases, and need not initialise *functions. elf is not
 * needed afterwards.
 *
 * Checks that the counters and bitmap of each function are inside their section
 * and belong to no other function. Records of another version usually fail this
 * check. */
const char *functions_read(struct image_functions *functions,
                           const struct elf *elf, uint64_t version);

void functions_free(struct image_functions *functions);

/* A function that the linker has dropped: objects use the function and the
 * coverage mapping has it, but no record describes it. */
struct dropped_function {
  uint64_t name; /* MD5 of the name */
};
typedef bool dropped_has(const void *context, uint64_t name);

/* Adds each dropped function once to the list, in ascending order. `has` tells
 * whether a record describes a function. Returns NULL or the error. */
const char *functions_read_dropped(const struct elf *elf, dropped_has *has,
                                   const void *context, struct buffer *list);

/* Fills gaps in constant pieces (records, names) from the ELF, if the ELF has
 * the same build id. */
void image_fill_constant_gaps(struct snapshot *snapshot, const struct elf *elf);

/* Lists the gaps of a snapshot on standard error: the missing elements and,
 * with an ELF of the same build, the functions of these elements. elf may be
 * NULL. */
void functions_print_gaps(const struct snapshot *snapshot, const char *elf_name,
                          const struct elf *elf);

#endif
