/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads and writes MIP files: maps, raw data from targets, profiles. mip_raw.c
 * reads headers and raw data, mip_file.c reads the other parts. In memory, all
 * of these files become the profile of mip_model.h.
 *
 * All numbers are little-endian, except in maps and in data from targets, which
 * have the target's byte order. The magic shows the byte order. The format has
 * two revisions. The last number of the header, which is the header's size,
 * shows the revision. Both revisions have version 8.
 *
 *   revision A             revision B
 *   0  u32 magic, FB 'M' 'I' 'P'
 *   4  u16 version, 8
 *   6  u16 file type: 1 raw, 2 map, 3 profile, 4 edges
 *                          in B bits: 1 raw, 2 edges, 4 map, 8 profile; 16:
 *                          64-bit, 32: 32-bit
 *   8  u32 profile type, enum mip_type
 *   12 u32 module hash
 *   16 u32 build           in maps i64 raw section minus header (in 32-bit
 *                          maps: i32, u32 0)
 *   20 u32 24              24 u32 build; 28 u32 32
 *
 * Programs that bareprof instruments have data of revision A, except for the
 * maps of AArch64 assembly, whose addresses may need 64 bits. A raw section
 * lacks addresses, so the section always has revision A.
 *
 * `build` is bareprof's addition: the hash of the build id (runtime/mip.h). The
 * hash is 0 if the build id is not known, as in files of other tools. In the
 * maps of an ELF it is also 0, because the ELF itself has the build id.
 *
 * A map has one record per function, aligned to 8 bytes (in 32-bit B: to 4):
 *
 *   A: i32 raw section, i32 its raw bytes, i32 its code: addresses minus a
 *   number that is the same in all three;
 *   B: i32 or i64 raw bytes, code: addresses minus the address of the record;
 *   u32 size, CFG signature, number n of blocks after the entry, n offsets,
 *   with MIP_FOLLOWS: u32 number, numbers of struct mip_implications;
 *   u32 length of the name; the name.
 *
 * A raw file is the raw section itself. For each function it has one byte,
 * which is 0xFF if the function did not run; or u32 calls and u32 position in
 * the order of first calls, which are both 0xFFFFFFFF if the function did not
 * run; with MIP_SAMPLED, 8 more bytes follow (mip_raw.c). With MIP_BLOCKS, a
 * byte for each block follows. With MIP_FOLLOWS, bytes follow only for blocks
 * that no other block implies.
 *
 * A profile (.mip) has the u64 number of functions; for each function
 *
 *   u64 MD5 of the name, (A: u32, B: u64) raw offset and code offset, u32 size,
 *   CFG signature, n, runs, u64 calls, order, (with MIP_FOLLOWS as in maps,)
 *   n times {u32 offset; u8 1 or 0},
 *   u32 0 (for edges, whose format was never published);
 *
 * then the u64 number of distinct names, and the names, sorted, each with a
 * zero at its end. If the profile has edges, zeros up to a multiple of 8
 * follow, and then a part that only bareprof reads:
 *
 *   FB 'B' 'P' 'E', u32 1, u64 calls lost, u64 number of edges; for each edge,
 *   sorted by callee and return address: u32 callee, number of the function in
 *   this file, u32 0, i64 return address minus the raw section's, u64 calls.
 *
 * A file of edges (.mipret) is bareprof's own format: u32 number of edges, u32
 * calls lost; for each u32 callee, its raw offset, i32 return address minus the
 * raw section's, u32 calls; zeros up to a multiple of 8.
 */
#ifndef BAREPROF_TOOLS_MIP_FILE_H
#define BAREPROF_TOOLS_MIP_FILE_H

#include "../base/storage.h"
#include "../base/file.h"
#include "../object/elf.h"
#include "mip_model.h"

enum mip_kind { MIP_RAW, MIP_MAP, MIP_PROFILE, MIP_EDGES, MIP_KINDS };

