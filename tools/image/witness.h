/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which clangs have compiled an ELF, which raw version each writes, and which
 * one its records are of.
 */
#ifndef BAREPROF_TOOLS_WITNESS_H
#define BAREPROF_TOOLS_WITNESS_H

#include "../object/elf.h"

/* The last release that bit sets below have a place for. */
enum { COMPILER_LAST = 63 };

/* The releases named in a section such as .comment or .debug_str, as "clang
 * version 22.1.0" does: bit n for release n. */
uint64_t compiler_releases(const struct elf *elf, const char *section);

/* The raw version that a release writes and reads; 0: not known. */
unsigned compiler_raw(unsigned release);

/* Who says which raw version the records are of. */
struct witnesses {
  uint64_t symbol;     /* the word __llvm_profile_raw_version; 0: none */
  uint32_t compilers;  /* bit v: some clang that writes raw version v is named
                          in .comment or the debug information; 0: none is */
  uint32_t covmap;     /* the same by the version of the coverage mapping */
  uint32_t consistent; /* the same: records read so contradict nothing */
};

/* Looks for witnesses; word: of a dump of the image, which tells how it
 * counts, or 0. NULL, or what is wrong with the image. */
const char *image_witnesses(const struct elf *elf, uint64_t word,
                            struct witnesses *found);

/* The version word on which all witnesses agree; word: of a dump of the image,
 * which then is a witness too, or 0; raw: what the user decides, or 0. NULL,
 * or what they say against each other. */
const char *image_version(const struct witnesses *found, uint64_t word,
                          unsigned raw, uint64_t *version);

#endif
