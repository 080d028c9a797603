/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Chooses the sections and symbols of an ELF that `bareprof join` and llvm-cov
 * need, unchanged. The caller decides whether the chosen parts are complete.
 * cmd/extract.c writes them with elf_write.
 */
#ifndef EXTRACT_ELF_SUBSET_H
#define EXTRACT_ELF_SUBSET_H

#include "../image/image.h"

struct elf_subset {
  /* These sizes suffice: a linked image has about a dozen such sections and
   * thirty such symbols. */
  struct elf_section sections[64];
  uint64_t origins[64]; /* the numbers of the sections in the ELF; 0: a new
                           section */
  size_t section_count;
  struct elf_symbol symbols[256];
  size_t symbol_count;
  struct image_ranges ranges; /* the ranges of the counters; count 0: unknown */
  bool word_lost; /* the version word has a symbol but no contents */
};

/* Chooses all sections and symbols. The results point into the memory of `elf`.
 * Returns NULL or the error. */
const char *elf_subset_collect(struct elf_subset *keep, const struct elf *elf);

/* Returns the first chosen section with this name, or NULL. */
const struct elf_section *elf_subset_find_section(const struct elf_subset *keep,
                                                  const char *name);

#endif
