/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The files of MIP, read and written. All numbers are little-endian, except in
 * maps and data from targets: there they have the target's byte order, which
 * the magic shows. Each kind of file has two revisions. The last number of the
 * header, the header's size, distinguishes them. Both have version 8.
 *
 *   revision A             revision B
 *   0  u32 magic, FB 'M' 'I' 'P'
 *   4  u16 version, 8
 *   6  u16 file type: 1 raw, 2 map, 3 profile, 4 edges
 *                          in B bits: 1 raw, 2 edges, 4 map, 8 profile; 16: of
 *                          64 bits, 32: of 32 bits
 *   8  u32 profile type, enum mip_type
 *   12 u32 module hash
 *   16 u32 build           i64 raw section minus header, in maps (of 32 bits:
 *                          i32, 0)
 *   20 u32 24              24 u32 build; 28 u32 32
 * What bareprof links is of revision A, except the maps of assembly for
 * AArch64: their addresses may need 64 bits. The raw section to such a map is
 * of revision A, as all targets': it has no addresses.
 *
 * build is ours: the hash of the build id (runtime/mip.h), 0 if it is not
 * known, as in files of others. The linker leaves 0 in maps of an ELF, which
 * has the build id itself.
 *
 * Map, a record a function, each at a multiple of 8 (in B of 32 bits: of 4):
 *   A: i32 raw section, i32 its raw bytes, i32 its code: addresses, less
 *   anything that is the same in all three;
 *   B: i32 or i64 raw bytes, code: less the address of the record;
 *   u32 size, CFG signature, number n of blocks behind the entry, n offsets,
 *   with MIP_FOLLOWS: u32 number, numbers of struct mip_follows;
 *   u32 length of the name; the name.
 *
 * Raw, the section itself. For each function: a byte, 0xFF if the function did
 * not run; or u32 calls and u32 place in the order of first calls, both
 * 0xFFFFFFFF if the function did not run. With MIP_BLOCKS, a byte for each
 * block is behind that; with MIP_FOLLOWS, for those that follow from no other.
 *
 * Profile (.mip): u64 number of functions; each
 *   u64 MD5 of the name, (A: u32, B: u64) raw offset and code offset, u32 size,
 *   CFG signature, n, runs, u64 calls, order, (with MIP_FOLLOWS as in maps,)
 *   n times {u32 offset; u8 1 or 0},
 *   u32 0 (for edges, whose form was never published);
 *   u64 number of distinct names; these, sorted, each ended by a zero.
 * If there are edges, zeros follow to a multiple of 8, and then what is ours,
 * where other readers have stopped:
 *   FB 'B' 'P' 'E', u32 1, u64 calls lost, u64 number of edges, by callee and
 *   return address; each u32 callee, number of the function in this file, u32
 *   0, i64 return address less the raw section's, u64 calls.
 *
 * Edges (.mipret), all ours: u32 number of edges, u32 calls lost; each
 *   u32 callee, its raw offset, i32 return address less the raw section's, u32
 *   calls; zeros to a multiple of 8.
 */
#ifndef MIP_FILES_H
#define MIP_FILES_H

#include "../base/storage.h"
#include "../base/file.h"
#include "../object/elf.h"
#include "mip_model.h"

enum mip_kind { MIP_RAW, MIP_MAP, MIP_PROFILE, MIP_EDGES, MIP_KINDS };

struct mip_header {
  enum mip_revision revision;
  enum mip_kind kind;
  bool wide; /* false in revision A */
  bool big;  /* big-endian; only read */
  uint16_t version;
  uint32_t type, hash, build;
  int64_t raw_section; /* of a map of revision B */
};

/* Reads the header at the beginning of the bytes. Returns NULL or the error. */
const char *mip_header_read(struct mip_header *header, struct bytes bytes);

/* Adds one to a buffer. Returns NULL or the error. */
const char *mip_header_write(const struct mip_header *header,
                             struct buffer *to);

/* The header that a file of this profile has. */
struct mip_header mip_header_of(const struct mip_profile *profile,
                                enum mip_kind kind);

/* The reverse: takes a header's facts into the profile. */
void mip_header_take(struct mip_profile *profile,
                     const struct mip_header *header);

/* ---- to profiles; *profile need not be initialised before, and the caller
 * frees it in both cases. They return NULL or the error ---- */

/* Reads a map into a profile in which nothing has run. */
const char *mip_map_read(struct mip_profile *profile, struct bytes map);

const char *mip_profile_read(struct mip_profile *profile, struct bytes file);

/* ---- data from targets, added to the profile of their build ---- */

struct mip_raw_options {
  bool strict;     /* only 0 means covered; a byte other than 0 and 0xFF is an
                  error */
  bool same_build; /* take only files that name the profile's build */
};

/* Adds a file: raw sections and edges, one after the other, with nothing or
 * zeros or 0xFF between. Returns NULL or the error; after an error nothing was
 * added. */
const char *mip_raw_add(struct mip_profile *profile, struct bytes file,
                        const struct mip_raw_options *options);

/* Adds a file: a profile, or a target's data. Otherwise as mip_raw_add. */
const char *mip_add_file(struct mip_profile *to, struct bytes file,
                         const struct mip_raw_options *options);

/* ---- from profiles; they add to a buffer, and return NULL or the error
 * ---- */

/* Writes a map of revision A, or of the profile's revision. Addresses count
 * from the start of the raw section. */
const char *mip_map_write(const struct mip_profile *profile, struct buffer *to);

/* Edges must be settled. */
const char *mip_profile_write(const struct mip_profile *profile,
                              struct buffer *to);

/* ---- for the writers ---- */

const char *mip_put(struct buffer *to, uint64_t value, unsigned size);

struct mip_number {
  uint64_t value;
  unsigned size; /* bytes; 0: it is left out */
};
const char *mip_put_all(struct buffer *to, const struct mip_number *numbers,
                        size_t count);

/* Their number, and the numbers. */
const char *mip_put_follows(struct buffer *to,
                            const struct mip_function *function);

/* Zeros to a multiple of `align` of the buffer's size. */
const char *mip_align(struct buffer *to, unsigned align);

/* ---- by the names of files, for the commands: these return 0, or print the
 * error and return 1 ---- */

/* The largest size of a file, and of a map in an ELF. */
enum { MIP_FILE_LIMIT = 1 << 30 };

/* Reads the contents of an ELF's map. The caller frees *memory, which may be
 * NULL. Returns NULL or the error. */
const char *mip_elf_map(const struct elf *elf, struct bytes *map,
                        unsigned char **memory);

/* The hash of its build id; 0: it has none. */
uint32_t mip_build_of(const struct elf *elf);

/* Reads a .mip; or makes the empty profile of a map, in an ELF or extracted.
 * The caller frees *profile in both cases. */
int mip_load(struct mip_profile *profile, const char *name);

/* The same for the file's bytes; Returns NULL or the error. */
const char *mip_load_bytes(struct mip_profile *profile, struct bytes file);

/* Writes a .mip. */
int mip_save(const struct mip_profile *profile, const char *name);

/* Writes the bytes that a writer of files.h made; error is the writer's
 * result. */
int mip_save_bytes(const struct buffer *buffer, const char *error,
                   const char *name);

#endif
