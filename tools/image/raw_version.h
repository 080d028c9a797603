/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the clang releases that compiled an ELF, the raw version that each of
 * them writes, and the raw version of the ELF's records. Code that reads
 * records (image.h) needs the raw version.
 */
#ifndef BAREPROF_TOOLS_RAW_VERSION_H
#define BAREPROF_TOOLS_RAW_VERSION_H

#include "../object/elf.h"

/* The highest release that the bit sets below can hold. */
enum { COMPILER_LAST = 63 };

/* Returns the clang releases that a section names, for example as "clang
 * version 22.1.0" in .comment or .debug_str. Bit n is set for release n. */
uint64_t find_compiler_releases(const struct elf *elf, const char *section);

/* Returns whether gcc compiled the whole ELF, as section .comment says. */
bool compiler_is_gcc(const struct elf *elf);

/* Returns the raw version that a clang release writes and reads, or 0 for an
 * unknown release. */
unsigned compiler_raw_version(unsigned release);

/* Returns the raw version of the clang release that a text names. Returns 0 if
 * the text names several releases or none, or if the release is unknown. */
unsigned compiler_raw_version_in_text(struct bytes text);

/* Evidence for the raw version of the records. In each bit set, bit v stands
 * for raw version v. */
struct raw_version_evidence {
  uint64_t symbol;     /* the word __llvm_profile_raw_version without the bit
                          for packed counters; 0 if the word is missing */
  uint32_t compilers;  /* raw versions of the clang releases that .comment or
                          debug information names; 0 if neither names a
                          release */
  uint32_t covmap;     /* raw versions whose coverage mapping has the same
                          version as this ELF's mapping */
  uint32_t consistent; /* raw versions in which the records are consistent */
};

/* Returns the ELF's version word without the bit for packed counters, or 0 if
 * the ELF lacks the word. */
uint64_t raw_version_word(const struct elf *elf);

/* Collects the evidence. `word` is the version word of a dump of the image,
 * which shows the kind of counters; or 0. Returns NULL or the image's error. */
const char *raw_version_collect_evidence(const struct elf *elf, uint64_t word,
                                         struct raw_version_evidence *found);

/* Finds the version word that agrees with all evidence. `word` is the version
 * word of a dump of the image, which is evidence, too; 0 without a dump. `raw`
 * is the raw version that the user chose, or 0. Returns NULL, or the error if
 * the evidence contradicts itself. */
const char *raw_version_choose(const struct raw_version_evidence *found,
                               uint64_t word, unsigned raw, uint64_t *version);

#endif
