/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Images whose counters have no section of their own, so only the records say
 * where they are: counters that `bareprof cc --place=bss` put into the vendor's
 * .bss, and those of -profile-correlate=binary that a script put elsewhere. The
 * records are not loaded, and have addresses. The counters of all functions are
 * put into one row, and so are the bitmaps; the records are changed to fit.
 */
#ifndef BAREPROF_TOOLS_PLACED_H
#define BAREPROF_TOOLS_PLACED_H

#include "../object/elf.h"
#include "record.h"
#include "snapshot.h"

/* Bytes of the target's memory, and where they go in the piece. */
struct image_range {
  uint64_t address, size;
  uint64_t offset;
  unsigned piece; /* BAREPROF_PIECE_COUNTERS or BAREPROF_PIECE_BITMAP */
};

/* By ascending address; no range overlaps another, none is empty, and those of
 * one piece that touch are one. */
struct image_ranges {
  struct image_range *list; /* from malloc */
  size_t count;
};

struct placed {
  struct image_ranges ranges;
  struct piece counters, bitmap; /* as if they were together: addresses are
                                    multiples of 8, near the first function's */
  unsigned char *records;        /* of functions that are linked: distances, as
                                    if they began at address 0 */
  size_t records_size;
};

/* Reads records of addresses. size: bytes of a counter on the target. Functions
 * that the linker dropped have counters at 0, and are left out. Returns NULL or
 * the error: a record points outside the ELF's memory, or two share a counter.
 * The caller calls placed_free in both cases. */
const char *placed_read(struct placed *placed, const struct elf *elf,
                        const struct record_form *form, struct bytes records,
                        unsigned size);

/* Finds what names the build: the build id; or, because no code of such an
 * image could tell one and many vendors' links have none, a digest of records,
 * names and mapping, in room. false: the ELF has neither. */
bool image_id(const struct elf *elf, struct bytes *id,
              unsigned char room[16]);

void placed_free(struct placed *placed);

#endif
