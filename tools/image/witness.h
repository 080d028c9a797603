/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the clang releases that compiled an ELF, the raw version that each
 * writes, and the raw version of the ELF's records.
 */
#ifndef BAREPROF_TOOLS_WITNESS_H
#define BAREPROF_TOOLS_WITNESS_H

#include "../object/elf.h"

/* The last release with a place in the bit sets below. */
enum { COMPILER_LAST = 63 };

/* The releases named in a section such as .comment or .debug_str, as "clang
 * version 22.1.0" does: bit n for release n. */
uint64_t compiler_releases(const struct elf *elf, const char *section);

/* Whether gcc compiled all of it, by what it says itself. */
bool compiler_is_gcc(const struct elf *elf);

/* The raw version that a release writes and reads; 0: not known. */
unsigned compiler_raw(unsigned release);

/* That of the only release that a text names; 0: none, or several, or not
 * known. */
unsigned compiler_raw_in(struct bytes text);

/* Witnesses of the records' raw version. */
struct witnesses {
  uint64_t symbol;     /* the word __llvm_profile_raw_version, without the bit
                          of packed counters; 0: none */
  uint32_t compilers;  /* bit v: .comment or the debug information names a
                          clang that writes raw version v; 0: they name none */
  uint32_t covmap;     /* the same by the version of the coverage mapping */
  uint32_t consistent; /* the same: records of this version are consistent */
};

/* The version word of the ELF, without the bit of packed counters; 0: none. */
uint64_t image_word(const struct elf *elf);

/* Looks for witnesses. word: the version word of a dump of the image, which
 * tells how the image counts, or 0. Returns NULL or the image's error. */
const char *image_witnesses(const struct elf *elf, uint64_t word,
                            struct witnesses *found);

/* Finds the version word on which all witnesses agree. word: the word of a dump
 * of the image, which is a witness too, or 0. raw: the user's choice, or 0.
 * Returns NULL or the contradiction. */
const char *image_version(const struct witnesses *found, uint64_t word,
                          unsigned raw, uint64_t *version);

#endif
