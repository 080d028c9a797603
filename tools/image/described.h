/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records and names of an image that only its debug information has
 * (-profile-correlate=debug-info).
 */
#ifndef BAREPROF_TOOLS_DESCRIBED_H
#define BAREPROF_TOOLS_DESCRIBED_H

#include "../base/buffer.h"
#include "../object/elf.h"
#include "snapshot.h"

struct described {
  struct buffer functions, names; /* the first is struct function; the second
                                     the section of names */
  size_t count;                   /* of functions; 0: it is no such image */
  bool lost; /* there are bitmaps, and nothing says of which functions */
};

/* Where functions are looked for. */
struct described_images {
  const struct elf *elf;
  struct elf_section counters, bitmaps;
};

/* Looks for functions with counters in this section. Returns NULL or the error.
 * The caller calls described_free in both cases. */
const char *described_read(struct described *described,
                           const struct described_images *in);

/* Makes a section of names of all functions that debug information describes,
 * including functions that the linker has dropped. Returns NULL or the error.
 * The caller frees names in both cases. */
const char *described_names(const struct elf *elf, struct buffer *names);

void described_free(struct described *described);

/* Fills the records and names of a snapshot whose header has their sizes. The
 * records are as at address 0. Returns NULL or the error. */
const char *described_take(const struct described *described,
                           struct snapshot *snapshot);

#endif
