/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The profile that an ELF holds: everything except the counts. Reads full
 * images (bareprof.ld), lean ones (bareprof-lean.ld), images compiled with
 * -profile-correlate=binary, and the files that `bareprof extract` makes from
 * them.
 */
#ifndef BAREPROF_TOOLS_IMAGE_H
#define BAREPROF_TOOLS_IMAGE_H

#include "../base/buffer.h"
#include "../object/elf.h"
#include "placed.h"
#include "snapshot.h"

/* Returns the names of an image compiled with =debug-info, in the form of the
 * section __llvm_prf_names; no names for other images. The caller frees the
 * names. *lost: the image has bitmaps of unknown functions, so MC/DC is lost.
 * Returns NULL or the error. */
const char *image_names(const struct elf *elf, struct buffer *names,
                        bool *lost);

/* Makes a snapshot of the image: constant pieces known, counters and bitmap not
 * (at their initial value). version: the word. Returns NULL or the error; after
 * an error there is nothing to free. Constant pieces stay in the memory of the
 * ELF where possible: free the snapshot with image_free while elf is still
 * open. */
const char *image_read(struct snapshot *snapshot, const struct elf *elf,
                       uint64_t version);
void image_free(struct snapshot *snapshot, const struct elf *elf);

/* Finds the memory of the target that holds counters and bitmaps, by ascending
 * address. An image with a section for each has one range of each; of others,
 * the records say where they are. version: the word. The offsets are those of
 * the target's bytes: a counter of 4 bytes takes 4. Returns NULL or the error.
 * The caller frees ranges->list in both cases. */
const char *image_ranges(const struct elf *elf, uint64_t version,
                         struct image_ranges *ranges);

/* The raw versions whose format the writer accepts for the image's records, one
 * bit each. If there are none, the reason, for the likeliest version. */
const char *image_versions(const struct elf *elf, uint64_t variant,
                           uint32_t likely, uint32_t *versions);

/* Replaces the bytes of a piece of an image's snapshot. The new bytes come from
 * malloc. */
void image_replace(struct snapshot *snapshot, const struct elf *elf,
                   unsigned piece, unsigned char *bytes);

/* Rewrites the records of an image's snapshot for another raw version. Returns
 * NULL, or the part that the version cannot express (a bitmap before version 9,
 * ...). */
const char *image_convert(struct snapshot *snapshot, const struct elf *elf,
                          unsigned raw);

#endif
