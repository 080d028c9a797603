/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Chooses what of an ELF `bareprof join` and llvm-cov need: sections and
 * symbols, as they are. Whether that is all of it is for the caller to say.
 */
#ifndef EXTRACT_KEEP_H
#define EXTRACT_KEEP_H

#include "../image/image.h"

struct keep {
  /* 64 and 256: a linked image has a dozen and some thirty. */
  struct elf_section sections[64];
  uint64_t origins[64]; /* their numbers in the ELF; 0: made up */
  size_t section_count;
  struct elf_symbol symbols[256];
  size_t symbol_count;
  struct image_ranges ranges; /* count: where counters are, 0: not known */
  bool word_lost; /* the version word has a symbol and no contents */
};

/* Everything points into the memory of elf. Returns NULL or the error. */
const char *keep_all(struct keep *keep, const struct elf *elf);

/* The first section of that name among those chosen, or NULL. */
const struct elf_section *keep_find(const struct keep *keep, const char *name);

#endif
