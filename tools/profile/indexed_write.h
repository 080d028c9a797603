/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Indexed profiles (.profdata), as compilers and llvm-cov read them: versions 4
 * to 13. The bytes equal those of the llvm-profdata of that version, as far as
 * its output is deterministic. (llvm-profdata compresses names of vtables with
 * zlib; bareprof stores them uncompressed.)
 *
 *   index version   7  8  9 10 11 12 13
 *   written by LLVM 14 15 16 17 18 19 22    read by that one and later ones
 */
#ifndef BAREPROF_TOOLS_INDEXED_WRITE_H
#define BAREPROF_TOOLS_INDEXED_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model.h"

enum { INDEXED_OLDEST = 4, INDEXED_NEWEST = 13 };

/* From this version on IR profiles name local functions `file;name`, before
 * that `file:name`; see translate.h. */
enum { INDEXED_SEMICOLON = 11 };

/* Returns the version that this LLVM release's llvm-profdata writes; or 11,
 * which it reads, if MC/DC bitmaps are of LLVM 18. llvm 0: the oldest version
 * from 7 on that can hold the whole profile. Returns 0 if
 * there is none; *why_not gives the reason. Otherwise *why_not is NULL or names
 * a part that is left out without harm (build ids).
 *
 * clang 22 cuts the hashes of -fprofile-instr-generate to 60 bits, and looks
 * for cut hashes in version 13, for full hashes in older versions. Version 13
 * is written with cut hashes. An older version is refused if a record has only
 * a cut hash. If no reader can tell the kind of hash (raw profiles of version
 * 10, and text), llvm 0 gives an older version. That version is right for
 * llvm-cov, and for -fprofile-instr-use up to clang 21. */
unsigned indexed_version_for(const struct profile *profile, unsigned llvm,
                             const char **why_not);

/* Returns the part of the profile that a version cannot hold, as `what; what to
 * do`; or NULL. */
const char *indexed_refuses(const struct profile *profile, unsigned version);

struct indexed_options {
  unsigned version;
  bool sparse;       /* without the functions that never ran */
  bool vtable_names; /* since version 12, for people: compilers ignore them;
                        llvm-profdata's --keep-vtable-symbols */
};

/* Writes the profile. Returns NULL or the error; after an error the stream's
 * content is unusable. Errors of the stream are ignored here. */
const char *indexed_write(const struct profile *profile, FILE *stream,
                          const struct indexed_options *options);

struct memprof_place {
  unsigned version; /* 0 to 4; 0 has no number of its own */
  uint64_t from, to;
};

/* Returns NULL or the error; after an error some bytes may be changed. */
const char *memprof_move(unsigned char *bytes, size_t size,
                         const struct memprof_place *place);

#endif
