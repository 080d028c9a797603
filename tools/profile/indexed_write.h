/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Indexed profiles (.profdata), as compilers and llvm-cov read them: versions
 * 4 to 13, the same bytes as llvm-profdata writes in its version, where that
 * writes the same each time. (Names of vtables, if wanted, it compresses by
 * zlib; here they are stored.)
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

/* From here on IR profiles have `file;name` for local functions, before that
 * `file:name`; see translate.h. */
enum { INDEXED_SEMICOLON = 11 };

/* The version to write for this LLVM release, as its own llvm-profdata does;
 * llvm is 0: the oldest that has all that the profile has, from 7 on. 0: there
 * is none, and *why_not says why. Otherwise *why_not is NULL, or says what is
 * left out and not missed (build ids).
 *
 * clang 22 cuts the hashes of -fprofile-instr-generate to 60 bits, and looks
 * for cut ones in version 13, for whole ones in older versions. Version 13 is
 * written with cut hashes. An older version is refused if a record has only a
 * cut hash. If no reader could tell (raw profiles of version 10, and text), 0
 * gives an older version, which is right for llvm-cov, and for
 * -fprofile-instr-use up to clang 21. */
unsigned indexed_version_for(const struct profile *profile, unsigned llvm,
                             const char **why_not);

/* What a version cannot hold of the profile: `what; what to do`, or NULL. */
const char *indexed_refuses(const struct profile *profile, unsigned version);

struct indexed_options {
  unsigned version;
  bool sparse;       /* without the functions that never ran */
  bool vtable_names; /* since version 12: for people, compilers do not look at
                        them; llvm-profdata's --keep-vtable-symbols */
};

/* Writes the profile. NULL, or what is wrong, and then what the stream has is
 * of no use. Errors of the stream itself are not looked at. */
const char *indexed_write(const struct profile *profile, FILE *stream,
                          const struct indexed_options *options);

struct memprof_place {
  unsigned version; /* 0 to 4; 0 has no number of its own */
  uint64_t from, to;
};

/* NULL, or what is wrong; then some may be changed. */
const char *memprof_move(unsigned char *bytes, size_t size,
                         const struct memprof_place *place);

#endif