/* The header of a MIP file. */
struct mip_header {
  enum mip_revision revision;
  enum mip_kind kind;
  bool wide; /* always false in revision A */
  bool big;  /* the file is big-endian; bareprof only reads such files */
  uint16_t version;
  uint32_t type, hash, build;
  int64_t raw_section; /* in a map of revision B, the raw section's address
                          minus the header's address */
};

/* ---- mip_raw.c ---- */

/* Parses the header at the beginning of the bytes. Returns NULL or the error.
 */
const char *mip_header_parse(struct mip_header *header, struct bytes bytes);

/* Appends a header to a buffer. */
void mip_header_append(const struct mip_header *header, struct buffer *to);

/* Makes the header for a file of this kind from the profile. */
struct mip_header mip_header_from_profile(const struct mip_profile *profile,
                                          enum mip_kind kind);

/* Copies the fields of a header into the profile. */
void mip_profile_set_header(struct mip_profile *profile,
                            const struct mip_header *header);

/* ---- mip_file.c: files to profiles ----
 *
 * *profile need not be initialised. The caller frees *profile in both cases.
 * These functions return NULL or the error. */

/* Reads a map. In the resulting profile, no function has run. */
const char *mip_map_parse(struct mip_profile *profile, struct bytes map);

/* Reads a .mip file into a profile. */
const char *mip_profile_parse(struct mip_profile *profile, struct bytes file);

/* ---- mip_raw.c: adding data from targets to the profile of the build ---- */

struct mip_raw_options {
  bool strict;     /* only 0 means that the code ran; bytes other than 0 and
                      0xFF are an error */
  bool same_build; /* accept only files that have the profile's build */
};

/* Adds a file from a target to the profile. The file has raw sections and
 * edges, one after the other, and may have bytes of 0 or 0xFF between these.
 * Returns NULL or the error; after an error nothing was added. */
const char *mip_raw_add(struct mip_profile *profile, struct bytes file,
                        const struct mip_raw_options *options);

/* Adds a .mip file or a file from a target. The options and results are as in
 * mip_raw_add. */
const char *mip_add_file(struct mip_profile *to, struct bytes file,
                         const struct mip_raw_options *options);

/* ---- mip_file.c: writing profiles, at the end of a buffer ---- */

/* Writes a map in the profile's revision of the format. The addresses are
 * distances from the beginning of the raw section. For revision B, the buffer
 * must be empty, because the addresses count from the map's beginning. */
void mip_map_append(const struct mip_profile *profile, struct buffer *to);

/* Writes a .mip file. The profile's edges must be sorted
 * (mip_sort_and_merge_edges). */
void mip_profile_append(const struct mip_profile *profile, struct buffer *to);

/* Appends a number in `size` bytes, little-endian. */
void mip_append_number(struct buffer *to, uint64_t value, unsigned size);

/* Writes zeros until the buffer's size is a multiple of `align`, at most 8. */
void mip_append_padding(struct buffer *to, unsigned align);

/* ---- mip_file.c: files by name, for commands ----
 *
 * These functions return 0, or print the error and return 1. */

/* The largest size of a file, or of a map in an ELF. */
enum { MIP_FILE_LIMIT = 1 << 30 };

/* Finds the map in an ELF. Returns NULL or the error. The caller frees *memory,
 * which may be NULL, after the last use of *map. */
const char *mip_find_elf_map(const struct elf *elf, struct bytes *map,
                             unsigned char **memory);

/* Returns the hash of an ELF's build id, or 0 if the ELF lacks a build id. */
uint32_t mip_build_hash(const struct elf *elf);

/* Reads a .mip file, a map in an ELF, or a map that was extracted from an ELF.
 * In a profile from a map, no function has run. The caller frees *profile in
 * both cases. */
int mip_load_profile(struct mip_profile *profile, const char *name);

/* Does the same as mip_load_profile, but with the bytes of a file. Returns NULL
 * or the error. */
const char *mip_parse_file(struct mip_profile *profile, struct bytes file);

/* Writes a .mip file. */
int mip_save_profile(const struct mip_profile *profile, const char *name);

#endif
