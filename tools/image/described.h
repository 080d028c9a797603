/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Images compiled with -profile-correlate=debug-info: their records and names
 * are made here, of what the debug information describes.
 */
#ifndef BAREPROF_TOOLS_DESCRIBED_H
#define BAREPROF_TOOLS_DESCRIBED_H

#include "../base/buffer.h"
#include "../object/elf.h"
#include "snapshot.h"
#include "image_layout.h"

struct described {
  struct buffer functions, names; /* of use to described.c; the section */
  size_t count;                   /* of functions; 0: it is no such image */
  bool lost; /* there are bitmaps, and nothing says of which functions */
};

/* Where functions are looked for. */
struct described_images {
  const struct elf *elf;
  struct elf_section counters, bitmaps;
};

/* Looks for functions whose counters are in that section. NULL, or what is
 * wrong; in both cases described_free is called. */
const char *described_read(struct described *described,
                           const struct described_images *in);

/* The names of all functions that debug information describes, also of those
 * that the linker has dropped, as a section of names. NULL, or what is wrong;
 * in both cases the caller frees names. */
const char *described_names(const struct elf *elf, struct buffer *names);
void described_free(struct described *described);

/* Gives a snapshot whose header has their sizes its records, as if these
 * began at address 0, and names. NULL, or what is wrong. */
const char *described_take(const struct described *described,
                           struct snapshot *snapshot,
                           const struct bareprof_layout *layout);

#endif
